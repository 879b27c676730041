/** Life cycle of lookup tables as on a cluster: created, extended, active, used, deactivated, closed. */
import type { AddressesByLookupTableAddress } from '@solana/kit';
import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { fixedSigner, fundedSigner, SOL, signed, signedWithTables, transfer } from './actors.ts';
import { closeTable, createTable, deactivateTable, extendTable } from './tables.ts';

let chain: SandboxChain;
beforeEach(async () => {
  chain = await createChain({ clock: 'manual' });
});
afterEach(() => chain.close());

async function land(...args: Parameters<typeof signed>) {
  const outcome = chain.submit((await signed(...args)).bytes);
  return outcome.landed ? outcome.record.err : outcome.err;
}

async function tableOf(addresses: string[]) {
  const owner = await fundedSigner(chain);
  const { instruction, table } = createTable(owner.address, chain.slot - 1);
  const extend = extendTable(owner.address, table, addresses);
  expect(await land(0, owner, [instruction, extend], chain.latestBlockhash('processed'))).toBeNull();
  // Kit brands addresses, including this key.
  const byTable = { [table]: addresses } as unknown as AddressesByLookupTableAddress;
  return { owner, table, byTable };
}

test('a table may name any recent slot except the current one', async () => {
  const owner = await fundedSigner(chain);
  for (const [back, err] of [
    [1, null],
    [512, null],
    [0, { InstructionError: [0, 'InvalidInstructionData'] }],
    [513, { InstructionError: [0, 'InvalidInstructionData'] }],
  ] as const) {
    const { instruction } = createTable(owner.address, chain.slot - back);
    expect(
      await land(0, owner, [instruction], chain.latestBlockhash('processed')),
      `${back} slots back`,
    ).toEqual(err);
  }
});

test('addresses are usable one slot after they were added', async () => {
  const to = (await fixedSigner(7)).address;
  const { owner, byTable, table } = await tableOf([to]);
  const use = () =>
    signedWithTables(owner, [transfer(owner, to, SOL)], chain.latestBlockhash('processed'), byTable);

  expect(chain.submit((await use()).bytes)).toMatchObject({
    landed: false,
    err: 'InvalidAddressLookupTableIndex',
  });
  chain.advanceSlots(1);
  const { bytes, signature } = await use();
  expect(chain.simulate(bytes, { accounts: [to] }).accounts[0]?.lamports).toBe(SOL);
  expect(chain.submit(bytes)).toMatchObject({
    landed: true,
    record: {
      err: null,
      version: 0,
      loadedAddresses: { writable: [to], readonly: [] },
      postBalances: [expect.anything(), 1n, SOL],
    },
  });
  expect(chain.transactionsFor(to).map((record) => record.signature)).toEqual([signature]);
  expect(chain.getAccount(table)?.data).toHaveLength(56 + 32);
});

test('a table closes 513 slots after its deactivation and not before', async () => {
  const to = (await fixedSigner(7)).address;
  const { owner, table, byTable } = await tableOf([to]);
  chain.advanceSlots(1);
  const close = () => land(0, owner, [closeTable(owner.address, table)], chain.latestBlockhash('processed'));
  expect(await close(), 'still active').toEqual({ InstructionError: [0, 'InvalidArgument'] });

  const deactivate = deactivateTable(owner.address, table);
  expect(await land(0, owner, [deactivate], chain.latestBlockhash('processed'))).toBeNull();
  chain.advanceSlots(512);
  expect(await close(), 'one slot early').toEqual({ InstructionError: [0, 'InvalidArgument'] });
  chain.advanceSlots(1);
  expect(await close()).toBeNull();
  expect(chain.getAccount(table)).toBeNull();

  const late = await signedWithTables(
    owner,
    [transfer(owner, to, SOL)],
    chain.latestBlockhash('processed'),
    byTable,
  );
  expect(chain.submit(late.bytes)).toMatchObject({ landed: false, err: 'AddressLookupTableNotFound' });
});

test('more accounts than may be locked are refused, however few bytes they use', async () => {
  const addresses = await Promise.all(
    Array.from({ length: 63 }, async (_, i) => (await fixedSigner(100 + i)).address),
  );
  const { table } = await tableOf(addresses.slice(0, 25));
  // Kit cannot build such a transaction, so web3.js does.
  const payer = Keypair.fromSeed(new Uint8Array(32).fill(9));
  chain.airdrop(payer.publicKey.toBase58(), SOL);
  const lookup = new AddressLookupTableAccount({
    key: new PublicKey(table),
    state: AddressLookupTableAccount.deserialize(await fill(table, addresses)),
  });
  const touching = (count: number) => {
    const instruction = SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: payer.publicKey,
      lamports: 1,
    });
    for (const address of addresses.slice(0, count)) {
      instruction.keys.push({ pubkey: new PublicKey(address), isSigner: false, isWritable: false });
    }
    const { blockhash } = chain.latestBlockhash('processed');
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [instruction],
    }).compileToV0Message([lookup]);
    const transaction = new VersionedTransaction(message);
    transaction.sign([payer]);
    return chain.submit(transaction.serialize());
  };
  // Plus two: the payer and the program.
  expect(touching(62)).toMatchObject({ landed: true, record: { err: null } });
  expect(touching(63)).toMatchObject({ landed: false, err: 'TooManyAccountLocks' });
});

/** Writes active table addresses directly, without the runtime. Returns the table's data. */
async function fill(table: string, addresses: readonly string[]): Promise<Uint8Array> {
  const account = chain.getAccount(table);
  if (account === null) throw new Error('no table');
  chain.advanceSlots(1);
  const header = account.data.slice(0, 56);
  header[20] = 0;
  const data = Buffer.concat([header, ...addresses.map((address) => new PublicKey(address).toBytes())]);
  chain.setAccount(table, { ...account, data: new Uint8Array(data) });
  return new Uint8Array(data);
}
