import { afterEach, describe, expect, it } from 'vitest';
import { Home, type HomeOptions } from './home.ts';
import { configRequest, swapRequest } from './requests.ts';

let home: Home;
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});
const start = async (options?: HomeOptions) => {
  home = await Home.withoutMarket(options);
};

describe('a fee share config', () => {
  it('C-AUTH-04 is previewed without a signature, lands with all of them, is read back, and settles', async () => {
    await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 3));
    expect(plan).toMatchObject({ operation: 'config', status: 'ready', decision: { effect: 'allow' } });
    expect(home.signatures).toBe(0);
    expect(home.sends).toEqual([]);

    const done = await home.submit(plan?.planId ?? '');
    expect(done).toMatchObject({ status: 'complete', decision: { effect: 'allow' } });
    for (const stage of done.stages) {
      expect(stage.status).toMatch(/confirmed|finalized/);
      expect(home.sandbox.chain.status(stage.signature ?? '')?.err).toBeNull();
      expect(stage.missingSigners).toEqual([]);
    }
    await home.plans.idle();
    expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
    expect((await home.plans.get(done.planId)).stages.every(({ status }) => status === 'finalized')).toBe(
      true,
    );
  });
});

describe('a swap', () => {
  it('of a quote fetched here executes and brings the tokens', async () => {
    await start();
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    expect(plan).toMatchObject({ operation: 'swap', status: 'ready' });
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  });
});
