/** Instructions appended to recorded router transactions, decoded by web3.js: the existing ones are unchanged. */
import {
  AddressLookupTableAccount,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { accountList } from '../../src/transaction/accounts.ts';
import { appendInstructions } from '../../src/transaction/append.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { encodeTransaction, readTransaction } from '../../src/transaction/read.ts';
import type { DecodedTransaction, LookupTableContent } from '../../src/transaction/types.ts';
import { recordings } from '../reality/corpus.ts';
import { testAddress } from './keys.ts';

const JUPITER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';

interface Swap {
  readonly transaction: DecodedTransaction;
  readonly tables: readonly LookupTableContent[];
}

/** Recorded router swaps with the wallet as only signer, unsigned. Unrecorded table entries are made up. */
const swaps = recordings('test/reality/recorded.jsonl.br').flatMap(({ wire, tables = [] }): Swap[] => {
  try {
    const read = readTransaction(Buffer.from(wire, 'base64'));
    if (read.numRequiredSignatures !== 1 || !read.staticAccounts.includes(JUPITER)) return [];
    const known = new Map(tables.map(({ address, entries }) => [address, entries]));
    const contents = read.lookups.map(({ table }) => ({
      table,
      addresses: Array.from({ length: 256 }, (_, i) => known.get(table)?.[i] ?? testAddress(`${table} ${i}`)),
    }));
    const transaction = readTransaction(encodeTransaction({ ...read, signatures: [null] }));
    return [{ transaction, tables: contents }];
  } catch (error) {
    if (error instanceof TransactionError) return [];
    throw error;
  }
});

/** The instructions with their accounts, as decoded by web3.js. */
function byWeb3(bytes: Uint8Array, tables: readonly LookupTableContent[]) {
  const { message } = VersionedTransaction.deserialize(bytes);
  const addressLookupTableAccounts = tables.map(
    ({ table, addresses }) =>
      new AddressLookupTableAccount({
        key: new PublicKey(table),
        state: {
          deactivationSlot: 2n ** 64n - 1n,
          lastExtendedSlot: 0,
          lastExtendedSlotStartIndex: 0,
          addresses: addresses.map((each) => new PublicKey(each)),
        },
      }),
  );
  const { payerKey, instructions, recentBlockhash } = TransactionMessage.decompile(message, {
    addressLookupTableAccounts,
  });
  return {
    payer: payerKey.toBase58(),
    recentBlockhash,
    instructions: instructions.map(({ programId, keys, data }) => ({
      program: programId.toBase58(),
      keys: keys.map(({ pubkey, isSigner, isWritable }) => `${pubkey.toBase58()} ${isSigner} ${isWritable}`),
      data: Buffer.from(data).toString('hex'),
    })),
  };
}

/** Guards of the ownership and balance of a token account and of the wallet. */
const guards = (wallet: string, account: string) => [
  encodeInstruction('token.revoke', { accounts: { source: account, owner: wallet } }),
  encodeInstruction('token.setAuthority', {
    accounts: { owned: account, authority: wallet },
    args: { authorityType: 'closeAccount', newAuthority: null },
  }),
  encodeInstruction('token.transfer', {
    accounts: { source: account, destination: account, authority: wallet },
    args: { amount: 1n },
  }),
  encodeInstruction('system.transfer', { accounts: { from: wallet, to: wallet }, args: { lamports: 1n } }),
];

test('every recorded swap keeps its instructions, accounts and privileges, and appended ones come last', () => {
  let appended = 0;
  let withTables = 0;
  expect(swaps.length).toBeGreaterThanOrEqual(15);
  for (const { transaction, tables } of swaps) {
    const loaded = accountList(transaction, tables);
    const wallet = loaded[0]?.address ?? '';
    const account = loaded.find((each) => each.writable && !each.signer)?.address ?? '';
    const longer = appendInstructions(transaction, loaded, guards(wallet, account));
    if (longer === undefined) continue;
    appended += 1;
    if (transaction.lookups.length > 0) withTables += 1;
    const [before, after] = [byWeb3(transaction.bytes, tables), byWeb3(longer.bytes, tables)];
    expect({ ...after, instructions: after.instructions.slice(0, -4) }).toEqual(before);
    expect(after.instructions.slice(-4)).toEqual([
      { program: TOKEN_PROGRAM, keys: [`${account} false true`, `${wallet} true true`], data: '05' },
      { program: TOKEN_PROGRAM, keys: [`${account} false true`, `${wallet} true true`], data: '060300' },
      {
        program: TOKEN_PROGRAM,
        keys: [`${account} false true`, `${account} false true`, `${wallet} true true`],
        data: '030100000000000000',
      },
      {
        program: '11111111111111111111111111111111',
        keys: [`${wallet} true true`, `${wallet} true true`],
        data: '020000000100000000000000',
      },
    ]);
    expect(longer.bytes.length - transaction.bytes.length).toBeLessThanOrEqual(110);
  }
  expect(appended).toBe(swaps.length);
  expect(withTables).toBeGreaterThanOrEqual(15);
});

/** A swap with lookup tables. */
function sample() {
  const found = swaps.find(({ transaction }) => transaction.lookups.length > 0);
  if (found === undefined) throw new Error('no recorded swap names a table');
  const loaded = accountList(found.transaction, found.tables);
  return { ...found, loaded, wallet: loaded[0]?.address ?? '' };
}

const call = (program: string, address: string, writable = false, data = new Uint8Array(1)) => [
  { programAddress: program, accounts: [{ address, signer: false, writable }], data },
];

test("a program that only a table loads becomes static, and the table's other accounts stay in place", () => {
  const { transaction, tables, loaded, wallet } = sample();
  const inTable = loaded.findLast(({ table, writable }) => table !== undefined && !writable)?.address ?? '';
  const longer = appendInstructions(transaction, loaded, call(inTable, wallet));
  const after = byWeb3(longer?.bytes ?? new Uint8Array(), tables);
  expect(after.instructions.slice(0, -1)).toEqual(byWeb3(transaction.bytes, tables).instructions);
  expect(after.instructions.at(-1)?.program).toBe(inTable);
  expect(longer?.staticAccounts).toContain(inTable);
});

test('no account gains a privilege, nothing exceeds a packet, and signed transactions are unchanged', () => {
  const { transaction, loaded } = sample();
  const readOnly = loaded.find(({ writable }) => !writable)?.address ?? '';
  expect(appendInstructions(transaction, loaded, call(TOKEN_PROGRAM, readOnly, true))).toBeUndefined();
  expect(
    appendInstructions(transaction, loaded, call(TOKEN_PROGRAM, testAddress('new'), true)),
  ).toBeUndefined();
  const room = 1232 - transaction.bytes.length;
  const long = call(TOKEN_PROGRAM, readOnly, false, new Uint8Array(room));
  expect(appendInstructions(transaction, loaded, long)).toBeUndefined();
  const signed = { ...transaction, signatures: [new Uint8Array(64).fill(1)] };
  expect(() => appendInstructions(signed, loaded, call(TOKEN_PROGRAM, readOnly))).toThrow(TransactionError);
});
