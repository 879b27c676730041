/** Recovery from false finality reports of an RPC, and from tables filled by an earlier plan of the intent. */
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/rpc/types.ts';
import { eventually } from '../eventually.ts';
import { LOST, landed, useHomes } from './homes.ts';
import { configRequest } from './requests.ts';

const { start } = useHomes();

describe('a false "finalized" of an RPC, later corrected', () => {
  it.each([
    ['in the slot of its view', 0],
    ['in a slot that is far away', 100_000],
  ])('%s: the reservation is returned and the plan executes once (F80)', async (_, ahead) => {
    let lies = true;
    const wrong = (chain: Chain): Chain => ({
      ...chain,
      send: async (bytes) => (lies ? LOST : chain.send(bytes)),
      statuses: async (signatures) => {
        const seen = await chain.statuses(signatures);
        if (!lies) return seen;
        const slot = seen.slot + ahead;
        return { ...seen, value: signatures.map(() => ({ slot, commitment: 'finalized', error: null })) };
      },
    });
    const home = await start({ chain: wrong, deps: { timing: { askAgainTimes: 2, askAgainMs: 50 } } });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    expect((await home.submit(id)).stages[0]?.status).toMatch(/confirmed|finalized/);
    expect(landed(home)).toHaveLength(0);
    lies = false;
    home.sandbox.advanceSlots(200);
    await eventually(async () => {
      const [row] = await home.ledger.rows('journal', { planId: id });
      expect(row?.state).toBe('expired');
      expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
    });
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(landed(home)).toHaveLength(1);
    await home.plans.idle();
    expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
  });
});

describe('a config whose table was filled by an earlier plan of its intent', () => {
  it("is completed by the next plan, which knows the table's contents (T36)", async () => {
    let calls = 0;
    let fails = true;
    const home = await start({
      chain: (chain) => ({
        ...chain,
        send: async (bytes) => {
          calls += 1;
          if (!fails || calls === 1) return chain.send(bytes);
          const { sandbox, wallet } = home;
          const account = sandbox.chain.getAccount(wallet);
          if (account === null) throw new Error('no wallet');
          sandbox.chain.setAccount(wallet, { ...account, lamports: 900_000n });
          sandbox.chain.submit(bytes);
          sandbox.chain.setAccount(wallet, account);
          return { outcome: 'unclear', reason: 'no preflight' };
        },
      }),
    });
    const request = await configRequest(home, 40);
    const { plan } = await home.build('feeShareConfig', request);
    const first = plan?.planId ?? '';
    expect(await home.submit(first)).toMatchObject({ status: 'failed' });
    fails = false;
    const again = await home.build('feeShareConfig', request, { again: true });
    const second = again.plan?.planId ?? '';
    expect(second).not.toBe(first);
    const done = await home.submit(second);
    expect(done, JSON.stringify(done.decision)).toMatchObject({ status: 'complete' });
  });
});
