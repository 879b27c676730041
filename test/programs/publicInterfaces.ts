/**
 * Public interfaces of the real programs, from their npm packages: arbitrary arguments and accounts for an instruction,
 * encoded by Anchor, and the same values in our readers' form.
 */
import { createRequire } from 'node:module';
import * as anchor from '@coral-xyz/anchor';
import { CpAmmIdl } from '@meteora-ag/cp-amm-sdk';
import { DynamicBondingCurveIdl } from '@meteora-ag/dynamic-bonding-curve-sdk';
import { PublicKey } from '@solana/web3.js';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import fc from '../fc.ts';
import { testAddress } from '../transaction/keys.ts';

export type Idl = anchor.Idl;
type IdlType = anchor.Idl['instructions'][number]['args'][number]['type'];

const require = createRequire(import.meta.url);
const fromBags = (name: string): Idl => require(`@bagsfm/bags-sdk/dist/idl/${name}/idl.json`);

export const FEE_SHARE = fromBags('fee-share-v2');
export const OLDER_DBC = fromBags('dynamic-bonding-curve');
export const OLDER_DAMM_V2 = fromBags('damm-v2');
export const DBC = DynamicBondingCurveIdl as unknown as Idl; // the packages narrow the type to their own names
export const DAMM_V2 = CpAmmIdl as unknown as Idl;

/** A value in Anchor's form and in our readers' form. */
export interface Both {
  readonly theirs: unknown;
  readonly ours: unknown;
}

export const camel = (name: string): string =>
  name.replace(/^_/, '').replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const whole = (bits: number): fc.Arbitrary<Both> =>
  fc
    .bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })
    .map((value) =>
      bits <= 32
        ? { theirs: Number(value), ours: Number(value) }
        : { theirs: new anchor.BN(value.toString()), ours: value },
    );
const plain = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Both> =>
  values.map((value) => ({ theirs: value, ours: value }));

const POOL = Array.from({ length: 60 }, (_, n) => testAddress(`account ${n}`));
export const someAddress = fc.constantFrom(...POOL);

/** Numeric arguments that our readers decode as named variants. */
const NAMED_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  swap_mode: ['exactIn', 'partialFill', 'exactOut'],
};

/** Any value of a type of the interface. */
export function arbitraryOf(idl: Idl, type: IdlType, name = ''): fc.Arbitrary<Both> {
  const variants = NAMED_NUMBERS[name];
  if (variants !== undefined) {
    return fc.nat(variants.length - 1).map((theirs) => ({ theirs, ours: variants[theirs] }));
  }
  if (type === 'bool') return plain(fc.boolean());
  if (type === 'string') return plain(fc.string({ unit: 'grapheme', maxLength: 12 }));
  if (type === 'pubkey') {
    return someAddress.map((address) => ({ theirs: new PublicKey(address), ours: address }));
  }
  if (typeof type === 'string') {
    const bits = /^u(\d+)$/.exec(type)?.[1];
    if (bits === undefined) throw new Error(`no arbitrary for ${type}`);
    return whole(Number(bits));
  }
  if ('vec' in type) return listOf(fc.array(arbitraryOf(idl, type.vec), { maxLength: 5 }));
  if ('option' in type) {
    return fc.option(arbitraryOf(idl, type.option)).map((some) => some ?? { theirs: null, ours: null });
  }
  if ('array' in type) {
    const [item, length] = type.array;
    if (typeof length !== 'number') throw new Error('no arbitrary for a generic length');
    const values = fc.array(arbitraryOf(idl, item), { minLength: length, maxLength: length });
    return listOf(values).map(({ theirs, ours }) =>
      item === 'u8' && Array.isArray(ours) ? { theirs, ours: Uint8Array.from(ours) } : { theirs, ours },
    );
  }
  if ('defined' in type) return structOf(idl, type.defined.name);
  throw new Error(`no arbitrary for ${JSON.stringify(type)}`);
}

const listOf = (items: fc.Arbitrary<Both[]>): fc.Arbitrary<Both> =>
  items.map((list) => ({
    theirs: list.map(({ theirs }) => theirs),
    ours: list.map(({ ours }) => ours),
  }));

/** Any value of an interface struct, by type name. */
export function structOf(idl: Idl, typeName: string): fc.Arbitrary<Both> {
  const definition = idl.types?.find(({ name }) => name === typeName);
  if (definition?.type.kind !== 'struct') throw new Error(`${typeName} is no struct`);
  const fields: Record<string, fc.Arbitrary<Both>> = {};
  for (const field of definition.type.fields ?? []) {
    if (typeof field === 'string' || !('name' in field))
      throw new Error(`${typeName} has fields without names`);
    const name = camel(field.name);
    fields[name] = arbitraryOf(idl, field.type, field.name);
  }
  return fc.record(fields).map((values) => ({
    theirs: Object.fromEntries(Object.entries(values).map(([k, { theirs }]) => [k, theirs])),
    ours: Object.fromEntries(Object.entries(values).map(([k, { ours }]) => [k, ours])),
  }));
}

export interface Encoded {
  readonly instruction: ResolvedInstruction;
  /** Arguments by our names. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Addresses by our role names, without absent ones. */
  readonly accounts: Readonly<Record<string, string>>;
  readonly rest: readonly string[];
}

/** Addresses derived by the program but not by its interface, by interface name. */
export type Derived = (addressOf: (role: string) => PublicKey) => Readonly<Record<string, PublicKey>>;

const offline = new anchor.AnchorProvider(
  new anchor.web3.Connection('http://127.0.0.1:1'),
  new anchor.Wallet(anchor.web3.Keypair.generate()),
);

/** Any instance of an instruction, with data and accounts encoded by Anchor from the public interface. */
export function arbitraryInstruction(
  idl: Idl,
  name: string,
  options: {
    readonly derive?: Derived;
    /** The number of accounts after the named ones, by our arguments. */
    readonly following?: (args: Readonly<Record<string, unknown>>) => number;
  } = {},
): fc.Arbitrary<() => Promise<Encoded>> {
  const program = new anchor.Program(idl, offline);
  const given = idl.instructions.find((each) => each.name === name);
  if (given === undefined) throw new Error(`no instruction ${name}`);
  const args = fc.tuple(...given.args.map((arg) => arbitraryOf(idl, arg.type, arg.name)));
  const open = given.accounts.filter((account) => 'signer' in account || !('accounts' in account));
  return fc
    .record({
      args,
      accounts: fc.uniqueArray(someAddress, { minLength: open.length, maxLength: open.length }),
      present: fc.array(fc.boolean(), { minLength: open.length, maxLength: open.length }),
      others: fc.uniqueArray(someAddress, { minLength: 8, maxLength: 8 }),
    })
    .map((made) => async () => {
      const roles: Record<string, PublicKey | null> = {};
      const optional = new Set<string>();
      for (const [index, account] of open.entries()) {
        if ('accounts' in account) throw new Error('nested accounts');
        const fixed = 'address' in account ? account.address : undefined;
        const tokenProgram = /token_.*program$|^token_program$/.test(account.name) && fixed === undefined;
        if (fixed !== undefined) roles[account.name] = new PublicKey(fixed);
        else if (tokenProgram) roles[account.name] = TOKEN_PROGRAMS[index % 2] ?? null;
        else if (account.name === 'program') roles[account.name] = new PublicKey(idl.address);
        else if (account.name === 'event_authority') roles[account.name] = eventAuthority(idl.address);
        else roles[account.name] = new PublicKey(made.accounts[index] ?? '');
        if ('optional' in account && account.optional) optional.add(account.name);
      }
      // Optional accounts are present or absent together, since some derive from others.
      if (made.present[0]) for (const role of optional) roles[role] = null;
      deriveAll(idl, name, roles, options.derive);

      const methods = program.methods[camel(name)];
      if (methods === undefined) throw new Error(`no method ${name}`);
      const ours = flattened(given, made.args);
      const rest = made.others.slice(0, options.following?.(ours) ?? 0);
      const built = await methods(...made.args.map(({ theirs }) => theirs))
        .accountsStrict(forAnchor(roles))
        .remainingAccounts(
          rest.map((address) => ({ pubkey: new PublicKey(address), isSigner: false, isWritable: false })),
        )
        .instruction();
      return {
        instruction: {
          index: 0,
          program: built.programId.toBase58(),
          accounts: built.keys.map(({ pubkey, isSigner, isWritable }) => ({
            address: pubkey.toBase58(),
            signer: isSigner,
            writable: isWritable,
          })),
          data: Uint8Array.from(built.data),
        },
        args: ours,
        accounts: Object.fromEntries(
          Object.entries(roles).flatMap(([role, address]) =>
            address === null ? [] : [[camel(role), address.toBase58()]],
          ),
        ),
        rest,
      };
    });
}

const TOKEN_PROGRAMS = [
  new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'),
];

const eventAuthority = (program: string): PublicKey =>
  PublicKey.findProgramAddressSync([Buffer.from('__event_authority')], new PublicKey(program))[0];

/** Adds the addresses derived by the interface's seeds and by the packages' code. */
function deriveAll(
  idl: Idl,
  name: string,
  roles: Record<string, PublicKey | null>,
  derive: Derived | undefined,
): void {
  const accounts = idl.instructions.find((each) => each.name === name)?.accounts ?? [];
  const inOrder = (): void => {
    for (const account of accounts) {
      if ('accounts' in account || account.pda === undefined || roles[account.name] === null) continue;
      const { seeds, program } = account.pda;
      const bytes = seeds.map((seed) => {
        if (seed.kind === 'const') return Buffer.from(seed.value);
        if (seed.kind !== 'account') throw new Error(`a seed of ${account.name} is an argument`);
        return roles[seed.path]?.toBuffer() ?? Buffer.alloc(0);
      });
      const under =
        program === undefined
          ? new PublicKey(idl.address)
          : program.kind === 'const'
            ? new PublicKey(Uint8Array.from(program.value))
            : undefined;
      if (under === undefined) throw new Error(`${account.name} is derived under an account`);
      roles[account.name] = PublicKey.findProgramAddressSync(bytes, under)[0];
    }
  };
  inOrder();
  Object.assign(
    roles,
    derive?.((role) => {
      const address = roles[role];
      if (address === undefined || address === null) throw new Error(`${name} has no ${role}`);
      return address;
    }),
  );
  // Some derive from those just added.
  inOrder();
}

/** Anchor uses null for an absent account, whatever its types say for unknown interfaces. */
const forAnchor = (roles: Readonly<Record<string, PublicKey | null>>) =>
  Object.fromEntries(Object.entries(roles).map(([role, address]) => [camel(role), address])) as Record<
    string,
    PublicKey
  >;

type Instruction = Idl['instructions'][number];

/** Returns our arguments; the fields of a single struct replace it. */
function flattened({ args }: Instruction, values: readonly Both[]): Readonly<Record<string, unknown>> {
  const out: Record<string, unknown> = {};
  for (const [index, arg] of args.entries()) {
    const ours = values[index]?.ours;
    if (typeof arg.type === 'object' && 'defined' in arg.type) Object.assign(out, ours);
    else out[camel(arg.name)] = ours;
  }
  return out;
}
