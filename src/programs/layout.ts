/**
 * What an instruction layout is. A layout says, once, how an instruction's data and accounts look; reading
 * and building both follow it, so they cannot drift apart. Layouts are strict: exact data, exact accounts
 * (save those declared optional), nothing left over. What does not fit is not "mostly a transfer"; it is
 * unknown.
 */
import { Reader, Writer } from '../transaction/bytes.ts';
import type { Codec, ValueOf } from '../transaction/codecs.ts';
import type { AccountUse, Address, ResolvedInstruction } from '../transaction/types.ts';

/**
 * How a role is flagged when we build the instruction. A trailing `?` marks accounts that may be left out;
 * they stand last and are left out from the end. Reading does not insist on flags: privileges are
 * message-wide, and an authority that is a multisig does not sign itself.
 */
export type Flags = 'readonly' | 'writable' | 'signer' | 'writableSigner';
export type RoleFlags = Flags | `${Flags}?`;
type Roles = Readonly<Record<string, RoleFlags>>;
type Args = Readonly<Record<string, Codec<unknown>>>;

type Flatten<T> = { readonly [K in keyof T]: T[K] };
type OptionalRoles<A> = { [K in keyof A]: A[K] extends `${string}?` ? K : never }[keyof A];

/** Accounts by role: required ones, and optional ones that may be absent. */
export type AccountsOf<A, V> = Flatten<
  { [K in Exclude<keyof A, OptionalRoles<A>>]: V } & { [K in OptionalRoles<A>]?: V }
>;
export type ArgsOf<X> = Flatten<{ -readonly [K in keyof X]: ValueOf<X[K]> }>;

export interface Layout<K extends string = string, A = Roles, X = Args> {
  readonly kind: K;
  readonly programs: readonly Address[];
  readonly discriminator: Uint8Array;
  readonly roles: readonly { readonly name: string; readonly flags: Flags; readonly optional: boolean }[];
  readonly fields: readonly (readonly [string, Codec<unknown>])[];
  /** Flags of the accounts after the named ones; absent when none may follow. */
  readonly rest?: Flags;
  /** Empty data means the same as the discriminator alone. */
  readonly emptyData: boolean;
  /** Only for the compiler: the shapes of accounts and arguments. */
  readonly shape?: { readonly accounts: A; readonly args: X };
}

interface LayoutSpec<A, X> {
  /** The program, or the programs that share the layout; the first is the default when building. */
  readonly program: Address | readonly Address[];
  readonly discriminator: readonly number[];
  readonly accounts: A;
  readonly args?: X;
  readonly rest?: Flags;
  readonly emptyData?: boolean;
}

/** Declares one instruction. Object order is byte order for `args` and account order for `accounts`. */
export function defineLayout<
  const K extends string,
  const A extends Roles,
  const X extends Args = Record<never, never>,
>(kind: K, spec: LayoutSpec<A, X>): Layout<K, A, X> {
  return {
    kind,
    programs: typeof spec.program === 'string' ? [spec.program] : spec.program,
    discriminator: Uint8Array.from(spec.discriminator),
    roles: Object.entries(spec.accounts).map(([name, flags]) => ({
      name,
      flags: flags.replace('?', '') as Flags, // the type says so: RoleFlags is Flags with or without a '?'
      optional: flags.endsWith('?'),
    })),
    fields: Object.entries(spec.args ?? {}),
    ...(spec.rest === undefined ? {} : { rest: spec.rest }),
    emptyData: spec.emptyData ?? false,
  };
}

/** Whether the data starts the way the layout says. */
export function startsWith(layout: Layout, data: Uint8Array): boolean {
  if (data.length === 0) return layout.emptyData || layout.discriminator.length === 0;
  return layout.discriminator.every((byte, index) => data[index] === byte);
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
    if (account !== undefined) accounts[role.name] = account;
    else if (!role.optional) return `the account "${role.name}" is missing`;
  }
  const rest = given.length > roles.length ? given.slice(roles.length) : NOTHING;
  if (rest.length > 0 && layout.rest === undefined) return `${rest.length} accounts too many`;
  return { accounts, rest, args };
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
  let ended = false;
  for (const role of layout.roles) {
    const account = input.accounts[role.name];
    if (account === undefined && !role.optional)
      throw new TypeError(`${layout.kind}: account "${role.name}" is missing`);
    if (account === undefined) ended = true;
    else if (ended) throw new TypeError(`${layout.kind}: an account before "${role.name}" is missing`);
    else accounts.push(flagged(account, role.flags));
  }
  const rest = input.rest ?? [];
  if (rest.length > 0 && (layout.rest === undefined || ended))
    throw new TypeError(`${layout.kind}: no accounts may follow`);
  for (const account of rest) accounts.push(flagged(account, layout.rest ?? 'readonly'));
  return { programAddress, accounts, data: writer.finish() };
}

function flagged(account: AccountInput, flags: Flags) {
  const given = typeof account === 'string' ? { address: account } : account;
  const signer = flags === 'signer' || flags === 'writableSigner';
  const writable = flags === 'writable' || flags === 'writableSigner';
  return { address: given.address, signer: given.signer ?? signer, writable: given.writable ?? writable };
}

function checkNames(layout: Layout, given: readonly string[], known: readonly string[]): void {
  const stray = given.find((name) => !known.includes(name));
  if (stray !== undefined) throw new TypeError(`${layout.kind}: "${stray}" is not known`);
}
