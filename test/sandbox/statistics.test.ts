/** Statistics about tokens, claimers, partners and managers match the chain. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contractScene, type Scene } from './contractScene.ts';
import { at, list, text } from './service/support.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await contractScene('contract');
});
afterAll(() => scene.close());

type Name = keyof Scene['calls'];
const ask = async (name: Name): Promise<unknown> => {
  const { body } = await scene.send(await scene.calls[name]());
  expect(body.success, JSON.stringify(body)).toBe(true);
  return body.response;
};
const lands = async (transaction: string) => expect((await scene.caller.land(transaction)).err).toBeNull();
const tokenOf = async (name: Name) =>
  String(new URLSearchParams((await scene.calls[name]()).path.split('?')[1]).get('tokenMint'));

it('C-STATS-01 C-STATS-02 C-STATS-03 a swap adds to the fees of its token, and a claim to the claims of its wallet', async () => {
  const tokenMint = await tokenOf('tokenLifetimeFees');
  const wallet = scene.caller.sandbox.wallet.address;
  const before = BigInt(String(await ask('tokenLifetimeFees')));
  const quoted = await scene.calls.tradeQuote();
  const path = quoted.path
    .replace(/outputMint=\w+/, `outputMint=${tokenMint}`)
    .replace('1000000', '5000000000');
  const requestId = text((await scene.send({ ...quoted, path })).body.response, 'requestId');
  const swap = await scene.calls.tradeSwap();
  const built = await scene.send({ ...swap, body: { requestId, userPublicKey: wallet } });
  await lands(text(built.body.response, 'swapTransaction'));
  const after = BigInt(String(await ask('tokenLifetimeFees')));
  expect(after).toBeGreaterThan(before);
  const board = await ask('topTokens');
  const entry = Array.isArray(board) ? board.find((each) => at(each, 'token') === tokenMint) : undefined;
  expect(at(entry, 'lifetimeFees')).toBe(String(after));

  const claimed = async () => {
    const stats = await ask('claimStats');
    const own = Array.isArray(stats) ? stats.find((each) => at(each, 'wallet') === wallet) : undefined;
    return BigInt(text(own, 'totalClaimed'));
  };
  const first = await claimed();
  await scene.caller.landAll(await ask('claimTxs'));
  expect(await claimed()).toBeGreaterThan(first);
});

it('C-ADMIN-01 a manager is listed with the tokens of its configs', async () => {
  expect(list(await ask('adminTokens'), 'tokenMints')).toContain(await tokenOf('launchCreators'));
});
