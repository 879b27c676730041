/**
 * Instructions of programs made with Anchor: eight bytes that come from the instruction's public name, and two
 * last accounts of their own, the program's event authority and the program itself.
 */
import { createHash } from 'node:crypto';
import type { Codec } from '../transaction/codecs.ts';
import type { Address } from '../transaction/types.ts';
import { text } from './derived.ts';
import { defineLayout, type Layout, type LayoutSpec } from './layout.ts';
import type { NamedInstruction } from './program.ts';
import { derived, type Flags, fixed, type PinnedRole, type Roles } from './roles.ts';

/** `createFeeConfig` → `create_fee_config`, the way the public interface spells it. */
export const publicName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The first eight bytes of an instruction's data, from its public name. */
export function instructionDiscriminator(name: string): Uint8Array {
  return createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
}

/** The first eight bytes of an account's data, from its public name. */
export function accountDiscriminator(name: string): Uint8Array {
  return createHash('sha256').update(`account:${name}`).digest().subarray(0, 8);
}

/** The two accounts that end an instruction which reports what it did as an event. */
type EventRoles = {
  readonly eventAuthority: PinnedRole<'readonly'>;
  readonly program: PinnedRole<'readonly'>;
};

type AnchorSpec<A, X> = Omit<LayoutSpec<A, X>, 'discriminator' | 'strict' | 'emptyData' | 'program'> & {
  readonly program: Address;
};

/** An account that may follow the named ones, or not. */
type Trailing = Readonly<Record<string, PinnedRole<`${Flags}?`>>>;

/**
 * Declares an instruction of a program made with Anchor. The part of `kind` after the dot is its public name in
 * camel case; event authority and program are added at the end.
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

/** The same for an instruction that names neither event authority nor program at the end. */
export function bareAnchorLayout<
  const K extends `${string}.${string}`,
  const A extends Roles,
  const X extends Readonly<Record<string, Codec<unknown>>> = Record<never, never>,
>(kind: K, spec: AnchorSpec<A, X>): Layout<K, A, X> {
  const discriminator = instructionDiscriminator(publicName(kind.slice(kind.indexOf('.') + 1)));
  return defineLayout(kind, { ...spec, discriminator, strict: true });
}

/** Instructions known by name only, by their public names. */
export function anchorNames(...names: readonly string[]): readonly NamedInstruction[] {
  return names.map((name) => ({ name, discriminator: instructionDiscriminator(name) }));
}
