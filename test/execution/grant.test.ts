/** "Approve the like": repetitions within a grant's bounds need no approval; everything else does. */
import { afterEach, describe, expect, it } from 'vitest';
import { grantOf } from '../../src/answering/grantTerms.ts';
import { approvalOfRow, usesOfGrant } from '../../src/ledger/sqlite/approvals.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { type Grant, grantedAsset, paidBy } from '../../src/statement/grant.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { randomSource } from '../transaction/fuzz.ts';
import { Home, type HomeOptions } from './home.ts';
import { launchRequest, swapRequest } from './requests.ts';

const DAY = 86_400_000;
const asking = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
});

const homes: Home[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) {
    await home.close();
    await home.sandbox.close();
  }
});

async function start({
  later = { ms: 0 },
  ...options
}: HomeOptions & { later?: { ms: number } } = {}): Promise<Home> {
  const home = await Home.withoutMarket({
    ...options,
    policy: asking,
    clock: (time) => ({ ...time, now: () => time.now() + later.ms }),
  });
  homes.push(home);
  return home;
}

/** Swaps until the plan ends or waits for approval. */
async function swap(home: Home, amount = '100000000') {
  const { plan } = await home.build('tradeSwap', await swapRequest(home, amount));
  const planId = plan?.planId ?? '';
  const answer = await home.submit(planId);
  return {
    planId,
    status: answer.status,
    approval: answer.approval,
    rows: await home.ledger.rows('approvals', { planId }),
  };
}

/** Performs a first swap, approved with a grant for similar ones. */
async function granted(
  home: Home,
  texts: { times: string; total?: string; until?: string; worse?: string },
  amount?: string,
) {
  const { planId, rows } = await swap(home, amount);
  const [row] = rows;
  if (row === undefined) throw new Error('nothing was asked');
  const offer = (await readApprovalView(home.ledger, row.id))?.again;
  if (offer === undefined) throw new Error('the like cannot be granted');
  const grant = grantOf(texts, offer, await home.ledger.time());
  if (grant === undefined) throw new Error('no grant');
  const grantRow = await home.ledger.answerApproval(row.id, { state: 'approved', channel: 'page', grant });
  expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
  return grantRow;
}

const GENEROUS = { times: '5', worse: '20' };

describe('plans similar to one with a grant', () => {
  it('are signed without a question up to the granted number, then ask', async () => {
    const home = await start();
    const { id } = await granted(home, { times: '3', worse: '20' });
    for (let i = 0; i < 3; i += 1) {
      expect(await swap(home)).toMatchObject({
        ...{ status: 'complete', rows: [{ channel: 'grant', grantId: id }] },
        // The result states that nobody was asked.
        approval: { state: 'approved', grantId: id },
      });
    }
    const { status, rows } = await swap(home);
    expect({ status, rows }).toMatchObject({ status: 'approval_required', rows: [{ state: 'pending' }] });
    expect(home.signatures).toBe(4);
  });

  it('may pay less, and not more', async () => {
    const home = await start();
    await granted(home, GENEROUS);
    expect(await swap(home, '30000000')).toMatchObject({ status: 'complete' });
    expect(await swap(home, '110000000')).toMatchObject({ status: 'approval_required' });
  });

  it('stay within the total', async () => {
    const home = await start();
    await granted(home, { times: '9', total: '0.25', worse: '20' });
    expect(await swap(home)).toMatchObject({ status: 'complete' });
    expect(await swap(home)).toMatchObject({ status: 'complete' });
    expect(await swap(home)).toMatchObject({ status: 'approval_required' });
  });

  it('ask at a worse price than granted', async () => {
    const home = await start();
    // The wallet's own purchase worsens the price of the next one.
    await granted(home, { times: '9', worse: '0' });
    expect(await swap(home)).toMatchObject({ status: 'approval_required' });
  });

  it('ask after the grant expired, after the owner ended it, and under a changed policy', async () => {
    const later = { ms: 0 };
    const home = await start({ later });
    const grantRow = await granted(home, { ...GENEROUS, until: '1d' });
    const other = home.again({ policy: (file) => asking({ ...file, id: 'another' }) });
    expect(await swap(other)).toMatchObject({ status: 'approval_required' });
    await other.close();
    expect(await swap(home)).toMatchObject({ status: 'complete' });
    later.ms += DAY;
    expect(await swap(home)).toMatchObject({ status: 'approval_required' });
    const again = await granted(home, GENEROUS);
    expect(await swap(home)).toMatchObject({ status: 'complete' });
    expect(await home.ledger.answerApproval(again.id, { state: 'denied', channel: 'page' })).toMatchObject({
      state: 'approved',
    });
    expect(await swap(home)).toMatchObject({ status: 'approval_required' });
    expect(grantRow.id).not.toBe(again.id);
  });

  it('ask if the owner ended the grant between approval and signature', async () => {
    const home = await start();
    const grantRow = await granted(home, GENEROUS);
    const killed = () => Promise.reject(new Error('killed'));
    const dying = home.again({ policy: asking, deps: { ledger: { ...home.ledger, reserve: killed } } });
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    const planId = plan?.planId ?? '';
    await expect(dying.submit(planId)).rejects.toThrow('killed');
    await dying.plans.stop();
    expect(await home.ledger.rows('approvals', { planId })).toMatchObject([{ channel: 'grant' }]);
    await home.ledger.answerApproval(grantRow.id, { state: 'denied', channel: 'page' });
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(1);
    const [question] = await home.ledger.rows('approvals', { planId, state: 'pending' });
    await home.ledger.answerApproval(question?.id ?? '', { state: 'approved', channel: 'page' });
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
  });

  it('exclude launches and plans of another kind', async () => {
    const home = await start();
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const planId = plan?.planId ?? '';
    await home.submit(planId);
    const [row] = await home.ledger.rows('approvals', { planId });
    expect(row && grantedAsset(approvalOfRow(row))).toBeUndefined();
    expect((await readApprovalView(home.ledger, row?.id ?? ''))?.again).toBeUndefined();
  });
});

describe('a hundred plans of one job', () => {
  it('ask one question under one grant, across a restart, and the next plan asks', async () => {
    const home = await start();
    const times = EXHAUSTIVE ? 99 : 19;
    const { id } = await granted(home, { times: `${times}`, total: '0.2', worse: '5' }, '1000000');
    let server = home;
    for (let i = 0; i < times; i += 1) {
      if (i === 10) server = home.again({ policy: asking });
      expect(await swap(server, '1000000')).toMatchObject({ status: 'complete' });
    }
    const questions = (await home.ledger.rows('approvals', {})).filter(({ channel }) => channel !== 'grant');
    expect(questions).toMatchObject([{ id, state: 'approved' }]);
    expect(home.signatures + server.signatures).toBe(times + 1);
    expect(await swap(server, '1000000')).toMatchObject({ status: 'approval_required' });
    await server.close();
  });
});

describe('two servers', () => {
  it('use a grant no more often than granted', async () => {
    // Both wait for the wallet without a practical limit.
    const deps = { timing: { busyMs: DAY } };
    const home = await start({ deps });
    await granted(home, { times: '2', worse: '20' });
    const other = home.again({ policy: asking, deps });
    const built = [];
    for (let i = 0; i < 6; i += 1) {
      const at = i % 2 === 0 ? home : other;
      built.push({
        at,
        plan: (await at.build('tradeSwap', await swapRequest(home, `${90_000_000 + i}`))).plan,
      });
    }
    const ended = await Promise.all(built.map(({ at, plan }) => at.submit(plan?.planId ?? '')));
    await Promise.all([home, other].map((each) => each.plans.idle()));
    const rows: ApprovalRow[] = [];
    for (const { plan } of built)
      rows.push(...(await home.ledger.rows('approvals', { planId: plan?.planId ?? '' })));
    expect(ended.length).toBe(6);
    expect(rows.filter(({ channel }) => channel === 'grant')).toHaveLength(2);
    expect(home.signatures + other.signatures).toBe(3);
    await other.close();
  });
});

describe('kills and three hosts', () => {
  it('never use a grant beyond its number, total or expiry', async () => {
    const home = await start();
    const times = EXHAUSTIVE ? 200 : 4;
    const grantRow = await granted(home, { times: `${times}`, total: `${times * 0.02}`, worse: '50' });
    const random = randomSource(11);
    const killed = () => Promise.reject(new Error('killed'));
    /** Starts a host that dies at one of its next writes, before or after the commit. */
    const host = (): Home => {
      let writes = random(9);
      const mortal =
        <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          writes -= 1;
          if (writes === 0) return killed();
          const result = await write(...args);
          return writes === -1 ? killed() : result;
        };
      const { askApproval, reserve, journalSigned, recordDecision } = home.ledger;
      const ledger = {
        ...home.ledger,
        ...{ askApproval: mortal(askApproval), reserve: mortal(reserve) },
        ...{ journalSigned: mortal(journalSigned), recordDecision: mortal(recordDecision) },
      };
      return home.again({ policy: asking, deps: { ledger } });
    };
    const plans: string[] = [];
    for (let i = 0; i < (EXHAUSTIVE ? 300 : 8); i += 1) {
      const hosts = [host(), host(), host()];
      const { plan } = await home.build(
        'tradeSwap',
        await swapRequest(home, `${20_000_000 + random(9_000_000)}`),
      );
      plans.push(plan?.planId ?? '');
      await Promise.allSettled(hosts.map((each) => each.submit(plans[random(Math.min(i + 1, 3))] ?? '')));
      await Promise.allSettled(hosts.map((each) => each.submit(plan?.planId ?? '')));
      for (const each of hosts) await each.plans.stop().catch(() => undefined);
    }
    for (const planId of plans) await home.submit(planId).catch(() => undefined);
    await home.plans.idle();
    const rows = await home.ledger.rows('approvals', { grantId: grantRow.id });
    const used = usesOfGrant(rows, grantRow.id);
    const spent = used.reduce((sum, row) => sum + (paidBy(approvalOfRow(row)).get('SOL') ?? 0n), 0n);
    expect(used.length).toBeLessThanOrEqual(times);
    expect(spent).toBeLessThanOrEqual(BigInt(times) * 20_000_000n);
    // Signatures without approval were made under one of the grants.
    const journal = (
      await Promise.all(plans.map((planId) => home.ledger.rows('journal', { planId })))
    ).flat();
    const signed = new Set(journal.map(({ planId }) => planId));
    expect([...signed].filter((planId) => !used.some((row) => row.planId === planId))).toEqual([]);
    expect(signed.size).toBeGreaterThan(2);
  });
});

it('refuses a malformed grant and states the valid values', () => {
  const offer = { asset: 'SOL', decimals: 9, each: '100' };
  const now = Date.UTC(2026, 0, 1);
  expect(grantOf({}, offer, now)).toBeUndefined();
  expect(grantOf({ times: ' ' }, offer, now)).toBeUndefined();
  const usual: Grant = { times: 2, asset: 'SOL', total: '200', until: now + 7 * DAY, worseBps: 100 };
  expect(grantOf({ times: '2' }, offer, now)).toEqual(usual);
  // The maximum cost of a claim may be zero.
  expect(grantOf({ times: '2' }, { ...offer, each: '0' }, now)).toEqual({ ...usual, total: '0' });
  expect(grantOf({ times: '2', total: '1.5', until: '2026-02-01', worse: '0.25' }, offer, now)).toEqual({
    ...{ times: 2, asset: 'SOL', total: '1500000000', until: Date.UTC(2026, 1, 1), worseBps: 25 },
  });
  for (const wrong of [
    { times: '0' },
    { times: '1001' },
    { times: '1.5' },
    { times: 'x' },
    { times: '1', total: '0' },
    { times: '1', total: '-1' },
    { times: '1', total: '1.0000000001' },
    { times: '1', until: '2025-12-31' },
    { times: '1', until: '2027-02-01' },
    { times: '1', until: 'soon' },
    { times: '1', worse: '-1' },
    { times: '1', worse: '51' },
    { times: '1', worse: 'x' },
  ])
    expect(() => grantOf(wrong, offer, now), JSON.stringify(wrong)).toThrow();
});
