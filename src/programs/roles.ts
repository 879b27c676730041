/** The accounts of an instruction as a layout declares them: by role, with flags and what each must be. */
import type { Address } from '../transaction/types.ts';
import { associatedAccount, type Derivation, rolesOf, type Seed } from './derived.ts';

/**
 * How a role is flagged when we build the instruction. A trailing `?` marks accounts that may be left out:
 * from the end, or, in programs made with Anchor, anywhere (the program's own id then stands in its place).
 * Reading does not insist on flags unless the layout is `strict`: privileges are message-wide, and an
 * authority that is a multisig does not sign itself.
 */
export type Flags = 'readonly' | 'writable' | 'signer' | 'writableSigner';
export type RoleFlags = Flags | `${Flags}?`;

/** What a role's address must be: one address, one of several, or derived from the other roles. */
export type Must = Address | readonly Address[] | Derivation;
/** A role with one possible address, which a builder need not give. */
export interface PinnedRole<F extends RoleFlags = RoleFlags> {
  readonly flags: F;
  readonly must: Address | Derivation;
}
/** A role with a few possible addresses. */
export interface ChoiceRole<F extends RoleFlags = RoleFlags> {
  readonly flags: F;
  readonly among: readonly Address[];
}
export type RoleSpec = RoleFlags | PinnedRole | ChoiceRole;
export type Roles = Readonly<Record<string, RoleSpec>>;

/** Whether a role's address must be derived. */
export const isDerivation = (must: Must): must is Derivation => typeof must === 'object' && 'seeds' in must;

/** A role whose address is fixed. */
export const fixed = <const F extends RoleFlags>(flags: F, must: Address): PinnedRole<F> => ({ flags, must });
/** A role whose address is derived under `program` from seeds. */
export const derived = <const F extends RoleFlags>(
  flags: F,
  program: Address,
  seeds: readonly Seed[],
): PinnedRole<F> => ({ flags, must: { program, seeds } });
/** A role that is the associated token account of the roles named. */
export const associated = <const F extends RoleFlags>(
  flags: F,
  owner: string,
  tokenProgram: string,
  mint: string,
): PinnedRole<F> => ({ flags, must: associatedAccount(owner, tokenProgram, mint) });
/** A role whose address is one of a few. */
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
/** Accounts as given to a builder, which fills in those that can be only one address. */
export type GivenAccounts<A, V> = Some<A, OptionalRoles<A> | PinnedRoles<A>, V>;

/** A role as reading and building go through it. */
export interface LayoutRole {
  readonly name: string;
  readonly flags: Flags;
  readonly optional: boolean;
  readonly must?: Must;
  /** There exactly when the optional roles it is derived from are. */
  readonly paired: boolean;
}

/** The roles of a layout from their declarations, in order. */
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
    flags: given.replace('?', '') as Flags, // the type says so: RoleFlags is Flags with or without a '?'
    optional: given.endsWith('?'),
    ...(must === undefined ? {} : { must }),
    paired: must !== undefined && isDerivation(must) && rolesOf(must).some(isOptional),
  };
}

export const isSigner = (flags: string): boolean => flags === 'signer' || flags === 'writableSigner';
export const isWritable = (flags: string): boolean => flags === 'writable' || flags === 'writableSigner';
