/** The unmodified kit client works against the sandbox: every format, tables, airdrops, expiry. */
import {
  address,
  airdropFactory,
  assertIsSendableTransaction,
  assertIsTransactionWithBlockhashLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  devnet,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  sendAndConfirmTransactionFactory,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { fixedSigner, message, messageWithTables, SOL, transfer, type Version } from '../chain/actors.ts';
import { createTable, extendTable } from '../chain/tables.ts';
import { confirmEverything, type Served, serve } from './served.ts';

type SignableMessage = Parameters<typeof signTransactionMessageWithSigners>[0];

function clientOf({ server }: Served) {
  const rpc = createSolanaRpc(devnet(server.rpcUrl));
  const rpcSubscriptions = createSolanaRpcSubscriptions(devnet(server.wsUrl));
  const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
  const airdrop = airdropFactory({ rpc, rpcSubscriptions });
  const funded = async () => {
    const signer = await generateKeyPairSigner();
    await airdrop({
      recipientAddress: signer.address,
      lamports: lamports(10n * SOL),
      commitment: 'confirmed',
    });
    return signer;
  };
  const confirm = async (message: SignableMessage) => {
    const transaction = await signTransactionMessageWithSigners(message);
    assertIsSendableTransaction(transaction);
    assertIsTransactionWithBlockhashLifetime(transaction);
    await sendAndConfirm(transaction, { commitment: 'confirmed' });
    return getSignatureFromTransaction(transaction);
  };
  const latest = async () => (await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()).value;
  const land = async (version: Version, payer: KeyPairSigner, instructions: readonly Instruction[]) =>
    confirm(message(version, payer, instructions, await latest()));
  return { rpc, rpcSubscriptions, sendAndConfirm, funded, land, confirm, latest };
}

test.each(['legacy', 0, 1] as const)('sends and confirms a transaction of version %s', async (version) => {
  const served = await serve();
  confirmEverything(served.chain);
  const { rpc, funded, land } = clientOf(served);
  const payer = await funded();
  const to = (await fixedSigner(7)).address;

  const signature = await land(version, payer, [transfer(payer, to, SOL)]);

  expect((await rpc.getBalance(to, { commitment: 'confirmed' }).send()).value).toBe(SOL);
  const landed = await rpc
    .getTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 1,
      encoding: 'json',
    })
    .send();
  expect(landed).toMatchObject({ version, meta: { err: null, fee: 5000n } });
  expect(landed?.transaction.message.accountKeys).toEqual([
    payer.address,
    to,
    '11111111111111111111111111111111',
  ]);
  expect(landed?.meta?.postBalances).toEqual([9n * SOL - 5000n, SOL, 1n]);
});

test('creates, extends and uses a lookup table', async () => {
  const served = await serve();
  confirmEverything(served.chain);
  const { rpc, funded, land, confirm, latest } = clientOf(served);
  const payer = await funded();
  const to = (await fixedSigner(7)).address;
  const recentSlot = Number(await rpc.getSlot({ commitment: 'finalized' }).send());
  const { instruction, table } = createTable(payer.address, recentSlot);
  await land(0, payer, [instruction]);
  await land(0, payer, [extendTable(payer.address, table, [to])]);

  const tables = { [address(table)]: [address(to)] };
  // A view at the extension's slot does not load from it yet.
  served.chain.advanceSlots(1);
  const signature = await confirm(
    messageWithTables(payer, [transfer(payer, to, SOL)], await latest(), tables),
  );

  const landed = await rpc
    .getTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 0,
      encoding: 'json',
    })
    .send();
  expect(landed?.meta?.loadedAddresses).toEqual({ writable: [to], readonly: [] });
  expect((await rpc.getBalance(to, { commitment: 'confirmed' }).send()).value).toBe(SOL);
});

test('reports why a transaction fails before it is sent', async () => {
  const served = await serve();
  confirmEverything(served.chain);
  const { funded, land } = clientOf(served);
  const payer = await funded();
  const failure = await land(0, payer, [transfer(payer, (await fixedSigner(7)).address, 99n * SOL)]).catch(
    (e) => e,
  );
  expect(
    isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
  ).toBe(true);
  expect(failure.context.logs).toContainEqual(
    expect.stringMatching(/^Transfer: insufficient lamports \d+, need 99000000000$/),
  );
  expect(failure.cause.message).toMatch(/Custom|custom/);
});

test('gives up on a dropped transaction once its blockhash has expired', async () => {
  const served = await serve();
  const { chain, server } = served;
  const { rpc, sendAndConfirm } = clientOf(served);
  const payer = await generateKeyPairSigner();
  chain.airdrop(payer.address, SOL);
  chain.advanceSlots(1);
  const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const transaction = await signTransactionMessageWithSigners(
    message(0, payer, [transfer(payer, payer.address, 1n)], value),
  );
  assertIsSendableTransaction(transaction);
  assertIsTransactionWithBlockhashLifetime(transaction);
  server.faults.arm('drop_send');
  const sent = sendAndConfirm(transaction, { commitment: 'confirmed' }).catch((error) => error);
  const moving = setInterval(() => chain.advanceSlots(10), 5);
  const failure = await sent;
  clearInterval(moving);
  expect(isSolanaError(failure, SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED)).toBe(true);
  expect(chain.status(getSignatureFromTransaction(transaction))).toBeUndefined();
});

test('keeps lamports above 2^53 exact in both directions', async () => {
  const served = await serve();
  const { rpc } = clientOf(served);
  const rich = (await fixedSigner(9)).address;
  const exact = 2n ** 63n + 12_345n;
  served.chain.setAccount(rich, {
    lamports: exact,
    owner: '11111111111111111111111111111111',
    data: new Uint8Array(),
    executable: false,
  });
  expect((await rpc.getBalance(rich, { commitment: 'processed' }).send()).value).toBe(exact);
  const { value } = await rpc.getAccountInfo(rich, { commitment: 'processed', encoding: 'base64' }).send();
  expect(value?.lamports).toBe(exact);
  const to = (await fixedSigner(8)).address;
  const drop = 2n ** 54n + 1n;
  // Kit refuses to encode such a number.
  await served.call('requestAirdrop', to, drop);
  expect((await rpc.getBalance(to, { commitment: 'processed' }).send()).value).toBe(drop);
});
