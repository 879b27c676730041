import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Chain, SendOutcome } from '../../src/chain/types.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { Home, type HomeOptions } from './home.ts';
import { configRequest, launchRequest, swapRequest } from './requests.ts';

const homes: Home[] = [];
afterEach(async () => {
  for (const home of homes) await home.close();
  await homes[0]?.sandbox.close();
  homes.length = 0;
});
async function start(options?: HomeOptions): Promise<Home> {
  const home = await Home.start(options);
  homes.push(home);
  return home;
}
/** Another process of the same home, started after the first was cut off. */
async function restart(after: Home, options?: HomeOptions): Promise<Home> {
  await after.landing.stop();
  const home = after.again(options);
  homes.push(home);
  return home;
}

const landed = (home: Home) =>
  home.sandbox.chain.transactionsFor(home.wallet).filter(({ bytes }) => signers(bytes).includes(home.wallet));
const signers = (bytes: Uint8Array) => {
  const { staticAccounts, numRequiredSignatures } = readTransaction(bytes);
  return staticAccounts.slice(0, numRequiredSignatures);
};
const never = new Promise<never>(() => {});
/** Submits a plan and returns once its first signature is in the journal and handed to the RPC. */
async function begin(home: Home, planId = ''): Promise<void> {
  await home.submit(planId, 0);
  await vi.waitFor(async () => expect((await home.ledger.journal({ planId }))[0]?.state).toBe('sent'), WAIT);
}
const WAIT = { timeout: 20_000 };

/** A chain port whose send does what it is told, call by call. */
const sending = (send: (call: number, bytes: Uint8Array, chain: Chain) => Promise<SendOutcome>) => {
  let calls = 0;
  return {
    chain: (chain: Chain): Chain => ({
      ...chain,
      send: (bytes) => {
        calls += 1;
        return send(calls, bytes, chain);
      },
    }),
  };
};
const FAST = { deps: { pace: { resendMs: 60, doubtMs: 500, busyMs: 100 } } };

describe('a plan submitted twice', () => {
  it('at once is signed and landed once', async () => {
    const home = await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    const [first, second] = await Promise.all([home.submit(id), home.submit(id)]);
    expect([first.status, second.status]).toEqual(['complete', 'complete']);
    expect(home.signatures).toBe(1);
    expect(landed(home)).toHaveLength(1);
  });

  it('after it is complete reports and signs nothing', async () => {
    const home = await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await home.submit(plan?.planId ?? '');
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
  });

  it('by another process meets a busy wallet (F43)', async () => {
    const home = await start(sending(() => never));
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await begin(home, plan?.planId);
    const other = home.again(FAST);
    homes.push(other);
    await expect(other.submit(plan?.planId ?? '')).rejects.toMatchObject({
      code: 'WALLET_BUSY',
      retryable: true,
    });
    expect(other.signatures).toBe(0);
  });
});

describe('the same wish built again', () => {
  it('while a signature is in flight returns the plan it belongs to', async () => {
    const home = await start(sending(() => never));
    const request = await configRequest(home, 1);
    const { plan } = await home.build('feeShareConfig', request);
    await begin(home, plan?.planId);
    const again = await home.build('feeShareConfig', request);
    expect(again.plan?.planId).toBe(plan?.planId);
    expect(again.note).toMatch(/in flight/);
  });

  it('after it is complete names the plan it repeats', async () => {
    const home = await start();
    const first = await home.build('tradeSwap', await swapRequest(home));
    await home.submit(first.plan?.planId ?? '');
    const again = await home.build('tradeSwap', await swapRequest(home));
    expect(again.plan?.planId).not.toBe(first.plan?.planId);
    expect(again.plan?.repeats).toBe(first.plan?.planId);
  });

  it('of a config that exists says who landed it', async () => {
    const home = await start();
    const request = await configRequest(home, 1);
    const first = await home.build('feeShareConfig', request);
    await home.submit(first.plan?.planId ?? '');
    expect(await home.build('feeShareConfig', request)).toEqual({
      plan: null,
      note: `The config exists; plan ${first.plan?.planId} of this home landed it.`,
    });
  });
});

describe('a process that is cut off', () => {
  it('between journal and send: the next one sends the same bytes (F38)', async () => {
    const cut = await start(sending(() => never));
    const { plan } = await cut.build('feeShareConfig', await configRequest(cut, 1));
    const id = plan?.planId ?? '';
    await begin(cut, id);
    const [row] = await cut.ledger.journal({ planId: id });
    expect(row?.state).toBe('sent');
    expect(landed(cut)).toEqual([]);

    const next = await restart(cut, FAST);
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    expect(next.signatures).toBe(0);
    expect(landed(next).map(({ signature }) => signature)).toEqual([row?.signature]);
  });

  it('C-BUNDLE-10 between send and its answer: the next one finds it by its signature (F39)', async () => {
    const cut = await start(sending((_, bytes, chain) => chain.send(bytes).then(() => never)));
    const { plan } = await cut.build('feeShareConfig', await configRequest(cut, 1));
    await begin(cut, plan?.planId);
    await vi.waitFor(() => expect(landed(cut)).toHaveLength(1), WAIT);
    const next = await restart(cut, FAST);
    expect(await next.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(next.signatures).toBe(0);
    expect(landed(next)).toHaveLength(1);
  });

  it('before the journal row: what it reserved is given back and the stage is signed by the next one', async () => {
    const cut = await start();
    const { plan } = await cut.build('tradeSwap', await swapRequest(cut));
    const id = plan?.planId ?? '';
    // The dying process hangs at the journal and renews nothing; its lease is taken over when it has expired.
    const ledger = { ...cut.ledger, journalSigned: () => never, renewLease: async () => undefined };
    const dying = cut.again({ deps: { ledger, holder: 'dying', pace: { leaseMs: 300 } } });
    void dying.submit(id).catch(() => {});
    await vi.waitFor(() => expect(dying.signatures).toBe(1), WAIT);
    const next = cut.again({ deps: { pace: { busyMs: 20_000 } } });
    homes.push(next);
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    expect(next.signatures).toBe(1);
    await next.landing.idle();
    expect(await next.ledger.openRows({})).toEqual([]);
    expect(landed(next)).toHaveLength(1);
  });
});

describe('sending', () => {
  it('is repeated with the same bytes until they land (F24)', async () => {
    const sent: string[] = [];
    const home = await start({
      ...sending(async (call, bytes, chain) => {
        sent.push(Buffer.from(bytes).toString('hex'));
        return call < 4 ? { outcome: 'unclear', reason: 'lost' } : chain.send(bytes);
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
  });

  it('answered with another signature than ours stops, and the RPC is not trusted', async () => {
    const home = await start(sending(async () => ({ outcome: 'accepted', signature: 'somebody else' })));
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await expect(home.submit(plan?.planId ?? '')).rejects.toMatchObject({
      code: 'SIGNATURE_MISMATCH',
      class: 'security',
    });
  });
});

describe('bytes that never land', () => {
  it('are proven dead, give back what they reserved, and the plan lands with new bytes (F23, F31)', async () => {
    let drop = true;
    const dropped: Uint8Array[] = [];
    const home = await start({
      ...sending(async (_, bytes, chain) => {
        if (!drop) return chain.send(bytes);
        dropped.push(bytes);
        return { outcome: 'unclear', reason: 'lost' };
      }),
      ...FAST,
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    void home.submit(id);
    await vi.waitFor(() => expect(dropped.length).toBeGreaterThan(0), WAIT);
    home.sandbox.advanceSlots(120);
    expect((await home.ledger.journal({ planId: id }))[0]?.state).toBe('sent');
    drop = false;
    home.sandbox.advanceSlots(100);
    const done = await home.submit(id);
    expect(done).toMatchObject({ planId: id, status: 'complete' });
    const rows = await home.ledger.journal({ planId: id });
    expect(rows.map(({ state }) => state)).toEqual(['expired', expect.stringMatching(/confirmed|finalized/)]);
    expect(rows[1]?.revision).toBeGreaterThan(rows[0]?.revision ?? 0);
    expect(landed(home)).toHaveLength(1);
    await home.landing.idle();
    expect(await home.ledger.openRows({})).toEqual([]);
  });

  it('of a swap end the plan: it needs a new quote', async () => {
    const home = await start({
      ...sending(async () => ({ outcome: 'unclear', reason: 'lost' })),
      ...FAST,
    });
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    await begin(home, plan?.planId);
    home.sandbox.advanceSlots(200);
    const done = await home.submit(plan?.planId ?? '');
    expect(done).toMatchObject({ status: 'failed', next: expect.stringContaining('new quote') });
    expect(home.signatures).toBe(1);
  });

  it('are not called dead by a view that lags (F34)', async () => {
    const home = await start({
      chain: (chain) => ({
        ...chain,
        // A node that knows of no signature, calls every blockhash invalid, and is far behind.
        statuses: async (signatures) => ({ slot: 1, value: signatures.map(() => undefined) }),
        isBlockhashValid: async (hash, commitment, minimum) =>
          commitment === 'finalized'
            ? { slot: 1, value: false }
            : chain.isBlockhashValid(hash, commitment, minimum),
      }),
      deps: { pace: { resendMs: 60, doubtMs: 300 } },
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    void home.submit(id);
    await vi.waitFor(() => expect(home.sends.length).toBeGreaterThan(0), WAIT);
    home.sandbox.advanceSlots(250);
    expect(await home.submit(id)).toMatchObject({ status: 'unknown' });
    expect((await home.ledger.journal({ planId: id }))[0]?.state).toBe('unknown');
    // Its amounts stay taken, and a process with an honest view finds that it had landed.
    expect(await home.ledger.openRows({})).toHaveLength(1);
    const next = await restart(home);
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    expect(landed(next)).toHaveLength(1);
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
    await home.landing.idle();
    const [row] = await home.ledger.journal({ planId: id });
    expect(await home.ledger.settled(row?.signature ?? '')).toBe(true);
    const fee = home.sandbox.chain.transaction(row?.signature ?? '')?.fee;
    const day = { id: 'day', kind: 'asset', of: 'SOL', window: { rollingMs: 86_400_000 }, max: 1n } as const;
    expect(await home.ledger.used([day], home.wallet, home.sandbox.genesisHash)).toEqual({ day: fee });
  });
});

describe('a second RPC', () => {
  it('that knows nothing of a landing keeps it in doubt, and nothing that depends on it is signed (F35)', async () => {
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
    const doubting = home.again({ deps: { secondChain: second, pace: { doubtMs: 300 } } });
    homes.push(doubting);
    const { plan } = await doubting.build('feeShareConfig', await configRequest(doubting, 8));
    const id = plan?.planId ?? '';
    expect(plan?.stages.length).toBeGreaterThan(1);
    expect(await doubting.submit(id)).toMatchObject({ status: 'unknown' });
    expect(doubting.signatures).toBe(1);
    blind = false;
    expect(await doubting.submit(id)).toMatchObject({ status: 'complete' });
    expect(doubting.signatures).toBe(plan?.stages.length);
  });
});

describe('a swap whose quote has lapsed', () => {
  it('is not signed; built again with a new quote it goes on under its own id (F29)', async () => {
    const home = await start();
    const request = await swapRequest(home);
    const { requestId } = request;
    const stored = await home.ledger.quote(String(requestId));
    await home.ledger.saveQuote(String(requestId), stored?.quote, 1);
    const { plan } = await home.build('tradeSwap', request);
    const id = plan?.planId ?? '';
    expect(await home.submit(id)).toMatchObject({
      status: 'failed',
      next: expect.stringContaining('new quote'),
    });
    expect(home.signatures).toBe(0);
    const again = await home.build('tradeSwap', await swapRequest(home));
    expect(again.plan).toMatchObject({ planId: id, status: 'ready' });
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
  });
});

describe('the network', () => {
  it('that is another one than the plan was made for is refused (F36, F55)', async () => {
    let genesis: string | undefined;
    const home = await start({
      chain: (chain) => ({ ...chain, genesisHash: async () => genesis ?? chain.genesisHash() }),
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
    await expect(home.submit(plan?.planId ?? '')).rejects.toMatchObject({ code: 'NETWORK_MISMATCH' });
    genesis = undefined;
    const live = home.again({ deps: { mode: 'live' } });
    homes.push(live);
    await expect(live.submit(plan?.planId ?? '')).rejects.toMatchObject({ code: 'NETWORK_MISMATCH' });
    expect(home.signatures + live.signatures).toBe(0);
  });

  it('that no longer exists closes its rows and gives back what they took', async () => {
    const home = await start(sending(() => never));
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    await begin(home, plan?.planId);
    expect(await home.ledger.openRows({})).toHaveLength(1);
    await home.landing.stop();

    const other = await Home.start({ sandbox: { seed: 'another chain' }, deps: { ledger: home.ledger } });
    try {
      const next = await other.build('feeShareConfig', await configRequest(other, 1));
      expect(await other.submit(next.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
      expect((await home.ledger.journal({ planId: plan?.planId ?? '' }))[0]?.state).toBe('chain_gone');
      const rows = await home.ledger.openRows({ network: home.sandbox.genesisHash });
      expect(rows).toEqual([]);
    } finally {
      await other.landing.stop();
      await other.sandbox.close();
    }
  });
});

describe('stopping', () => {
  it('in the middle of a bundle leaves every signature in the journal and begins nothing new (F40)', async () => {
    const home = await start();
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    const working = home.submit(id);
    await vi.waitFor(() => expect(home.sends.length).toBeGreaterThan(0), WAIT);
    await home.landing.stop();
    await working;
    const signed = home.signatures;
    const rows = await home.ledger.journal({ planId: id });
    expect(rows).toHaveLength(signed);
    await expect(home.submit(id)).rejects.toMatchObject({ code: 'STOPPING' });

    const next = home.again();
    homes.push(next);
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    // However slow this machine is: a stage has a second signature only where the first was proven dead.
    const all = await home.ledger.journal({ planId: id });
    expect(signed + next.signatures).toBe(all.length);
    const stages = ['create_token', 'launch', 'lut_deactivate', 'lut_setup'];
    expect([...new Set(all.map(({ stageId }) => stageId))].sort()).toEqual(stages);
    for (const stage of stages) {
      const states = all.filter(({ stageId }) => stageId === stage).map(({ state }) => state);
      expect(states.pop()).toMatch(/confirmed|finalized/);
      expect(states.every((state) => state === 'expired')).toBe(true);
    }
  });
});
