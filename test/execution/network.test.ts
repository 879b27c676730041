/** RPCs on another chain, or with invalid data about this one. */
import { describe, expect, it } from 'vitest';
import { newHolder } from '../../src/ledger/sqlite/leases.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { Home } from './home.ts';
import { begin, landed, landedStages, never, sending, useHomes } from './homes.ts';
import { configRequest, swapRequest } from './requests.ts';

const { start, beside } = useHomes();
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

describe('the network', () => {
  it("is refused if it differs from the plan's network (F36, F55)", async () => {
    let genesis: string | undefined;
    const home = await start({
      chain: (chain) => ({ ...chain, genesisHash: async () => genesis ?? chain.genesisHash() }),
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    genesis = MAINNET;
    await expect(home.submit(plan?.planId ?? '')).rejects.toMatchObject({ code: 'NETWORK_MISMATCH' });
    genesis = undefined;
    const live = beside(home, { deps: { mode: 'live' } });
    await expect(live.submit(plan?.planId ?? '')).rejects.toMatchObject({ code: 'NETWORK_MISMATCH' });
    expect(home.signatures + live.signatures).toBe(0);
  });

  it('F55 that no longer exists closes its rows and returns their reservations', async () => {
    const home = await start(sending(() => never));
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    await begin(home, plan?.planId);
    expect(await home.ledger.rows('journal', { open: true })).toHaveLength(1);
    await home.plans.stop();

    const other = await Home.withoutMarket({
      sandbox: { seed: 'another chain' },
      deps: { ledger: home.ledger },
    });
    try {
      const next = await other.build('feeShareConfig', await configRequest(other, 1));
      expect(await other.submit(next.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
      expect((await home.ledger.rows('journal', { planId: plan?.planId ?? '' }))[0]?.state).toBe(
        'chain_gone',
      );
      const rows = await home.ledger.rows('journal', { open: true, network: home.sandbox.genesisHash });
      expect(rows).toEqual([]);
    } finally {
      await other.plans.stop();
      await other.sandbox.close();
    }
  });

  it('F55 that no longer exists keeps its rows while this process uses their wallet', async () => {
    const home = await start(sending(() => never));
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    await begin(home, plan?.planId);
    await home.plans.stop();
    const holder = newHolder();
    const lease = await home.ledger.lease({ wallet: home.wallet, holder }, 3_600_000);

    const other = await Home.withoutMarket({
      sandbox: { seed: 'another chain' },
      deps: { ledger: home.ledger, holder },
    });
    try {
      const next = await other.build('feeShareConfig', await configRequest(other, 1));
      expect(await other.submit(next.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
      const rows = await home.ledger.rows('journal', { open: true, network: home.sandbox.genesisHash });
      expect(rows).toHaveLength(1);
      // The same lease still holds: it was neither shortened nor given back.
      expect(
        await home.ledger.lease({ wallet: home.wallet, holder, fence: lease?.fence ?? 0 }, 1_000),
      ).toBeDefined();
      expect(await home.ledger.lease({ wallet: home.wallet, holder: newHolder() }, 1_000)).toBeUndefined();
    } finally {
      await other.plans.stop();
      await other.sandbox.close();
    }
  });
});

describe('an RPC that switches to another chain during a plan', () => {
  it('F36 receives no further signature', async () => {
    let genesis: string | undefined;
    let turns = true;
    const home = await start({
      chain: (chain) => ({
        ...chain,
        genesisHash: async () => genesis ?? chain.genesisHash(),
        send: async (bytes) => {
          if (turns) genesis = MAINNET;
          return chain.send(bytes);
        },
      }),
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 30));
    const id = plan?.planId ?? '';
    expect(plan?.stages.length).toBeGreaterThan(1);
    const turned = await home.submit(id);
    expect(turned).toMatchObject({ status: 'denied' });
    expect(turned.decision.reasonCodes).toContain('REQUEST_MISMATCH');
    expect(home.signatures).toBe(1);
    await expect(home.submit(id)).rejects.toMatchObject({ code: 'NETWORK_MISMATCH', class: 'security' });
    genesis = undefined;
    turns = false;
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(await landedStages(home, id)).toHaveLength(plan?.stages.length ?? 0);
    expect(landed(home)).toHaveLength(plan?.stages.length ?? 0);
  });
});

describe('block heights', () => {
  const plan = async (home: Home) => (await home.build('feeShareConfig', await configRequest(home, 1))).plan;

  it('F37 that are not numbers prevent the stage from being signed', async () => {
    let broken = true;
    const home = await start({
      chain: (chain) => ({
        ...chain,
        head: async (commitment, minimum) => {
          const head = await chain.head(commitment, minimum);
          return broken ? { ...head, blockHeight: Number.NaN } : head;
        },
      }),
      deps: { timing: { askAgainMs: 10, askAgainMaxMs: 10, askAgainTimes: 3 } },
    });
    const id = (await plan(home))?.planId ?? '';
    expect(await home.submit(id)).toMatchObject({ status: 'waiting_setup' });
    expect([home.signatures, home.sends.length]).toEqual([0, 0]);
    broken = false;
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(landed(home)).toHaveLength(1);
  });

  it('F37 that go back before the height that confirmed the blockhash prevent the stage from being signed', async () => {
    let back = true;
    const home = await start({
      chain: (chain): Chain => ({
        ...chain,
        // The next view is of a node that is far behind and lacks the requested slot.
        isBlockhashValid: async (hash, commitment, minimum) => {
          const { slot, value } = await chain.isBlockhashValid(hash, commitment, minimum);
          return { slot: back ? slot + 10_000 : slot, value };
        },
      }),
    });
    const id = (await plan(home))?.planId ?? '';
    await expect(home.submit(id)).rejects.toMatchObject({ code: 'RPC_BEHIND', retryable: true });
    expect(home.signatures).toBe(0);
    back = false;
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(await landedStages(home, id)).toHaveLength(1);
  });
});
