/**
 * One intent built by two processes, during execution, or after a failure: one plan per run, one signature per stage.
 */
import { describe, expect, it } from 'vitest';
import { usedIn } from '../ledger/samples.ts';
import { begin, FAST, landed, never, sending, useHomes } from './homes.ts';
import { buildConcurrently } from './racing.ts';
import { configRequest, swapRequest } from './requests.ts';

const { start, beside } = useHomes();

describe('two servers on one home that build one intent at once', () => {
  it.each(['feeShareConfig', 'tradeSwap'] as const)(
    'share one plan and sign each stage once: %s (T90)',
    async (endpoint) => {
      const home = await start();
      const other = beside(home);
      for (let race = 0; race < 4; race++) {
        const outcome = await buildConcurrently(home, other, endpoint, race);
        expect(outcome).toMatchObject({ plans: 1, complete: true, twice: [] });
      }
    },
  );

  it('receive the plan that has landed meanwhile, without a second one', async () => {
    const home = await start();
    const other = beside(home);
    const request = await swapRequest(home);
    let first = '';
    const { plan, note } = await other.build('tradeSwap', request, {
      meanwhile: async () => {
        first = (await home.build('tradeSwap', request)).plan?.planId ?? '';
        expect(await home.submit(first)).toMatchObject({ status: 'complete' });
      },
    });
    expect(plan).toMatchObject({ planId: first, status: 'complete' });
    expect(note).toContain('at the same time');
    expect(landed(home)).toHaveLength(1);
  });

  it('receive the same next run of a complete intent', async () => {
    const home = await start();
    const other = beside(home);
    const first = (await home.build('tradeSwap', await swapRequest(home))).plan?.planId;
    expect(await home.submit(first ?? '')).toMatchObject({ status: 'complete' });
    const request = await swapRequest(home);
    let mine: string | undefined;
    const theirs = await other.build('tradeSwap', request, {
      meanwhile: async () => {
        const built = await home.build('tradeSwap', request);
        expect(built.plan?.repeats).toBe(first);
        mine = built.plan?.planId;
      },
    });
    expect(mine).not.toBe(first);
    expect(theirs.plan?.planId).toBe(mine);
  });
});

describe('a new run of an intent', () => {
  it('with again: true waits while a signature may still land', async () => {
    const home = await start(sending(() => never));
    const request = await configRequest(home, 1);
    const { plan } = await home.build('feeShareConfig', request);
    await begin(home, plan?.planId);
    const other = beside(home, FAST);
    const again = await other.build('feeShareConfig', request, { again: true });
    expect(again.plan?.planId).toBe(plan?.planId);
    expect(again.note).toMatch(/in flight/);
  });

  it('with again: true, begun by another server while a stage of the previous run is being signed, is the only run that continues (T81)', async () => {
    const home = await start();
    const other = beside(home, FAST);
    const request = await configRequest(home, 100);
    const first = (await home.build('feeShareConfig', request)).plan?.planId ?? '';
    let signers = 0;
    let next: string | undefined;
    const signing = beside(home, {
      deps: {
        wallets: {
          ...home.deps.wallets,
          signer: async (address) => {
            signers += 1;
            if (signers === 2)
              next = (await other.build('feeShareConfig', request, { again: true })).plan?.planId;
            return home.deps.wallets.signer(address);
          },
        },
      },
    });
    expect(await signing.submit(first)).toMatchObject({ status: 'denied' });
    expect(next).not.toBe(first);
    expect(await home.ledger.rows('journal', { planId: first })).toHaveLength(1);
    await signing.plans.idle();
    expect(await other.submit(next ?? '')).toMatchObject({ status: 'complete' });
    const landedOnce = await home.ledger.rows('journal', {
      intentKey: (await home.ledger.planRows(first))?.plan.intentKey ?? '',
    });
    expect(landed(home)).toHaveLength(landedOnce.length);
  });

  it('trades a quote once, even if the service serves it again after the first trade landed', async () => {
    const home = await start();
    const request = await swapRequest(home);
    const first = (await home.build('tradeSwap', request)).plan?.planId ?? '';
    const second = async () => {
      const quote = home.sandbox.service.state.quotes.get(String(request.requestId));
      if (quote === undefined) throw new Error('no quote');
      quote.messages = [];
      const { plan } = await home.build('tradeSwap', request, { again: true });
      expect(plan?.planId).not.toBe(first);
      return home.submit(plan?.planId ?? '');
    };
    expect(await home.submit(first)).toMatchObject({ status: 'complete' });
    expect(await second()).toMatchObject({ status: 'denied' });
    expect(home.signatures).toBe(1);
    const fresh = await home.build('tradeSwap', await swapRequest(home), { again: true });
    expect(await home.submit(fresh.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(2);
  });

  it('with again: true returns the same plan if no stage has landed', async () => {
    const home = await start();
    const request = await configRequest(home, 1);
    const { plan } = await home.build('feeShareConfig', request);
    const again = await home.build('feeShareConfig', request, { again: true });
    expect(again.plan?.planId).toBe(plan?.planId);
  });

  it('after a failure on chain begins only with again: true and counts again', async () => {
    let poor = true;
    const home = await start({
      chain: (chain) => ({
        ...chain,
        send: async (bytes) => {
          if (!poor) return chain.send(bytes);
          const { sandbox, wallet } = home;
          const account = sandbox.chain.getAccount(wallet);
          if (account === null) throw new Error('no wallet');
          sandbox.chain.setAccount(wallet, { ...account, lamports: 10_000_000n });
          sandbox.chain.submit(bytes);
          sandbox.chain.setAccount(wallet, account);
          return { outcome: 'unclear', reason: 'no preflight' };
        },
      }),
    });
    const first = (await home.build('tradeSwap', await swapRequest(home))).plan?.planId ?? '';
    expect(await home.submit(first)).toMatchObject({ status: 'failed' });
    poor = false;
    const same = await home.build('tradeSwap', await swapRequest(home));
    expect(same).toMatchObject({ plan: { planId: first, status: 'failed' } });
    expect(same.note).toContain('again: true');
    const { plan } = await home.build('tradeSwap', await swapRequest(home), { again: true });
    expect(plan?.planId).not.toBe(first);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    const count = {
      id: 'swaps',
      kind: 'count',
      of: 'swap',
      window: { rollingMs: 86_400_000 },
      max: 9n,
    } as const;
    expect(await usedIn(home.ledger, [count], home.wallet, home.sandbox.genesisHash)).toEqual({ swaps: 2n });
  });
});
