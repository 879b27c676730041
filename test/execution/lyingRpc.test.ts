/** RPCs that report landings, failures, heights or amounts wrongly, alone and beside an honest second one. */
import { describe, expect, it } from 'vitest';
import { LIFETIME_MS } from '../../src/execution/sending/verdict.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { eventually } from '../eventually.ts';
import { usedIn } from '../ledger/samples.ts';
import { testKey } from '../transaction/keys.ts';
import type { Home } from './home.ts';
import { codeOf, LOST, useHomes } from './homes.ts';
import { configRequest, manyClaimers } from './requests.ts';

const { start, beside } = useHomes();
const friend = testKey('friend').address;

describe('a failure reported by one RPC for bytes it never received (F81)', () => {
  const invented = (sent: Uint8Array[], isOver = () => false) => ({
    deps: { mode: 'live' } as const,
    chain: (chain: Chain): Chain => ({
      ...chain,
      send: (bytes) => {
        sent.push(bytes);
        return chain.send(bytes);
      },
      statuses: async (signatures) => {
        const { slot } = await chain.statuses(signatures);
        if (isOver()) return { slot, value: signatures.map(() => undefined) };
        return { slot, value: signatures.map(() => ({ slot, commitment: 'confirmed', error: 'invented' })) };
      },
    }),
  });

  it('frees no reservation while they can land, and they are never sent afterwards', async () => {
    const sent: Uint8Array[] = [];
    let isOver = false;
    const home = await start(invented(sent, () => isOver));
    const request = await configRequest(home, 1);
    const { plan } = await home.build('feeShareConfig', request);
    const id = plan?.planId ?? '';
    await home.submit(id, 1);
    const same = await home.build('feeShareConfig', request, { again: true });
    expect(same.plan).toMatchObject({ planId: id, status: 'running' });
    const [row] = await home.ledger.rows('journal', { planId: id });
    expect(await home.submit(id, 600)).toMatchObject({ status: 'failed' });
    expect((await home.deps.chain.head('finalized')).blockHeight).toBeGreaterThan(row?.deadHeight ?? 0);
    isOver = true;
    await home.plans.idle();
    expect(await home.ledger.rows('journal', { planId: id })).toMatchObject([{ state: 'expired' }]);
    expect(sent).toEqual([]);
    expect(home.signatures).toBe(1);
  });

  it('frees none either after a landing that the same RPC invented', async () => {
    let [isFinal, reads] = [false, 0];
    const sent: Uint8Array[] = [];
    const home: Home = await start({
      deps: { mode: 'live' },
      chain: (chain) => ({
        ...chain,
        send: async (bytes) => {
          sent.push(bytes);
          return LOST;
        },
        statuses: async (signatures) => {
          const { slot } = await chain.statuses(signatures);
          const commitment = isFinal ? 'finalized' : 'confirmed';
          const error = isFinal ? '{"InstructionError":[0,{"Custom":1}]}' : null;
          return { slot, value: signatures.map(() => ({ slot, commitment, error })) };
        },
        landed: async () => {
          reads += 1;
          const balances = { lamportsBefore: [9n], lamportsAfter: [4n], tokensBefore: [], tokensAfter: [] };
          return { slot: 1, error: 'invented', feeLamports: 5n, accounts: [home.wallet], ...balances };
        },
      }),
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    await home.submit(id, 1);
    isFinal = true;
    await eventually(() => expect(reads).toBeGreaterThan(2));
    expect(await home.ledger.rows('journal', { planId: id })).toMatchObject([{ state: 'confirmed' }]);
    expect(await home.ledger.rows('journal', { open: true })).toHaveLength(1);
  });

  it('counts at once if a second RPC reports it too', async () => {
    const sent: Uint8Array[] = [];
    const options = invented(sent);
    const home = await start(options);
    const twice = beside(home, { ...options, deps: { ...options.deps, secondChain: home.deps.chain } });
    const { plan } = await twice.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    expect(await twice.submit(id)).toMatchObject({ status: 'failed' });
    const [row] = await twice.ledger.rows('journal', { planId: id });
    expect((await home.deps.chain.head('finalized')).blockHeight).toBeLessThan(row?.deadHeight ?? 0);
    expect(sent).toEqual([]);
  });
});

describe('T55 an RPC that reports a height past the lifetime of bytes that it holds back', () => {
  /** Starts a home that pays `friend` on a public network. Its RPC reports false heights until `later` ends that. */
  async function lying() {
    const kept = new Map<string, Uint8Array>();
    let [lies, passed] = [true, 0];
    const home = await start({
      policy: (file) => ({
        ...file,
        network: 'devnet',
        programs: file.programs.filter(({ binding }) => binding === 'exact'),
        addressBook: [{ label: 'friend', address: friend }],
        rules: [{ id: 'pay', operation: 'send', effect: 'allow', why: 'a test' }],
      }),
      clock: (time) => ({ ...time, now: () => time.now() + passed }),
      chain: (chain) => ({
        ...chain,
        genesisHash: async () => GENESIS.devnet ?? '',
        send: async (bytes) => {
          kept.set(Buffer.from(bytes).toString('base64'), bytes);
          return lies ? LOST : chain.send(bytes);
        },
        head: async (commitment, slot) => {
          const head = await chain.head(commitment, slot);
          return lies && commitment === 'finalized'
            ? { ...head, blockHeight: head.blockHeight + 1_000 }
            : head;
        },
        isBlockhashValid: async (hash, commitment, slot) => {
          const { slot: at, value } = await chain.isBlockhashValid(hash, commitment, slot);
          return { slot: at, value: value && !(lies && commitment === 'finalized') };
        },
      }),
      deps: { timing: { resendMs: 60, doubtMs: 500, leaseMs: 600_000 } },
    });
    const request = { wallet: home.wallet, to: friend, amountRaw: '5000000' };
    const { plan } = await home.plans.build('send', request);
    const planId = plan?.planId ?? '';
    const paid = () => home.sandbox.chain.getAccount(friend)?.lamports ?? 0n;
    const later = (ms: number, honest: boolean) => {
      passed += ms;
      lies = !honest;
    };
    return { home, planId, kept, paid, later };
  }

  it('gets no second signature while the first can land', async () => {
    const { home, planId, kept, paid } = await lying();
    await home.submit(planId, 3);
    for (const bytes of kept.values()) home.sandbox.chain.submit(bytes);
    expect(paid()).toBe(5_000_000n);
    expect(home.signatures).toBe(1);
  });

  it('that is only behind gets it once the lifetime has passed by the clock, too', async () => {
    const { home, planId, kept, paid, later } = await lying();
    await home.submit(planId, 1);
    expect(kept.size).toBe(1);
    home.sandbox.advanceSlots(400);
    later(LIFETIME_MS, true);
    expect(await home.submit(planId, 20)).toMatchObject({ status: 'complete' });
    expect(kept.size).toBe(2);
    expect(paid()).toBe(5_000_000n);
  });
});

describe('a second RPC', () => {
  it('that shows a landing prevents a false failure of the first from counting, however late', async () => {
    const fails = (chain: Chain) => async (signatures: readonly string[]) => {
      const { slot, value } = await chain.statuses(signatures);
      return { slot, value: value.map((each) => each && { ...each, error: '{"InstructionError":[99,0]}' }) };
    };
    const home = await start();
    const twice = beside(home, {
      chain: (chain) => ({ ...chain, statuses: fails(chain) }),
      deps: { mode: 'live', secondChain: home.deps.chain, timing: { doubtMs: 300 } },
    });
    const { plan } = await twice.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    expect((await twice.submit(id, 2)).status).not.toBe('failed');
    home.sandbox.advanceSlots(400);
    expect((await twice.submit(id, 2)).status).not.toBe('failed');
    expect(twice.signatures).toBe(1);
  });

  it('that shows larger amounts than the first keeps them counted by the limits', async () => {
    const home = await start();
    const frees = (chain: Chain): Chain => ({
      ...chain,
      landed: async (signature) => {
        const landed = await chain.landed(signature);
        return landed && { ...landed, lamportsAfter: landed.lamportsBefore, feeLamports: 0n };
      },
    });
    const twice = beside(home, { chain: frees, deps: { secondChain: home.deps.chain } });
    const { plan } = await twice.build('feeShareConfig', await configRequest(home, 1));
    await twice.submit(plan?.planId ?? '');
    home.sandbox.advanceSlots(100);
    await twice.plans.idle();
    const day = { id: 'day', kind: 'asset', of: 'SOL', window: { rollingMs: 86_400_000 }, max: 1n } as const;
    const [row] = await twice.ledger.rows('journal', { planId: plan?.planId ?? '' });
    const landed = await home.deps.chain.landed(row?.signature ?? '');
    const spent = (landed?.lamportsBefore[0] ?? 0n) - (landed?.lamportsAfter[0] ?? 0n);
    expect(spent).toBeGreaterThan(5_000n);
    expect(await usedIn(home.ledger, [day], home.wallet, home.sandbox.genesisHash)).toEqual({ day: spent });
    expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
  });

  it('that does not know a landing keeps it in doubt, and no dependent stage is signed (F35)', async () => {
    let blind = true;
    const home = await start();
    const seeing = home.deps.chain;
    const second: Chain = {
      ...seeing,
      statuses: (signatures) =>
        blind
          ? Promise.resolve({ slot: 1, value: signatures.map(() => undefined) })
          : seeing.statuses(signatures),
    };
    const doubting = beside(home, { deps: { secondChain: second, timing: { doubtMs: 300 } } });
    const { plan } = await doubting.build('feeShareConfig', await manyClaimers(doubting));
    const id = plan?.planId ?? '';
    expect(plan?.stages.length).toBeGreaterThan(1);
    expect(await doubting.submit(id)).toMatchObject({ status: 'unknown' });
    expect(await codeOf(doubting, id)).toBe('RPC_DISAGREE');
    expect(doubting.signatures).toBe(1);
    blind = false;
    expect(await doubting.submit(id)).toMatchObject({ status: 'complete' });
    expect(doubting.signatures).toBe(plan?.stages.length);
  });
});
