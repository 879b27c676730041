/** The unmodified web3.js client works against the sandbox, given only the RPC URL. */
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, onTestFinished, test } from 'vitest';
import { fundedSigner, signed } from '../chain/actors.ts';
import { createTable, extendTable } from '../chain/tables.ts';
import { confirmEverything, serve } from './served.ts';

async function connected() {
  const { chain, server } = await serve();
  confirmEverything(chain);
  const connection = new Connection(server.rpcUrl, 'confirmed');
  // Its client reconnects for ever, and prints, once its server has closed.
  onTestFinished(() => {
    const socket = Reflect.get(connection, '_rpcWebSocket');
    socket.setAutoReconnect(false);
    socket.close();
  });
  const payer = Keypair.generate();
  const airdrop = await connection.requestAirdrop(payer.publicKey, 5 * LAMPORTS_PER_SOL);
  const latest = await connection.getLatestBlockhash();
  await connection.confirmTransaction({ signature: airdrop, ...latest });
  return { chain, connection, payer };
}

test('sends and confirms a legacy transaction', async () => {
  const { connection, payer } = await connected();
  const to = Keypair.generate().publicKey;
  const transfer = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: to,
    lamports: LAMPORTS_PER_SOL,
  });
  const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [payer]);
  expect(await connection.getBalance(to)).toBe(LAMPORTS_PER_SOL);
  const status = await connection.getSignatureStatus(signature, { searchTransactionHistory: true });
  expect(status.value).toMatchObject({ err: null, confirmationStatus: 'confirmed', confirmations: 1 });
  const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(landed?.meta).toMatchObject({ err: null, fee: 5000 });
  expect(landed?.transaction.message.version).toBe('legacy');
  const history = await connection.getSignaturesForAddress(payer.publicKey);
  expect(history[0]?.signature).toBe(signature);
});

test('sends a versioned transaction through a lookup table', async () => {
  const { chain, connection, payer } = await connected();
  const owner = await fundedSigner(chain);
  const to = Keypair.generate().publicKey;
  const { instruction, table } = createTable(owner.address, chain.slot - 1);
  const setup = await signed(
    0,
    owner,
    [instruction, extendTable(owner.address, table, [to.toBase58()])],
    chain.latestBlockhash('processed'),
  );
  chain.submit(setup.bytes);
  chain.advanceSlots(2);
  const { value: lookup } = await connection.getAddressLookupTable(new PublicKey(table));
  if (lookup === null) throw new Error('no table');
  const latest = await connection.getLatestBlockhash();
  const transaction = new VersionedTransaction(
    new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: latest.blockhash,
      instructions: [
        SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: LAMPORTS_PER_SOL }),
      ],
    }).compileToV0Message([lookup]),
  );
  transaction.sign([payer]);
  const signature = await connection.sendTransaction(transaction);
  const { value } = await connection.confirmTransaction({ signature, ...latest });
  expect(value.err).toBeNull();
  expect(await connection.getBalance(to)).toBe(LAMPORTS_PER_SOL);
  const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(landed?.meta?.loadedAddresses?.writable.map(String)).toEqual([to.toBase58()]);
});

test('receives the logs of a transaction that fails preflight', async () => {
  const { connection, payer } = await connected();
  const transfer = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: payer.publicKey,
    lamports: 99 * LAMPORTS_PER_SOL,
  });
  const failure = await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [payer]).catch(
    (error) => error,
  );
  expect(failure).toBeInstanceOf(SendTransactionError);
  expect(failure.logs).toContainEqual(
    expect.stringMatching(/^Transfer: insufficient lamports \d+, need 99000000000$/),
  );
});

test('returns accounts, rent and the epoch in accepted shapes', async () => {
  const { connection, payer } = await connected();
  expect(await connection.getMinimumBalanceForRentExemption(165)).toBeGreaterThan(0);
  expect((await connection.getEpochInfo()).slotsInEpoch).toBe(432_000);
  const info = await connection.getAccountInfo(payer.publicKey);
  expect(info?.owner.equals(SystemProgram.programId)).toBe(true);
  const wsol = new PublicKey('So11111111111111111111111111111111111111112');
  const { value } = await connection.getTokenAccountsByOwner(payer.publicKey, { mint: wsol });
  expect(value).toEqual([]);
});
