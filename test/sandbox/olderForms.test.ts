/** What the live service's own client still asks for does what its name says: the transactions land, the numbers grow. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contractScene, type Scene } from './contractScene.ts';
import { at, list, text } from './service/support.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await contractScene('bags');
});
afterAll(() => scene.close());

type Name = keyof Scene['calls'];
const ask = async (name: Name): Promise<unknown> => {
  const { body } = await scene.send(await scene.calls[name]());
  expect(body.success, JSON.stringify(body)).toBe(true);
  return body.response;
};
const lands = async (transaction: string) =>
  expect((await scene.caller.land(transaction, 'base58')).err).toBeNull();

it('C-OLDER-01 a config in the older form lands and is there afterwards', async () => {
  const call = await scene.calls.olderConfig();
  const { body } = await scene.send(call);
  expect(body.response).toMatchObject({ needsCreation: true });
  for (const each of list(body.response, 'transactions')) await lands(text(each, 'transaction'));
  const again = (await scene.send(call)).body.response;
  expect(again).toMatchObject({ needsCreation: false, transactions: [] });
});

it('C-STATS-01 C-STATS-02 C-STATS-03 a swap in the older form lands, pays the token its fees, and a claim in the older form is counted', async () => {
  const before = BigInt(String(await ask('tokenLifetimeFees')));
  const tokenMint = new URLSearchParams((await scene.calls.tokenLifetimeFees()).path.split('?')[1]).get(
    'tokenMint',
  );
  const quoted = await scene.calls.olderQuote();
  const path = quoted.path
    .replace(/outputMint=\w+/, `outputMint=${tokenMint}`)
    .replace('1000000', '5000000000');
  const quote = (await scene.send({ ...quoted, path })).body.response;
  const userPublicKey = scene.caller.sandbox.wallet.address;
  const built = await scene.send({
    method: 'POST',
    path: '/api/v1/trade/swap',
    body: { quoteResponse: quote, userPublicKey },
  });
  await lands(text(built.body.response, 'swapTransaction'));
  const after = BigInt(String(await ask('tokenLifetimeFees')));
  expect(after).toBeGreaterThan(before);
  const board = await ask('topTokens');
  const entry = Array.isArray(board) ? board.find((each) => at(each, 'token') === tokenMint) : undefined;
  expect(at(entry, 'lifetimeFees')).toBe(String(after));

  const claimed = async () => {
    const stats = await ask('claimStats');
    const own = Array.isArray(stats) ? stats.find((each) => at(each, 'wallet') === userPublicKey) : undefined;
    return BigInt(text(own, 'totalClaimed'));
  };
  const first = await claimed();
  const claims = await ask('olderClaimTxs');
  for (const claim of Array.isArray(claims) ? claims : []) await lands(text(claim, 'tx'));
  expect(await claimed()).toBeGreaterThan(first);
});

it('C-PARTNER-01 C-PARTNER-03 a partner is paid what waits for it', async () => {
  const stats = () => ask('partnerStats');
  expect(await stats()).toMatchObject({ claimedFees: expect.stringMatching(/^\d+$/) });
  for (const each of list(await ask('partnerClaimTxs'), 'transactions'))
    await lands(text(each, 'transaction'));
  expect((await scene.send(await scene.calls.partnerClaimTxs())).body).toMatchObject({
    error: 'Nothing to claim',
  });
});

it('C-ADMIN-01 C-ADMIN-02 C-ADMIN-03 the split and the manager of a config change', async () => {
  for (const each of list(await ask('adminUpdateTxs'), 'transactions'))
    await lands(text(each, 'transaction'));
  const before = list(await ask('adminTokens'), 'tokenMints');
  await lands(text(at(await ask('adminTransferTx'), 'transaction'), 'transaction'));
  const after = list(await ask('adminTokens'), 'tokenMints');
  expect(before.filter((mint) => !after.includes(mint))).toHaveLength(1);
});
