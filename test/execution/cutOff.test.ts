/** Processes that lose their connection, stop, or cannot write: nothing is lost or executed twice. */
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../../src/ledger/errors.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import { eventually } from '../eventually.ts';
import { begin, FAST, landed, landedStages, never, sending, useHomes } from './homes.ts';
import { configRequest, launchRequest, swapRequest } from './requests.ts';

const { start, beside, restart } = useHomes();

describe('a process killed', () => {
  it('between journal and send: the next one sends the same bytes (F38)', async () => {
    const cut = await start(sending(() => never));
    const { plan } = await cut.build('feeShareConfig', await configRequest(cut, 1));
    const id = plan?.planId ?? '';
    await begin(cut, id);
    const [row] = await cut.ledger.rows('journal', { planId: id });
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
    await eventually(() => expect(landed(cut)).toHaveLength(1));
    const next = await restart(cut, FAST);
    expect(await next.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(next.signatures).toBe(0);
    expect(landed(next)).toHaveLength(1);
  });

  it('before the journal row: its reservation is returned and the next process signs the stage', async () => {
    const cut = await start();
    const { plan } = await cut.build('tradeSwap', await swapRequest(cut));
    const id = plan?.planId ?? '';
    // The dying process hangs at the journal and does not renew its lease, which is taken over after expiry.
    const lease: Ledger['lease'] = async (of, ttlMs) =>
      of.fence === undefined || ttlMs === 0 ? cut.ledger.lease(of, ttlMs) : undefined;
    const ledger = { ...cut.ledger, journalSigned: () => never, lease };
    const dying = cut.again({ deps: { ledger, holder: 'dying', timing: { leaseMs: 300 } } });
    void dying.submit(id).catch(() => {});
    await eventually(() => expect(dying.signatures).toBe(1));
    const next = beside(cut, { deps: { timing: { busyMs: 20_000 } } });
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    expect(next.signatures).toBe(1);
    await next.plans.idle();
    expect(await next.ledger.rows('journal', { open: true })).toEqual([]);
    expect(landed(next)).toHaveLength(1);
  });
});

describe('shutdown', () => {
  it('in the middle of a bundle leaves every signature in the journal and starts nothing new (F40)', async () => {
    const home = await start();
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    const working = home.submit(id);
    await eventually(() => expect(home.sends.length).toBeGreaterThan(0));
    await home.plans.stop();
    await working;
    const signed = home.signatures;
    const rows = await home.ledger.rows('journal', { planId: id });
    expect(rows).toHaveLength(signed);
    await expect(home.submit(id)).rejects.toMatchObject({ code: 'STOPPING' });

    const next = beside(home);
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    // Independent of machine speed: a stage has a second signature only if the first was proven expired.
    const all = await home.ledger.rows('journal', { planId: id });
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

describe('a full disk', () => {
  it.each<[string, 'reserve' | 'journalSigned', number]>([
    ['before anything is signed: nothing is', 'reserve', 0],
    ['when the signature is to be written down: nothing is sent', 'journalSigned', 1],
  ])('F44 %s', async (_, write, signatures) => {
    const home = await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    let full = true;
    const refuse = async (...parameters: never[]) => {
      if (full) throw new LedgerError('LEDGER_UNHEALTHY', 'The ledger cannot be written.');
      return Reflect.apply(home.ledger[write], home.ledger, parameters);
    };
    const next = beside(home, { deps: { ledger: { ...home.ledger, [write]: refuse } } });
    await expect(next.submit(id)).rejects.toMatchObject({ code: 'LEDGER_UNHEALTHY', retryable: true });
    expect([next.signatures, next.sends.length]).toEqual([signatures, 0]);
    expect(await next.ledger.rows('journal', { planId: id })).toEqual([]);
    expect(await next.ledger.rows('journal', { open: true })).toEqual([]);

    full = false;
    expect(await next.submit(id)).toMatchObject({ status: 'complete' });
    expect(await landedStages(next, id)).toHaveLength(1);
    expect(landed(next)).toHaveLength(1);
  });
});
