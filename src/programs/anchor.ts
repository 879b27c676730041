/**
 * Layouts of Anchor programs: 8-byte discriminators derived from public names, and the event authority and the program as
 * the last two accounts.
 */
import { createHash } from 'node:crypto';
import type { Codec } from '../transaction/codecs.ts';
import type { Address } from '../transaction/types.ts';
import { text } from './derived.ts';
import { defineLayout, type Layout, type LayoutSpec } from './layout.ts';
import type { NamedInstruction } from './program.ts';
import { derived, type Flags, fixed, type PinnedRole, type Roles } from './roles.ts';

/** Converts camel case to the snake case of the public interface: `createFeeConfig` → `create_fee_config`. */
export const publicName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the 8-byte discriminator of an instruction. */
export function instructionDiscriminator(name: string): Uint8Array {
  return createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
}

/** Returns the 8-byte discriminator of an account type. */
export function accountDiscriminator(name: string): Uint8Array {
  return createHash('sha256').update(`account:${name}`).digest().subarray(0, 8);
}

/** Last two accounts of an instruction that emits events by CPI. */
type EventRoles = {
  readonly eventAuthority: PinnedRole<'readonly'>;
  readonly program: PinnedRole<'readonly'>;
};

type AnchorSpec<A, X> = Omit<LayoutSpec<A, X>, 'discriminator' | 'strict' | 'emptyData' | 'program'> & {
  readonly program: Address;
};

/** Optional trailing accounts. */
type Trailing = Readonly<Record<string, PinnedRole<`${Flags}?`>>>;

/**
 * Defines an instruction of an Anchor program. The part of `kind` after the dot is its public name in camel case; the event
 * authority and the program are appended to the accounts.
 */
export function anchorLayout<
  const K extends `${string}.${string}`,
  const A extends Roles,
  const X extends Readonly<Record<string, Codec<unknown>>> = Record<never, never>,
  const T extends Trailing = Record<never, never>,
>(kind: K, spec: AnchorSpec<A, X> & { readonly trailing?: T }): Layout<K, A & EventRoles & T, X> {
  const ending: EventRoles = {
    eventAuthority: derived('readonly', spec.program, [text('__event_authority')]),
    program: fixed('readonly', spec.program),
  };
  const { trailing, ...rest } = spec;
  const accounts = { ...rest.accounts, ...ending, ...trailing } as A & EventRoles & T; // absent is empty
  return bareAnchorLayout(kind, { ...rest, accounts, omissible: Object.keys(trailing ?? {}).length });
}

/** Defines an instruction of an Anchor program without event authority and program accounts. */
export function bareAnchorLayout<
  const K extends `${string}.${string}`,
  const A extends Roles,
  const X extends Readonly<Record<string, Codec<unknown>>> = Record<never, never>,
>(kind: K, spec: AnchorSpec<A, X>): Layout<K, A, X> {
  const discriminator = instructionDiscriminator(publicName(kind.slice(kind.indexOf('.') + 1)));
  return defineLayout(kind, { ...spec, discriminator, strict: true });
}

/** Returns instructions known only by their public names. */
export function anchorNames(...names: readonly string[]): readonly NamedInstruction[] {
  return names.map((name) => ({ name, discriminator: instructionDiscriminator(name) }));
}
