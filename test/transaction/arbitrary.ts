/**
 * Generated transactions: fast-check arbitraries for instructions of every kind and for whole transactions in all three
 * formats, compiled by Solana Kit as an independent encoder. `sampleTransactions(seed, count)` returns the same ones
 * for the same seed.
 */
import {
  AccountRole,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction as KitInstruction,
  address as kitAddress,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { type Layout, writeLayout } from '../../src/programs/layout.ts';
import { AUTHORITY_TYPES } from '../../src/programs/token/instructions.ts';
import { ACCOUNT_STATES } from '../../src/programs/token2022/instructions.ts';
import * as codecs from '../../src/transaction/codecs.ts';
import type {
  Address,
  LookupTableContent,
  TransactionConfig,
  TransactionFormat,
} from '../../src/transaction/types.ts';
import fc from '../fc.ts';
import type { InstructionKind } from '../programs/stock.ts';
import { INSTRUCTION_KINDS, LAYOUTS } from '../programs/stock.ts';
import { testAddress, testKey } from './keys.ts';

/** Possible signers of generated transactions; the first always pays. */
export const SIGNERS = ['payer', 'co-signer 1', 'co-signer 2', 'co-signer 3'].map(testKey);
const OTHERS = Array.from({ length: 24 }, (_, i) => testAddress(`other ${i}`));
const PROGRAMS = Array.from({ length: 6 }, (_, i) => testAddress(`program ${i}`));
const TABLES: readonly LookupTableContent[] = [0, 1].map((n) => ({
  table: testAddress(`table ${n}`),
  // Each table holds half of the other addresses, between unused entries.
  addresses: OTHERS.filter((_, i) => i % 2 === n).flatMap((other, i) => [
    testAddress(`filler ${n} ${i}`),
    other,
  ]),
}));

export const arbitraryAddress: fc.Arbitrary<Address> = fc.constantFrom(...OTHERS);
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const maybeAddress = fc.option(arbitraryAddress);
const u64 = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn });
const u16 = fc.nat(0xffff);

const byCodec = new Map<codecs.Codec<unknown>, fc.Arbitrary<unknown>>([
  [codecs.u8, fc.nat(0xff)],
  [codecs.u16, u16],
  [codecs.u32, fc.nat(0xffffffff)],
  [codecs.u64, u64],
  [codecs.i16, fc.integer({ min: -0x8000, max: 0x7fff })],
  [codecs.bool, fc.boolean()],
  [codecs.address, arbitraryAddress],
  [codecs.lastOptionalAddress, maybeAddress],
  [codecs.nonZeroAddress, maybeAddress],
  [codecs.lastText, text],
  [codecs.text32, text],
  [codecs.text64, text],
]);
/** Arguments with a codec of their own. */
const byName = new Map<string, fc.Arbitrary<unknown>>([
  ['authorityType', fc.constantFrom(...AUTHORITY_TYPES)],
  ['state', fc.constantFrom(...ACCOUNT_STATES)],
  ['configAuthority', maybeAddress],
  ['withdrawWithheldAuthority', maybeAddress],
  ['extensions', fc.array(u16, { maxLength: 4 })],
  ['addresses', fc.array(arbitraryAddress, { maxLength: 6 })],
  ['start', fc.option(u64)],
  ['end', fc.option(u64)],
  [
    'field',
    fc.oneof(
      fc.record({ field: fc.constantFrom('name', 'symbol', 'uri') }, { noNullPrototype: true }),
      fc.record({ key: text }, { noNullPrototype: true }),
    ),
  ],
]);

/** The input and result of `encodeInstruction`. */
export interface GeneratedInstruction {
  readonly kind: InstructionKind;
  readonly program: Address;
  readonly accounts: Readonly<Record<string, Address>>;
  readonly rest: readonly Address[];
  readonly args: Readonly<Record<string, unknown>>;
  readonly encoded: EncodedInstruction;
}

/** An instruction of one kind with arbitrary arguments and accounts. */
export function arbitraryInstruction(kind: InstructionKind): fc.Arbitrary<GeneratedInstruction> {
  const layout: Layout | undefined = LAYOUTS.find((each) => each.kind === kind);
  if (layout === undefined) throw new TypeError(`no layout for ${kind}`);
  const args = Object.fromEntries(
    layout.fields.map(([name, codec]) => {
      const arbitrary = byCodec.get(codec) ?? byName.get(name);
      if (arbitrary === undefined) throw new TypeError(`no arbitrary for ${kind} ${name}`);
      return [name, arbitrary];
    }),
  );
  const required = layout.roles.filter((role) => !role.optional).length;
  const signers = SIGNERS.map((key) => key.address);
  return fc
    .record({
      program: fc.constantFrom(...layout.programs),
      args: fc.record(args, { noNullPrototype: true }),
      roleCount: fc.integer({ min: required, max: layout.roles.length }),
      given: fc.array(fc.nat(1000), { minLength: layout.roles.length, maxLength: layout.roles.length }),
      rest:
        layout.rest === undefined ? fc.constant([]) : fc.array(fc.constantFrom(...signers), { maxLength: 3 }),
    })
    .map(({ program, args, roleCount, given, rest: extra }) => {
      const accounts = Object.fromEntries(
        layout.roles.slice(0, roleCount).map((role, i) => {
          const pool = role.flags.toLowerCase().includes('signer') ? signers : OTHERS;
          return [role.name, pool[(given[i] ?? 0) % pool.length] ?? ''];
        }),
      );
      const rest = roleCount < layout.roles.length ? [] : extra;
      return {
        kind,
        program,
        accounts,
        rest,
        args,
        encoded: writeLayout(layout, { program, accounts, rest, args }),
      };
    });
}

/** An instruction of any kind. */
export const anyInstruction: fc.Arbitrary<GeneratedInstruction> = fc.oneof(
  ...INSTRUCTION_KINDS.map(arbitraryInstruction),
);

/** An instruction without a layout. */
const opaqueInstruction: fc.Arbitrary<EncodedInstruction> = fc.record(
  {
    programAddress: fc.constantFrom(...PROGRAMS),
    accounts: fc.array(
      fc.oneof(
        fc.record({ address: arbitraryAddress, signer: fc.constant(false), writable: fc.boolean() }),
        fc.record({
          address: fc.constantFrom(...SIGNERS.map((key) => key.address)),
          signer: fc.boolean(),
          writable: fc.boolean(),
        }),
      ),
      { maxLength: 12 },
    ),
    data: fc.uint8Array({ maxLength: 150 }),
  },
  { noNullPrototype: true },
);

/** A transaction before compilation. */
export interface TransactionSpec {
  readonly format: TransactionFormat;
  readonly feePayer: Address;
  readonly blockhash: string;
  readonly instructions: readonly EncodedInstruction[];
  /** Tables a v0 message may use. */
  readonly tables: readonly LookupTableContent[];
  /** v1 only. */
  readonly config?: TransactionConfig;
  /** The content of signer slots, by position; `garbage` is 64 bytes of an invalid signature. */
  readonly slots: readonly ('empty' | 'signed' | 'garbage')[];
}

const config: fc.Arbitrary<TransactionConfig> = fc.record(
  {
    priorityFeeLamports: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    computeUnitLimit: fc.nat(1_400_000),
    loadedAccountsDataSizeLimit: fc.nat(0xffffffff),
    heapSize: fc.integer({ min: 32, max: 256 }).map((kib) => kib * 1024),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** A transaction of one format: known and opaque instructions, lookup tables for v0, a config for v1. */
export function arbitrarySpec(format: TransactionFormat): fc.Arbitrary<TransactionSpec> {
  return fc.record(
    {
      format: fc.constant(format),
      feePayer: fc.constant(SIGNERS[0]?.address ?? ''),
      blockhash: arbitraryAddress,
      instructions: fc.array(
        fc.oneof(
          opaqueInstruction,
          anyInstruction.map((known) => known.encoded),
        ),
        { maxLength: 5 },
      ),
      tables: format === 'v0' ? fc.subarray([...TABLES]) : fc.constant([]),
      config: format === 'v1' ? config : fc.constant(undefined),
      slots: fc.array(fc.constantFrom('empty', 'signed', 'garbage'), { minLength: 4, maxLength: 4 }),
    },
    { noNullPrototype: true },
  );
}

/** A transaction of any format. */
export const anySpec: fc.Arbitrary<TransactionSpec> = fc.oneof(
  arbitrarySpec('legacy'),
  arbitrarySpec('v0'),
  arbitrarySpec('v1'),
);

function toKit(instruction: EncodedInstruction): KitInstruction {
  return {
    programAddress: kitAddress(instruction.programAddress),
    accounts: instruction.accounts.map(({ address, signer, writable }) => ({
      address: kitAddress(address),
      role: signer
        ? writable
          ? AccountRole.WRITABLE_SIGNER
          : AccountRole.READONLY_SIGNER
        : writable
          ? AccountRole.WRITABLE
          : AccountRole.READONLY,
    })),
    data: instruction.data,
  };
}

/** Compiles with Solana Kit and fills the slots. The result may exceed the size limit of a transaction. */
export function compile(spec: TransactionSpec): Uint8Array {
  const feePayer = kitAddress(spec.feePayer);
  const instructions = spec.instructions.map(toKit);
  const lifetime = { blockhash: spec.blockhash as Blockhash, lastValidBlockHeight: 0n }; // Kit's nominal type
  const transaction =
    spec.format === 'v1'
      ? pipe(
          createTransactionMessage({ version: 1 }),
          (m) => setTransactionMessageFeePayer(feePayer, m),
          (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
          (m) => appendTransactionMessageInstructions(instructions, m),
          (m) => setTransactionMessageConfig(spec.config ?? {}, m),
          compileTransaction,
        )
      : spec.format === 'v0'
        ? pipe(
            createTransactionMessage({ version: 0 }),
            (m) => setTransactionMessageFeePayer(feePayer, m),
            (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
            (m) => appendTransactionMessageInstructions(instructions, m),
            (m) =>
              compressTransactionMessageUsingAddressLookupTables(
                m,
                Object.fromEntries(spec.tables.map((t) => [t.table, t.addresses.map((a) => kitAddress(a))])),
              ),
            compileTransaction,
          )
        : pipe(
            createTransactionMessage({ version: 'legacy' }),
            (m) => setTransactionMessageFeePayer(feePayer, m),
            (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
            (m) => appendTransactionMessageInstructions(instructions, m),
            compileTransaction,
          );
  const message = Uint8Array.from(transaction.messageBytes);
  const signatures = Object.keys(transaction.signatures).map((signer, slot) => {
    const filled = spec.slots[slot] ?? 'empty';
    if (filled === 'garbage') return [signer, new Uint8Array(64).fill(7)];
    if (filled === 'empty') return [signer, null];
    return [signer, SIGNERS.find((key) => key.address === signer)?.sign(message) ?? null];
  });
  const signed = { ...transaction, signatures: Object.fromEntries(signatures) };
  return Uint8Array.from(getTransactionEncoder().encode(signed));
}

/** Returns the same specs and bytes for the same seed. */
export function sampleTransactions(
  seed: number,
  count: number,
): { spec: TransactionSpec; bytes: Uint8Array }[] {
  return fc.sample(anySpec, { seed, numRuns: count }).map((spec) => ({ spec, bytes: compile(spec) }));
}
