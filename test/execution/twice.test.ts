/** Repeated plans and intents: signed and landed once. */
import { describe, expect, it } from 'vitest';
import { begin, FAST, landed, never, sending, useHomes } from './homes.ts';
import { configRequest, swapRequest } from './requests.ts';

const { start, beside } = useHomes();

describe('a plan submitted twice', () => {
  it('concurrently is signed and executed once', async () => {
    const home = await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    const [first, second] = await Promise.all([home.submit(id), home.submit(id)]);
    expect([first.status, second.status]).toEqual(['complete', 'complete']);
    expect(home.signatures).toBe(1);
    expect(landed(home)).toHaveLength(1);
  });

  it('after completion is reported and not signed again', async () => {
    const home = await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await home.submit(plan?.planId ?? '');
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
  });

  it('by another process finds the wallet busy (F43)', async () => {
    const home = await start(sending(() => never));
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await begin(home, plan?.planId);
    const other = beside(home, FAST);
    await expect(other.submit(plan?.planId ?? '')).rejects.toMatchObject({
      code: 'WALLET_BUSY',
      retryable: true,
    });
    expect(other.signatures).toBe(0);
  });
});

describe('an intent built again', () => {
  it('with a signature in flight returns the plan of that signature', async () => {
    const home = await start(sending(() => never));
    const request = await configRequest(home, 1);
    const { plan } = await home.build('feeShareConfig', request);
    await begin(home, plan?.planId);
    const again = await home.build('feeShareConfig', request);
    expect(again.plan?.planId).toBe(plan?.planId);
    expect(again.note).toMatch(/in flight/);
  });

  it('after completion names the plan it repeats', async () => {
    const home = await start();
    const first = await home.build('tradeSwap', await swapRequest(home));
    await home.submit(first.plan?.planId ?? '');
    const again = await home.build('tradeSwap', await swapRequest(home));
    expect(again.plan?.planId).not.toBe(first.plan?.planId);
    expect(again.plan?.repeats).toBe(first.plan?.planId);
  });

  it('of an existing config names who landed it', async () => {
    const home = await start();
    const request = await configRequest(home, 1);
    const first = await home.build('feeShareConfig', request);
    await home.submit(first.plan?.planId ?? '');
    expect(await home.build('feeShareConfig', request)).toEqual({
      plan: null,
      note: `The config exists; plan ${first.plan?.planId} of this home created it.`,
    });
  });
});
