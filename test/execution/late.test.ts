/** F29: late plans are reported as expired, never as refused, and freeze nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { securityDenials } from '../ledger/samples.ts';
import { Home } from './home.ts';
import { configRequest, swapRequest } from './requests.ts';

let home: Home;
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});

/** More slots than a blockhash's lifetime. */
const LONG = 400;
const REFUSED = /UNEXPECTED_INSTRUCTION|does not allow|denied/i;

/** Returns all ledger rows of a plan. */
const stored = (planId: string) => home.ledger.planRows(planId, 200);

describe('expired swaps', () => {
  it('F29 are reported as expired and do not freeze signing, however many', async () => {
    let later = 0;
    home = await Home.withoutMarket({
      clock: (time) => ({
        ...time,
        now: () => time.now() + later,
        passed: () => (time.passed?.() ?? 0) + later,
      }),
    });
    const plans: string[] = [];
    for (let i = 1; i <= 7; i++) {
      const { plan } = await home.build('tradeSwap', await swapRequest(home, `${100_000_000 + i}`));
      plans.push(plan?.planId ?? '');
    }
    later = 61_000;
    for (const planId of plans) {
      const reviewed = await home.plans.review(planId);
      expect(reviewed).toMatchObject({
        status: 'expired',
        decision: { effect: 'deny', reasonCodes: ['LIFETIME_MISMATCH'] },
        next: expect.stringMatching(/new quote/),
      });
      const submitted = await home.submit(planId);
      expect(submitted.next).toMatch(/new quote/);
      expect(JSON.stringify([reviewed, submitted])).not.toMatch(REFUSED);
    }
    expect(await securityDenials(home.ledger)).toBe(0);
    expect(await frozenFor(home.ledger)).toBeUndefined();
    // Signing continues.
    const { plan } = await home.build('tradeSwap', await swapRequest(home, '200000000'));
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  });
});

describe('a review', () => {
  it('F29 announces that an expired build will be rebuilt and stores nothing; submitting rebuilds it', async () => {
    home = await Home.withoutMarket();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 2));
    const planId = plan?.planId ?? '';
    home.sandbox.advanceSlots(LONG);
    const before = await stored(planId);
    const reviewed = await home.plans.review(planId);
    expect(reviewed).toMatchObject({ status: 'ready', next: expect.stringContaining('builds it again') });
    expect(await stored(planId)).toEqual(before);
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
  });

  it("shows the policy's current decision without storing it", async () => {
    home = await Home.withoutMarket();
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    const planId = plan?.planId ?? '';
    const before = await stored(planId);
    await home.ledger.freeze('a person did');
    const reviewed = await home.plans.review(planId);
    expect(reviewed.decision.reasonCodes[0]).toBe('FROZEN');
    expect(reviewed.next).toMatch(/^Signing is frozen/);
    expect(await stored(planId)).toEqual(before);
    // A valid plan from before the freeze reports the freeze.
    expect((await home.plans.get(planId)).next).toMatch(/^Signing is frozen/);
  });
});
