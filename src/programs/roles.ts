/** Account roles of instruction layouts, with flags and address constraints. */
import type { Address } from '../transaction/types.ts';
import { associatedAccount, type Derivation, rolesOf, type Seed } from './derived.ts';

/**
 * Flags of a role for encoding. A trailing `?` marks optional accounts: at the end, or in Anchor programs anywhere (encoded
 * as the program's address). Decoding checks flags only in `strict` layouts, because privileges are message-wide and a
 * multisig authority does not sign itself.
 */
export type Flags = 'readonly' | 'writable' | 'signer' | 'writableSigner';
export type RoleFlags = Flags | `${Flags}?`;

/** Constraint on a role's address: one address, one of several, or derived from other roles. */
export type Must = Address | readonly Address[] | Derivation;
/** A role with a constant or derived address, which may be omitted when encoding. */
export interface PinnedRole<F extends RoleFlags = RoleFlags> {
  readonly flags: F;
  readonly must: Address | Derivation;
}
/** A role with several possible addresses. */
export interface ChoiceRole<F extends RoleFlags = RoleFlags> {
  readonly flags: F;
  readonly among: readonly Address[];
}
export type RoleSpec = RoleFlags | PinnedRole | ChoiceRole;
export type Roles = Readonly<Record<string, RoleSpec>>;

/** Whether a constraint is a derivation. */
export const isDerivation = (must: Must): must is Derivation => typeof must === 'object' && 'seeds' in must;

/** Builds a role with a constant address. */
export const fixed = <const F extends RoleFlags>(flags: F, must: Address): PinnedRole<F> => ({ flags, must });
/** Builds a role whose address is derived from seeds under `program`. */
export const derived = <const F extends RoleFlags>(
  flags: F,
  program: Address,
  seeds: readonly Seed[],
): PinnedRole<F> => ({ flags, must: { program, seeds } });
/** Builds a role for the associated token account of the named roles. */
export const associated = <const F extends RoleFlags>(
  flags: F,
  owner: string,
  tokenProgram: string,
  mint: string,
): PinnedRole<F> => ({ flags, must: associatedAccount(owner, tokenProgram, mint) });
/** Builds a role whose address is one of several. */
export const oneAmong = <const F extends RoleFlags>(flags: F, among: readonly Address[]): ChoiceRole<F> => ({
  flags,
  among,
});

export type Flatten<T> = { readonly [K in keyof T]: T[K] };
type Optional = `${string}?` | { readonly flags: `${string}?` };
type OptionalRoles<A> = { [K in keyof A]: A[K] extends Optional ? K : never }[keyof A];
type PinnedRoles<A> = { [K in keyof A]: A[K] extends PinnedRole ? K : never }[keyof A];
type Some<A, O extends keyof A, V> = Flatten<{ [K in Exclude<keyof A, O>]: V } & { [K in O]?: V }>;

/** Accounts by role: required ones, and optional ones that may be absent. */
export type AccountsOf<A, V> = Some<A, OptionalRoles<A>, V>;
/** Accounts for the encoder, which fills in constant and derived ones. */
export type GivenAccounts<A, V> = Some<A, OptionalRoles<A> | PinnedRoles<A>, V>;

/** A role in a layout. */
export interface LayoutRole {
  readonly name: string;
  readonly flags: Flags;
  readonly optional: boolean;
  readonly must?: Must;
  /** Whether the account is present if and only if the optional accounts of its derivation are. */
  readonly paired: boolean;
}

/** Converts role declarations into layout roles, in order. */
export function rolesFrom(declared: Roles): readonly LayoutRole[] {
  const isOptional = (name: string): boolean => flagsOf(declared[name]).endsWith('?');
  return Object.entries(declared).map(([name, role]) => roleOf(name, role, isOptional));
}

const flagsOf = (role: RoleSpec | undefined): string =>
  typeof role === 'string' ? role : (role?.flags ?? '');

function roleOf(name: string, role: RoleSpec, isOptional: (name: string) => boolean): LayoutRole {
  const given = typeof role === 'string' ? role : role.flags;
  const must = typeof role === 'string' ? undefined : 'must' in role ? role.must : role.among;
  return {
    name,
    flags: given.replace('?', '') as Flags, // RoleFlags is Flags with an optional '?'
    optional: given.endsWith('?'),
    ...(must === undefined ? {} : { must }),
    paired: must !== undefined && isDerivation(must) && rolesOf(must).some(isOptional),
  };
}

export const isSigner = (flags: string): boolean => flags === 'signer' || flags === 'writableSigner';
export const isWritable = (flags: string): boolean => flags === 'writable' || flags === 'writableSigner';
