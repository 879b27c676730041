/** Events between the first send of a transaction and its final status. */
import { describe, expect, it } from 'vitest';
import { keepQuote } from '../../src/execution/deciding/quotes.ts';
import type { ActivePolicy } from '../../src/execution/ports.ts';
import { activePolicy } from '../../src/runtime/activePolicy.ts';
import { eventually } from '../eventually.ts';
import { usedIn } from '../ledger/samples.ts';
import { begin, codeOf, FAST, LOST, landed, landedStages, sending, useHomes } from './homes.ts';
import { configRequest, freshQuote, manyClaimers, swapRequest } from './requests.ts';

const { start, beside, restart } = useHomes();

describe('sending', () => {
  it('is repeated with the same bytes until they land', async () => {
    const sent: string[] = [];
    const home = await start({
      ...sending(async (call, bytes, chain) => {
        sent.push(Buffer.from(bytes).toString('hex'));
        return call < 4 ? LOST : chain.send(bytes);
      }),
      ...FAST,
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(sent.length).toBeGreaterThanOrEqual(4);
    expect(new Set(sent).size).toBe(1);
    expect(home.signatures).toBe(1);
  });

  it('that was accepted but answered with an error is not repeated blindly (F32)', async () => {
    const home = await start({
      ...sending(async (_, bytes, chain) => {
        await chain.send(bytes);
        throw new Error('503');
      }),
      ...FAST,
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(landed(home)).toHaveLength(1);
  });

  it('answered with "already processed" is looked up (F33)', async () => {
    const home = await start({
      ...sending(async (_, bytes, chain) => {
        await chain.send(bytes);
        return chain.send(bytes);
      }),
      ...FAST,
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
    expect(landed(home)).toHaveLength(1);
  });

  it('answered with another signature stops, and the RPC is not trusted', async () => {
    const home = await start(sending(async () => ({ outcome: 'accepted', signature: 'another signature' })));
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await expect(home.submit(plan?.planId ?? '')).rejects.toMatchObject({
      code: 'SIGNATURE_MISMATCH',
      class: 'security',
    });
  });
});

describe('bytes that never land', () => {
  it('are proven dead, return their reservation, and the plan lands with new bytes (F31)', async () => {
    let drop = true;
    const dropped: Uint8Array[] = [];
    const home = await start({
      ...sending(async (_, bytes, chain) => {
        if (!drop) return chain.send(bytes);
        dropped.push(bytes);
        return LOST;
      }),
      ...FAST,
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    void home.submit(id);
    await eventually(() => expect(dropped.length).toBeGreaterThan(0));
    home.sandbox.advanceSlots(120);
    expect((await home.ledger.rows('journal', { planId: id }))[0]?.state).toBe('sent');
    drop = false;
    home.sandbox.advanceSlots(100);
    const done = await home.submit(id);
    expect(done).toMatchObject({ planId: id, status: 'complete' });
    const rows = await home.ledger.rows('journal', { planId: id });
    expect(rows.map(({ state }) => state)).toEqual(['expired', expect.stringMatching(/confirmed|finalized/)]);
    expect(rows[1]?.revision).toBeGreaterThan(rows[0]?.revision ?? 0);
    expect(landed(home)).toHaveLength(1);
    await home.plans.idle();
    expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
  });

  it('of a swap end the plan, which needs a new quote', async () => {
    const home = await start({
      ...sending(async () => LOST),
      ...FAST,
    });
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    await begin(home, plan?.planId);
    home.sandbox.advanceSlots(200);
    const done = await home.submit(plan?.planId ?? '');
    expect(done).toMatchObject({ status: 'expired', next: expect.stringContaining('new quote') });
    expect(home.signatures).toBe(1);
  });

  it('are not reported dead by a lagging RPC view (F34)', async () => {
    const home = await start({
      chain: (chain) => ({
        ...chain,
        // A node that is far behind: it knows no signature and reports every blockhash as invalid.
        statuses: async (signatures) => ({ slot: 1, value: signatures.map(() => undefined) }),
        isBlockhashValid: async (hash, commitment, minimum) =>
          commitment === 'finalized'
            ? { slot: 1, value: false }
            : chain.isBlockhashValid(hash, commitment, minimum),
      }),
      deps: { timing: { resendMs: 60, doubtMs: 300 } },
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    void home.submit(id);
    await eventually(() => expect(home.sends.length).toBeGreaterThan(0));
    home.sandbox.advanceSlots(250);
    expect(await home.submit(id)).toMatchObject({ status: 'unknown' });
    expect((await home.ledger.rows('journal', { planId: id }))[0]?.state).toBe('unknown');
    // Its amounts stay reserved, and a process with an honest view finds that it landed.
    expect(await home.ledger.rows('journal', { open: true })).toHaveLength(1);
    const next = await restart(home);
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    expect(landed(next)).toHaveLength(1);
  });
});

describe('a plan whose first stage has landed', () => {
  it('F23 has the rest rebuilt once its blockhash expired, and does not sign the first stage again', async () => {
    const home = await start({
      ...sending(async (call, bytes, chain) => {
        const answer = await chain.send(bytes);
        // Expires the blockhash of all other stages of this answer.
        if (call === 1) home.sandbox.advanceSlots(200);
        return answer;
      }),
      ...FAST,
    });
    const { plan } = await home.build('feeShareConfig', await manyClaimers(home));
    const id = plan?.planId ?? '';
    const stages = plan?.stages.map((stage) => stage.id) ?? [];
    expect(stages.length).toBeGreaterThan(1);
    expect(await home.submit(id, 50)).toMatchObject({ planId: id, status: 'complete' });
    const rows = await home.ledger.rows('journal', { planId: id });
    expect(await landedStages(home, id)).toEqual(stages.sort());
    expect(rows.map(({ revision }) => revision)).toEqual([0, ...stages.slice(1).map(() => 1)]);
    expect(landed(home)).toHaveLength(stages.length);
    expect(home.signatures).toBe(stages.length);
  });
});

describe('a transaction that fails on chain', () => {
  it('has landed: its fee is counted and it is not retried', async () => {
    const home = await start({
      chain: (chain) => ({
        ...chain,
        send: async (bytes) => {
          const { sandbox, wallet } = home;
          const account = sandbox.chain.getAccount(wallet);
          if (account === null) throw new Error('no wallet');
          sandbox.chain.setAccount(wallet, { ...account, lamports: 10_000_000n });
          sandbox.chain.submit(bytes);
          return { outcome: 'unclear', reason: 'no preflight' };
        },
      }),
    });
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    const id = plan?.planId ?? '';
    expect(await home.submit(id)).toMatchObject({ status: 'failed', stages: [{ status: 'failed' }] });
    expect(await home.submit(id)).toMatchObject({ status: 'failed' });
    expect(home.signatures).toBe(1);
    await home.plans.idle();
    const [row] = await home.ledger.rows('journal', { planId: id });
    expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
    const fee = home.sandbox.chain.transaction(row?.signature ?? '')?.fee;
    const day = { id: 'day', kind: 'asset', of: 'SOL', window: { rollingMs: 86_400_000 }, max: 1n } as const;
    expect(await usedIn(home.ledger, [day], home.wallet, home.sandbox.genesisHash)).toEqual({ day: fee });
  });
});

describe('T81 a signer that takes longer than a second', () => {
  /** Pays through a signer of two seconds. `meanwhile` is called while it signs. */
  async function slowly(meanwhile: () => void, policy: () => Promise<ActivePolicy | undefined>) {
    const home = await start();
    const { wallets } = home.deps;
    const slow = beside(home, {
      deps: {
        policy: async () => (await policy()) ?? home.deps.policy(),
        wallets: {
          ...wallets,
          signer: async (address) => ({
            address,
            sign: async (...of) => {
              meanwhile();
              await home.deps.clock.sleep(2_000);
              return (await wallets.signer(address)).sign(...of);
            },
          }),
        },
      },
    });
    const { plan } = await slow.build('feeShareConfig', await configRequest(home, 1));
    const { status } = await slow.submit(plan?.planId ?? '');
    return { status, sent: slow.sends.length, open: await slow.ledger.rows('journal', { open: true }) };
  }

  it('sends nothing if the policy changed meanwhile: it is decided again', async () => {
    let changed = false;
    const change = () => {
      changed = true;
    };
    const ended = await slowly(change, async () => (changed ? activePolicy(undefined) : undefined));
    expect(ended).toEqual({ status: 'denied', sent: 0, open: [] });
  });

  it('sends what is still allowed', async () => {
    expect(
      await slowly(
        () => undefined,
        async () => undefined,
      ),
    ).toMatchObject({ status: 'complete', sent: 1 });
  });
});

describe('a swap with an expired quote and blockhash', () => {
  it('is not signed; rebuilt with a new quote it continues under its own id (F29)', async () => {
    const home = await start();
    const { quoteRequest, quote, request } = await freshQuote(home);
    await keepQuote(home.ledger, request.requestId, undefined, {
      request: quoteRequest,
      quote,
      expiresAt: 1,
    });
    const { plan } = await home.build('tradeSwap', request);
    const id = plan?.planId ?? '';
    home.sandbox.advanceSlots(300);
    expect(await home.submit(id)).toMatchObject({
      status: 'expired',
      next: expect.stringContaining('new quote'),
    });
    expect(await codeOf(home, id)).toBe('QUOTE_EXPIRED');
    expect(home.signatures).toBe(0);
    const again = await home.build('tradeSwap', await swapRequest(home));
    expect(again.plan).toMatchObject({ planId: id, status: 'ready' });
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(landed(home)).toHaveLength(1);
  });
});
