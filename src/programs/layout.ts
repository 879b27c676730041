/**
 * Instruction layouts. A layout declares an instruction's data and accounts; decoding and encoding both use it. Layouts match
 * exactly: all data, all accounts except optional ones, and no trailing bytes. Anything else is unknown.
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
  /** Flags of the remaining accounts; absent if there can be none. */
  readonly rest?: RestFlags;
  /** Whether empty data is equivalent to the discriminator. */
  readonly emptyData: boolean;
  /**
   * Anchor conventions: an absent account is encoded as the program's own address, and signer and writable flags are
   * required, because the program fails without them.
   */
  readonly strict: boolean;
  /** Minimum number of accounts. */
  readonly least: number;
  /** Inferred properties that no public interface documents, one sentence each. */
  readonly inferred: readonly string[];
  /** Whether decoding checks flags or addresses of accounts. */
  readonly checked: boolean;
  /** Returns why accounts and arguments contradict each other, or `undefined`. */
  readonly misfit?: (named: Named) => string | undefined;
  /** Type-level only: shapes of accounts and arguments. */
  readonly shape?: { readonly accounts: A; readonly args: X };
}

/** `reference`: accounts that the program ignores, which must be read-only and not sign. */
export type RestFlags = Flags | 'reference';

export interface LayoutSpec<A, X> {
  /** The program, or the programs that share the layout; the first is the default for encoding. */
  readonly program: Address | readonly Address[];
  readonly discriminator: ArrayLike<number>;
  readonly accounts: A;
  readonly args?: X;
  readonly rest?: RestFlags;
  readonly emptyData?: boolean;
  readonly strict?: boolean;
  /** Number of trailing accounts that may be missing in a strict layout; in other layouts, all trailing optional ones may. */
  readonly omissible?: number;
  readonly inferred?: readonly string[];
  readonly misfit?: (named: Named) => string | undefined;
}

/** Defines an instruction. The order of `args` is their byte order, and the order of `accounts` is the account order. */
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

/** Decoded accounts and arguments by name. */
export interface Named {
  readonly accounts: Readonly<Record<string, AccountUse>>;
  readonly rest: readonly AccountUse[];
  readonly args: Readonly<Record<string, unknown>>;
}

const NOTHING: readonly AccountUse[] = [];

/** Decodes an instruction with the layout's discriminator. Returns the reason as text if the rest does not match. */
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
  if (rest.length > 0 && layout.rest === undefined) return `${rest.length} unexpected accounts`;
  if (layout.rest === 'reference' && rest.some(({ signer, writable }) => signer || writable))
    return 'an unexpected account signs or is writable';
  const named = { accounts, rest, args };
  return (layout.checked ? wrongAccount(layout, named) : undefined) ?? layout.misfit?.(named) ?? named;
}

/** Returns why an account does not match its role, or `undefined` if all match. */
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
        return `the account "${name}" is not one of ${must.join(', ')}`;
      }
    } else if (address === undefined && !role.paired) {
      // An optional account may be absent, unless it is paired with accounts that are present.
    } else if (address !== derive(must, (from) => accounts[from]?.address, args)) {
      return `the account "${name}" is not the one derived from ${rolesOf(must).join(', ') || 'its seeds'}`;
    }
  }
  return undefined;
}

/** An account for the encoder: an address, optionally with flags that override the role's. */
export type AccountInput =
  | Address
  | { readonly address: Address; readonly signer?: boolean; readonly writable?: boolean };

/** An encoded instruction, ready to be compiled into a message. */
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
 * Encodes an instruction. Throws TypeError if a required account or argument is missing or a name is unknown.
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
    throw new TypeError(`${layout.kind}: unexpected remaining accounts`);
  for (const account of rest) accounts.push(flagged(account, layout.rest ?? 'readonly'));
  return { programAddress, accounts, data: writer.finish() };
}

/** Returns the given accounts, completed with constant and derived addresses of missing roles. */
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
  // Seeds may name later roles that are derived too, so repeat until nothing is added.
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
  if (stray !== undefined) throw new TypeError(`${layout.kind}: unknown name "${stray}"`);
}
