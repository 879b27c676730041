/**
 * What an instruction layout is. A layout says, once, how an instruction's data and accounts look; reading
 * and building both follow it, so they cannot drift apart. Layouts are strict: exact data, exact accounts
 * (save those declared optional), nothing left over. What does not fit exactly is
 * unknown.
 */
import { Reader, Writer } from '../transaction/bytes.ts';
import type { Codec, ValueOf } from '../transaction/codecs.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../transaction/types.ts';
import { derive, rolesOf } from './derived.ts';
import {
  type Flags,
  type Flatten,
  isDerivation,
  isSigner,
  isWritable,
  type LayoutRole,
  type Roles,
  rolesFrom,
} from './roles.ts';

export type { AccountsOf, GivenAccounts } from './roles.ts';

type Args = Readonly<Record<string, Codec<unknown>>>;
export type ArgsOf<X> = Flatten<{ -readonly [K in keyof X]: ValueOf<X[K]> }>;

export interface Layout<K extends string = string, A = Roles, X = Args> {
  readonly kind: K;
  readonly programs: readonly Address[];
  readonly discriminator: Uint8Array;
  readonly roles: readonly LayoutRole[];
  readonly fields: readonly (readonly [string, Codec<unknown>])[];
  /** Flags of the accounts after the named ones; absent when none may follow. */
  readonly rest?: RestFlags;
  /** Empty data means the same as the discriminator alone. */
  readonly emptyData: boolean;
  /**
   * As programs made with Anchor are: an absent account is written as the program's own id, and the program fails unless signers sign and writable accounts are writable, so reading
   * insists on both.
   */
  readonly strict: boolean;
  /** The fewest accounts it can have. */
  readonly least: number;
  /** What is concluded and not stated in a public interface, a sentence each. */
  readonly inferred: readonly string[];
  /** Whether reading looks at more than the number of accounts. */
  readonly checked: boolean;
  /** Why accounts and arguments that fit one by one do not fit together; `undefined` when they do. */
  readonly misfit?: (named: Named) => string | undefined;
  /** Only for the compiler: the shapes of accounts and arguments. */
  readonly shape?: { readonly accounts: A; readonly args: X };
}

/** `reference`: accounts the program ignores; reading insists that they neither sign nor are writable. */
export type RestFlags = Flags | 'reference';

export interface LayoutSpec<A, X> {
  /** The program, or the programs that share the layout; the first is the default when building. */
  readonly program: Address | readonly Address[];
  readonly discriminator: ArrayLike<number>;
  readonly accounts: A;
  readonly args?: X;
  readonly rest?: RestFlags;
  readonly emptyData?: boolean;
  readonly strict?: boolean;
  /** How many of the last accounts may be missing in a strict layout; elsewhere all optional ones at the end. */
  readonly omissible?: number;
  readonly inferred?: readonly string[];
  readonly misfit?: (named: Named) => string | undefined;
}

/** Declares one instruction. Object order is byte order for `args` and account order for `accounts`. */
export function defineLayout<
  const K extends string,
  const A extends Roles,
  const X extends Args = Record<never, never>,
>(kind: K, spec: LayoutSpec<A, X>): Layout<K, A, X> {
  const roles = rolesFrom(spec.accounts);
  return {
    kind,
    programs: typeof spec.program === 'string' ? [spec.program] : spec.program,
    discriminator: Uint8Array.from(spec.discriminator),
    roles,
    fields: Object.entries(spec.args ?? {}),
    ...(spec.rest === undefined ? {} : { rest: spec.rest }),
    emptyData: spec.emptyData ?? false,
    strict: spec.strict ?? false,
    least: spec.strict
      ? roles.length - (spec.omissible ?? 0)
      : roles.findLastIndex((role) => !role.optional) + 1,
    inferred: spec.inferred ?? [],
    checked: spec.strict === true || roles.some((role) => role.must !== undefined),
    ...(spec.misfit === undefined ? {} : { misfit: spec.misfit }),
  };
}

/** An instruction's accounts and arguments by name. */
export interface Named {
  readonly accounts: Readonly<Record<string, AccountUse>>;
  readonly rest: readonly AccountUse[];
  readonly args: Readonly<Record<string, unknown>>;
}

const NOTHING: readonly AccountUse[] = [];

/** Reads an instruction that starts the layout's way; a sentence when the remainder does not fit. */
export function readLayout(layout: Layout, instruction: ResolvedInstruction): Named | string {
  const { data, accounts: given } = instruction;
  const reader = new Reader(data, Math.min(data.length, layout.discriminator.length));
  const args: Record<string, unknown> = {};
  for (const [name, codec] of layout.fields) args[name] = codec.read(reader);
  reader.end();

  const accounts: Record<string, AccountUse> = {};
  const { roles } = layout;
  for (let index = 0; index < roles.length; index++) {
    const role = roles[index];
    const account = given[index];
    if (role === undefined) break;
    if (account === undefined) {
      if (index < layout.least) return `the account "${role.name}" is missing`;
    } else if (!layout.strict || !role.optional || account.address !== instruction.program) {
      accounts[role.name] = account;
    }
  }
  const rest = given.length > roles.length ? given.slice(roles.length) : NOTHING;
  if (rest.length > 0 && layout.rest === undefined) return `${rest.length} accounts too many`;
  if (layout.rest === 'reference' && rest.some(({ signer, writable }) => signer || writable))
    return 'an account too many, which signs or is writable';
  const named = { accounts, rest, args };
  return (layout.checked ? wrongAccount(layout, named) : undefined) ?? layout.misfit?.(named) ?? named;
}

/** Why an account is not what its role says; `undefined` when all are. */
function wrongAccount(layout: Layout, { accounts, args }: Named): string | undefined {
  for (const role of layout.roles) {
    const { name, flags, must } = role;
    const account = accounts[name];
    if (layout.strict && account !== undefined) {
      if (!account.signer && isSigner(flags)) return `the account "${name}" does not sign`;
      if (!account.writable && isWritable(flags)) return `the account "${name}" is not writable`;
    }
    if (must === undefined) continue;
    const address = account?.address;
    if (typeof must === 'string') {
      if (address !== undefined && address !== must) return `the account "${name}" is not ${must}`;
    } else if (!isDerivation(must)) {
      if (address !== undefined && !must.includes(address)) {
        return `the account "${name}" is none of ${must.join(', ')}`;
      }
    } else if (address === undefined && !role.paired) {
      // An optional account may be left out, unless the ones it is derived from say that it must be there.
    } else if (address !== derive(must, (from) => accounts[from]?.address, args)) {
      return `the account "${name}" is not the one derived from ${rolesOf(must).join(', ') || 'its seeds'}`;
    }
  }
  return undefined;
}

/** An account as given to a builder: its address, or with flags that differ from the role's. */
export type AccountInput =
  | Address
  | { readonly address: Address; readonly signer?: boolean; readonly writable?: boolean };

/** An instruction ready to be compiled into a message. */
export interface EncodedInstruction {
  readonly programAddress: Address;
  readonly accounts: readonly {
    readonly address: Address;
    readonly signer: boolean;
    readonly writable: boolean;
  }[];
  readonly data: Uint8Array;
}

interface Encodable {
  readonly program?: Address | undefined;
  readonly accounts: Readonly<Record<string, AccountInput | undefined>>;
  readonly rest?: readonly AccountInput[] | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Builds an instruction. Throws TypeError when a required account or argument is missing or a name unknown.
 */
export function writeLayout(layout: Layout, input: Encodable): EncodedInstruction {
  const programAddress = input.program ?? layout.programs[0];
  if (programAddress === undefined || !layout.programs.includes(programAddress)) {
    throw new TypeError(`${layout.kind}: wrong program`);
  }
  const args = input.args ?? {};
  checkNames(
    layout,
    Object.keys(args),
    layout.fields.map(([name]) => name),
  );
  checkNames(
    layout,
    Object.keys(input.accounts),
    layout.roles.map((role) => role.name),
  );

  const writer = new Writer();
  writer.push(layout.discriminator);
  for (const [name, codec] of layout.fields) {
    if (args[name] === undefined) throw new TypeError(`${layout.kind}: argument "${name}" is missing`);
    codec.write(writer, args[name]);
  }

  const accounts: { address: Address; signer: boolean; writable: boolean }[] = [];
  const given = givenOrPinned(layout, input.accounts, args);
  let ended = false;
  for (const [index, role] of layout.roles.entries()) {
    const account = given[role.name];
    if (account === undefined && !role.optional)
      throw new TypeError(`${layout.kind}: account "${role.name}" is missing`);
    if (account === undefined && layout.strict && index < layout.least)
      accounts.push(flagged(programAddress, 'readonly'));
    else if (account === undefined) ended = true;
    else if (ended) throw new TypeError(`${layout.kind}: an account before "${role.name}" is missing`);
    else accounts.push(flagged(account, role.flags));
  }
  const rest = input.rest ?? [];
  if (rest.length > 0 && (layout.rest === undefined || ended))
    throw new TypeError(`${layout.kind}: no accounts may follow`);
  for (const account of rest) accounts.push(flagged(account, layout.rest ?? 'readonly'));
  return { programAddress, accounts, data: writer.finish() };
}

/** What a builder was given, and where a role can be one address only and was not given, that one. */
function givenOrPinned(
  layout: Layout,
  given: Encodable['accounts'],
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, AccountInput | undefined>> {
  const all: Record<string, AccountInput | undefined> = { ...given };
  const addressOf = (role: string): Address | undefined => {
    const account = all[role];
    return typeof account === 'object' ? account.address : account;
  };
  // Seeds may name roles that stand later and are pinned themselves, so go round until nothing is added.
  for (let added = true; added; ) {
    added = false;
    for (const { name, must, optional, paired } of layout.roles) {
      if (all[name] !== undefined || must === undefined || (optional && !paired)) continue;
      if (isDerivation(must)) all[name] = derive(must, addressOf, args);
      else if (typeof must === 'string') all[name] = must;
      added ||= all[name] !== undefined;
    }
  }
  return all;
}

function flagged(account: AccountInput, flags: RestFlags) {
  const given = typeof account === 'string' ? { address: account } : account;
  return {
    address: given.address,
    signer: given.signer ?? isSigner(flags),
    writable: given.writable ?? isWritable(flags),
  };
}

function checkNames(layout: Layout, given: readonly string[], known: readonly string[]): void {
  const stray = given.find((name) => !known.includes(name));
  if (stray !== undefined) throw new TypeError(`${layout.kind}: "${stray}" is not known`);
}
