import {
  AddressLookupTableAccount,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { accountList, resolveInstructions } from '../../src/transaction/accounts.ts';
import { encodeTransaction, type MessageParts, readTransaction } from '../../src/transaction/read.ts';
import type { LookupTableContent } from '../../src/transaction/types.ts';
import fc from '../fc.ts';
import { anySpec, arbitrarySpec, compile } from './arbitrary.ts';
import { testAddress } from './keys.ts';

const table = testAddress('table');
const other = testAddress('other table');
const entry = (n: number) => testAddress(`entry ${n}`);
const content: LookupTableContent = { table, addresses: [entry(0), entry(1), entry(2)] };
const otherContent: LookupTableContent = { table: other, addresses: [entry(10), entry(11)] };

function v0(lookups: MessageParts['lookups'], accountIndexes: number[] = []) {
  return readTransaction(
    encodeTransaction({
      format: 'v0',
      numRequiredSignatures: 2,
      numReadonlySigned: 1,
      numReadonlyUnsigned: 1,
      staticAccounts: [
        testAddress('payer'),
        testAddress('co'),
        testAddress('writable'),
        testAddress('program'),
      ],
      blockhash: testAddress('hash'),
      instructions: [{ programIndex: 3, accountIndexes, data: new Uint8Array() }],
      lookups,
      signatures: [null, null],
    }),
  );
}

describe('accounts of a message', () => {
  test("have the privileges of the header, then the tables' writable and then their read-only entries", () => {
    const tx = v0([
      { table, writableIndexes: [2], readonlyIndexes: [0] },
      { table: other, writableIndexes: [1], readonlyIndexes: [] },
    ]);
    expect(accountList(tx, [otherContent, content])).toEqual([
      { address: testAddress('payer'), signer: true, writable: true },
      { address: testAddress('co'), signer: true, writable: false },
      { address: testAddress('writable'), signer: false, writable: true },
      { address: testAddress('program'), signer: false, writable: false },
      { address: entry(2), signer: false, writable: true, table },
      { address: entry(11), signer: false, writable: true, table: other },
      { address: entry(0), signer: false, writable: false, table },
    ]);
  });

  test('are refused if a table or an entry is unknown (T36)', () => {
    const tx = v0([{ table, writableIndexes: [2], readonlyIndexes: [] }]);
    const unresolved = expect.objectContaining({ code: 'LOOKUP_TABLE_UNRESOLVED' });
    expect(() => accountList(tx, [])).toThrow(unresolved);
    expect(() => accountList(tx, [otherContent])).toThrow(unresolved);
    expect(() => resolveInstructions(tx, [{ table, addresses: [entry(0), entry(1)] }])).toThrow(unresolved);
    expect(accountList(tx, [content])).toHaveLength(5);
  });

  test('are refused if a table loads an account that is already present (T51)', () => {
    const tx = v0([{ table, writableIndexes: [0, 1], readonlyIndexes: [] }]);
    const twice = (addresses: string[]) => () => accountList(tx, [{ table, addresses }]);
    expect(twice([entry(0), testAddress('payer')])).toThrow('duplicate account');
    expect(twice([entry(0), entry(0)])).toThrow('duplicate account');
    expect(twice([entry(0), entry(1)])()).toHaveLength(6);
  });

  test("are passed to instructions in the instruction's order, repeats included", () => {
    const tx = v0([{ table, writableIndexes: [1], readonlyIndexes: [] }], [4, 0, 4]);
    const [instruction] = resolveInstructions(tx, [content]);
    expect(instruction).toMatchObject({ index: 0, program: testAddress('program') });
    expect(instruction?.accounts.map((account) => account.address)).toEqual([
      entry(1),
      testAddress('payer'),
      entry(1),
    ]);
  });
});

describe('any compiled message', () => {
  const fits = (bytes: Uint8Array, format: string) => bytes.length <= (format === 'v1' ? 4096 : 1232);

  test('resolves to the instructions it was compiled from', () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const bytes = compile(spec);
        if (!fits(bytes, spec.format)) return;
        const resolved = resolveInstructions(readTransaction(bytes), spec.tables);
        expect(
          resolved.map(({ program, accounts, data }) => [
            program,
            accounts.map((account) => account.address),
            data,
          ]),
        ).toEqual(
          spec.instructions.map((i) => [
            i.programAddress,
            i.accounts.map((account) => account.address),
            i.data,
          ]),
        );
        // Privileges apply to the whole message: never less than the instruction requested.
        resolved.forEach(({ accounts }, i) => {
          accounts.forEach((account, j) => {
            const expected = spec.instructions[i]?.accounts[j];
            expect(account.signer || !expected?.signer).toBe(true);
            expect(account.writable || !expected?.writable).toBe(true);
          });
        });
      }),
      { numRuns: 80, seed: 4 },
    );
  });

  test('has the signers and writable accounts web3.js finds', () => {
    fc.assert(
      fc.property(fc.oneof(arbitrarySpec('legacy'), arbitrarySpec('v0')), (spec) => {
        const bytes = compile(spec);
        if (!fits(bytes, spec.format)) return;
        const { message } = VersionedTransaction.deserialize(bytes);
        const tables = spec.tables.map(
          ({ table: key, addresses }) =>
            new AddressLookupTableAccount({
              key: new PublicKey(key),
              state: {
                deactivationSlot: 2n ** 64n - 1n,
                lastExtendedSlot: 0,
                lastExtendedSlotStartIndex: 0,
                addresses: addresses.map((text) => new PublicKey(text)),
              },
            }),
        );
        const keys = message.getAccountKeys({ addressLookupTableAccounts: tables });
        const ours = accountList(readTransaction(bytes), spec.tables);
        expect(ours.map(({ address, signer, writable }) => ({ address, signer, writable }))).toEqual(
          ours.map((_, i) => ({
            address: keys.get(i)?.toBase58(),
            signer: message.isAccountSigner(i),
            writable: message.isAccountWritable(i),
          })),
        );
        expect(keys.length).toBe(ours.length);
        expect(
          TransactionMessage.decompile(message, { addressLookupTableAccounts: tables }).instructions.length,
        ).toBe(spec.instructions.length);
      }),
      { numRuns: 60, seed: 5 },
    );
  });
});
