/** Configs of the two oldest endpoints: landed, and read from accounts by the public interfaces. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyring } from '../../../../src/sandbox/service/keys.ts';
import { at, text } from '../support.ts';
import { ChainCaller, derived, WSOL } from './scene.ts';

const SPLIT = 'FEEhPbKVKnco9EXnaY3i4R5rQVUx91wgVfu8qokixywi';
const [one, other] = ['one', 'other'].map((name) => createKeyring('legacy').get(name).address);
if (one === undefined || other === undefined) throw new Error('no keys');

let caller: ChainCaller;
beforeAll(async () => {
  caller = await ChainCaller.start();
});
afterAll(() => caller.close());

test('one wallet earns from the terms of a curve by itself, made once', async () => {
  const ask = () => caller.ok(caller.post('/token-launch/create-config', { launchWallet: caller.wallet }));
  const answer = await ask();
  expect((await caller.land(text(answer, 'tx'))).err).toBeNull();
  expect(caller.decoded(text(answer, 'configKey'), 'PoolConfig')).toMatchObject({
    fee_claimer: caller.wallet,
    quote_mint: WSOL,
  });
  expect(await ask()).toEqual({ tx: null, configKey: text(answer, 'configKey') });
});

test.each([
  [one, other],
  [other, one],
])(
  'two wallets share by the retired program, in whichever order they are named',
  async (walletA, walletB) => {
    const baseMint = await caller.token();
    const body = { walletA, walletB, walletABps: 3_000, walletBBps: 7_000, payer: caller.wallet, baseMint };
    const answer = await caller.ok(
      caller.post('/token-launch/fee-share/create-config', { ...body, quoteMint: WSOL }),
    );
    const { err, logs } = await caller.land(text(answer, 'tx'));
    expect(err, logs.join('\n')).toBeNull();
    const earner = text(caller.decoded(text(answer, 'configKey'), 'PoolConfig'), 'fee_claimer');
    const shares = caller.decoded(earner, 'FeeAuthority');
    const first = at(shares, 'claimer_a') === walletA;
    expect(shares).toMatchObject({
      claimer_a: first ? walletA : walletB,
      claimer_b: first ? walletB : walletA,
      claimer_a_bps: first ? 3_000 : 7_000,
      claimer_b_bps: first ? 7_000 : 3_000,
      mint: baseMint,
    });
    for (const wallet of [walletA, walletB]) {
      expect(caller.decoded(derived(SPLIT, 'vault', wallet, baseMint), 'Vault')).toMatchObject({
        authority: earner,
        claimer: wallet,
      });
    }
  },
);
