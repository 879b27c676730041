import { afterEach, describe, expect, it } from 'vitest';
import { frozenFor } from '../../src/ledger/frozen.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { eventually } from '../eventually.ts';
import { testKey } from '../transaction/keys.ts';
import { Home, type HomeOptions } from './home.ts';
import { codeOf } from './homes.ts';
import { configRequest, launchRequest, swapRequest } from './requests.ts';

let home: Home;
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});
const start = async (options?: HomeOptions) => {
  home = await Home.withoutMarket(options);
};

/** Service answers to the runner's repeated requests. */
function asking(
  change: (answer: unknown, call: number, again: () => Promise<unknown>) => unknown,
): HomeOptions {
  let calls = 0;
  return {
    deps: {
      timing: { askAgainMs: 20, askAgainMaxMs: 40, askAgainTimes: 6 },
      service: {
        call: async (endpoint, fields) => {
          calls += 1;
          const again = () => home.call(endpoint, fields);
          return change(await again(), calls, again);
        },
      },
    },
  };
}
const edited = (
  answer: unknown,
  change: (copy: { plan: Record<string, unknown> | null }) => void,
): unknown => {
  const copy = structuredClone(answer);
  change(Object(copy));
  return copy;
};

describe('a service', () => {
  it('that never finishes a setup is polled a limited number of times; then the plan waits and can be continued (F18)', async () => {
    let stuck = true;
    let requestCount = 0;
    await start(
      asking((answer) => {
        requestCount += 1;
        return stuck
          ? edited(answer, (copy) => {
              copy.plan = { ...copy.plan, transactions: [], readiness: { status: 'setup_required' } };
            })
          : answer;
      }),
    );
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 100));
    const id = plan?.planId ?? '';
    expect(await home.submit(id)).toMatchObject({ status: 'waiting_setup' });
    expect(await codeOf(home, id)).toBe('WAITING_SETUP');
    expect(requestCount).toBe(6);
    const setup = home.signatures;
    stuck = false;
    expect(await home.submit(id, 50)).toMatchObject({ planId: id, status: 'complete' });
    expect(home.signatures).toBeGreaterThan(setup);
  });

  it('that lags and asks for a landed stage again does not get it signed again (F21)', async () => {
    await start(
      asking((answer, call) => {
        // The first answers still contain landed stages.
        return call <= 2 ? lagging : answer;
      }),
    );
    const request = await configRequest(home, 1);
    const lagging = await home.call('feeShareConfig', request);
    const { plan } = await home.build('feeShareConfig', request);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
  });

  it.each([
    ['other claimers', { claimersArray: [testKey('thief').address, testKey('friend').address] }],
    ['other shares', { basisPointsArray: [1, 9_999] }],
    ['another admin', { admin: testKey('thief').address }],
  ])('F20 that rebuilds a plan with %s than requested gets no signature', async (_, change) => {
    const { id } = await rebuiltAs(change);
    const done = await home.submit(id);
    expect(done).toMatchObject({ status: 'denied', decision: { effect: 'deny' } });
    expect(done.decision.reasonCodes).toContain('REQUEST_MISMATCH');
    expect(home.signatures).toBe(0);
  });

  it('F20 that rebuilds a plan for another flow has it refused as a whole', async () => {
    await start(
      asking((answer) =>
        edited(answer, (copy) => {
          const { operation } = Object(copy.plan);
          copy.plan = { ...copy.plan, operation: { ...operation, flow: 'dbc' } };
        }),
      ),
    );
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 2));
    home.sandbox.advanceSlots(300);
    await expect(home.submit(plan?.planId ?? '')).rejects.toMatchObject({ code: 'PLAN_INVALID' });
    expect(home.signatures).toBe(0);
  });

  /** Lets a plan expire before submission; the service then answers a changed request. */
  async function rebuiltAs(change: Readonly<Record<string, unknown>>): Promise<{ id: string }> {
    let other: unknown;
    await start(asking((answer) => other ?? answer));
    const request = await configRequest(home, 2);
    const { plan } = await home.build('feeShareConfig', request);
    home.sandbox.advanceSlots(300);
    other = await home.call('feeShareConfig', { ...request, ...change });
    return { id: plan?.planId ?? '' };
  }

  it('that sends garbage while rebuilding ends the run with its error and keeps the plan', async () => {
    await start(asking(() => ({ contractVersion: 1, needsCreation: true, plan: { bad: true } })));
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    home.sandbox.advanceSlots(300);
    await expect(home.submit(plan?.planId ?? '')).rejects.toMatchObject({ code: 'PLAN_INVALID' });
    expect(await home.plans.get(plan?.planId ?? '')).toMatchObject({ planId: plan?.planId });
    expect(home.signatures).toBe(0);
  });
});

describe('transactions of an attacker', () => {
  it('are denied, and enough of them freeze signing until the owner lifts it', async () => {
    await start({
      sandbox: { hostile: 'assign-wallet' },
      policy: (file: PolicyFile) => ({ ...file, freeze: { afterDenials: { count: 2, windowSeconds: 600 } } }),
    });
    const attacked = async () => {
      const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
      return home.submit(plan?.planId ?? '');
    };
    expect(await attacked()).toMatchObject({ status: 'denied', decision: { effect: 'deny' } });
    expect(await frozenFor(home.ledger)).toBeUndefined();
    expect((await attacked()).decision.reasonCodes).toContain('AUTHORITY_CHANGE');
    expect(await frozenFor(home.ledger)).toBeDefined();

    home.sandbox.service.hostile.use(undefined);
    expect((await attacked()).decision.reasonCodes).toContain('FROZEN');
    await home.ledger.freeze({ lifted: undefined });
    expect(await attacked()).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
  });
});

describe('a stage that needs another signer', () => {
  it('is not an error: names the missing signer and shows the transaction (B41)', async () => {
    await start();
    const other = testKey('another wallet').address;
    home.sandbox.chain.airdrop(other, 5_000_000_000n);
    const { plan } = await home.build('tradeSwap', await swapRequest(home, '100000000', other));
    const id = plan?.planId ?? '';
    const done = await home.submit(id);
    expect(done.status).toBe('ready');
    expect(done.stages[0]).toMatchObject({ status: 'ready', missingSigners: [other] });
    expect(done.stages[0]?.note).toContain(other);
    expect(done.decision.reasonCodes).toContain('SIGNER_UNAVAILABLE');
    expect(await home.plans.stageBytes(id, 'swap')).toMatch(/^[A-Za-z0-9+/]+=*$/);
  });
});

describe('closing the lookup table', () => {
  it('C-BUNDLE-09 happens automatically at its slot and returns the rent', async () => {
    await start({ deps: { timing: { resendMs: 50 } } });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    expect(await home.submit(id, 50)).toMatchObject({ status: 'complete' });
    const before = home.sandbox.chain.getAccount(home.wallet)?.lamports ?? 0n;
    home.sandbox.advanceSlots(560);
    await eventually(async () => {
      const { stages } = await home.plans.get(id);
      expect(stages.find(({ id: stage }) => stage === 'lut_close')?.status).toMatch(/confirmed|finalized/);
    });
    expect(home.sandbox.chain.getAccount(home.wallet)?.lamports).toBeGreaterThan(before);
    expect(await home.plans.get(id)).toMatchObject({
      status: 'complete',
      next: expect.stringMatching(/^Done\. Read back from the chain: .* permanently locked\.$/),
    });
  });
});
