/** The ledger's answer that applies to a run, and when a question is asked. */
import { describe, expect, it } from 'vitest';
import {
  answerCheck,
  ledgerPayload,
  principalsPayload,
  unfreezePayload,
} from '../../src/approval/answers.ts';
import { askPerson, findApproval } from '../../src/approval/approvals.ts';
import { type DecidedStage, runPartsOf } from '../../src/approval/run.ts';
import type { ApprovalChannel } from '../../src/approval/types.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import { handClock, sampleDecision, samplePlan, sampleStatement } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { QUESTION_TIME, stage, TTL_MS, WALLET } from './samples.ts';

const plan = samplePlan({ wallet: WALLET, stages: [stage('swap', 'swap')] });
const MORE = [{ asset: 'SOL', out: '2', in: '0' }];

/** A ledger with the plan, and a run that pays this amount. */
async function home() {
  const clock = handClock(QUESTION_TIME);
  const ledger = openLedger({ home: temporaryHome(), clock });
  await ledger.storePlan(plan);
  const run = (out = '1', policyId = 'test') => {
    const changes = [{ asset: 'SOL', out, in: '0' }];
    const stages: DecidedStage[] = [
      {
        id: 'swap',
        decision: sampleDecision({ policyId, changes: MORE, statement: sampleStatement(changes, '5') }),
      },
    ];
    return runPartsOf(plan, 'a'.repeat(64), stages);
  };
  const askedChannels: string[] = [];
  const channel = (available: boolean): ApprovalChannel => ({
    name: 'page',
    available: async () => available,
    ask: async (id) => void askedChannels.push(id),
  });
  const find = (out = '1', holds = true) => findApproval(ledger, plan.planId, run(out), async () => holds);
  const ask = (out = '1', { channels = [channel(true)], holds = true, policyId = 'test' } = {}) =>
    askPerson(ledger, { plan, run: run(out, policyId), ttlMs: TTL_MS, channels, holds: async () => holds });
  const answer = ({ id }: ApprovalRow, state: 'approved' | 'denied') =>
    ledger.answerApproval(id, { state, channel: 'page' });
  return { clock, ledger, find, ask, answer, channels: askedChannels, channel };
}

describe('the approval found for a run', () => {
  it('has the state of the newest question that covers the run', async () => {
    const { find, ask, answer, clock } = await home();
    expect(await find()).toEqual({ state: 'none', lapsed: false });
    const first = await ask();
    expect(await find()).toEqual({ state: 'pending', row: first });
    // A run that pays more needs a new question; one that pays less does not.
    expect(await find('2')).toEqual({ state: 'none', lapsed: false });
    expect(await find('0')).toMatchObject({ state: 'pending' });
    clock.at += TTL_MS;
    expect(await find()).toEqual({ state: 'none', lapsed: true });
    expect(await find('2')).toEqual({ state: 'none', lapsed: false });
    const second = await ask();
    expect(second.id).not.toBe(first.id);
    await answer(second, 'denied');
    expect(await find()).toMatchObject({ state: 'denied', row: { id: second.id } });
  });

  it('is approved only while the approval is valid, regardless of later questions', async () => {
    const { find, ask, answer } = await home();
    const approval = await answer(await ask(), 'approved');
    await ask('2');
    expect(await find()).toEqual({ state: 'approved', row: approval });
    expect(await find('1', false)).toMatchObject({ state: 'pending' });
  });
});

describe('a question', () => {
  it('is delivered by each available channel, again while it is open, and not once approved', async () => {
    const { ask, answer, channels, channel } = await home();
    const row = await ask('1', { channels: [channel(true), channel(false), channel(true)] });
    expect(channels).toEqual([row.id, row.id]);
    expect(row).toMatchObject({
      state: 'pending',
      createdAt: QUESTION_TIME,
      expiresAt: QUESTION_TIME + TTL_MS,
    });
    expect(row.id).toMatch(/^approval-[0-9a-f]{16}$/);
    expect((await ask()).id).toBe(row.id);
    expect(channels).toHaveLength(3);
    await answer(row, 'approved');
    expect(await ask()).toMatchObject({ id: row.id, state: 'approved' });
    expect(channels).toHaveLength(3);
    // An approval that does not hold needs a new question.
    const anew = await ask('1', { holds: false });
    expect(anew).toMatchObject({ state: 'pending' });
    expect(anew.id).not.toBe(row.id);
  });

  it('is reused if another decision leads to the same statement', async () => {
    const { ask, ledger, answer } = await home();
    const first = await ask();
    expect(await ask('1', { policyId: 'another' })).toEqual(first);
    expect(await ledger.rows('approvals', { planId: plan.planId })).toEqual([first]);
    // A denied approval is not reused for a new question.
    await answer(first, 'denied');
    expect((await ask('1', { policyId: 'another' })).id).not.toBe(first.id);
  });

  it('replaces the open question of its plan if its statement differs', async () => {
    const { ask, ledger } = await home();
    const [one, two] = [await ask(), await ask('2')];
    expect(
      (await ledger.rows('approvals', { planId: plan.planId })).map(({ id, state }) => [id, state]),
    ).toEqual([
      [two.id, 'pending'],
      [one.id, 'expired'],
    ]);
  });
});

describe('an approval of a started run', () => {
  const row = (more: Partial<ApprovalRow> = {}): ApprovalRow => ({
    ...{ id: 'approval-1', planId: 'plan-1', intentKey: 'i', wallet: WALLET, network: 'n' },
    ...{ approvalDigest: 'e', scopeText: '', policyHash: 'p', stages: [], createdAt: 0, expiresAt: 1_000 },
    ...{ state: 'approved', channel: 'elicitation', run: { firstSigned: 500, until: 1_500 } },
    ...more,
  });
  const check = (now: number, began: number | undefined, more: Partial<ApprovalRow> = {}) =>
    answerCheck({
      ...{ mode: 'live', ownerPublicKey: async () => undefined, elicited: () => true, now: () => now },
      began: async () => began,
    })(row(more));

  it('lasts as long after its sealed start as the ledger records for the start', async () => {
    expect(await check(1_599, 600)).toBe(true);
    expect(await check(1_600, 600)).toBe(false);
    expect(await check(1_200, undefined)).toBe(false);
    expect(await check(1_200, undefined, { state: 'expired' })).toBe(false);
    const { run: _none, ...bare } = row();
    const unsealed = { mode: 'live', ownerPublicKey: async () => undefined, elicited: () => true } as const;
    expect(await answerCheck({ ...unsealed, now: () => 9 })(bare)).toBe(true);
    expect(await answerCheck({ ...unsealed, now: () => 9 })(row())).toBe(false);
  });

  it('needs no seal in the sandbox, where only an elicitation of another process is ignored', async () => {
    const parts = { mode: 'sandbox', ownerPublicKey: async () => undefined, now: () => 1_200 } as const;
    expect(await answerCheck(parts)(row({ channel: 'page' }))).toBe(true);
    expect(await answerCheck(parts)(row())).toBe(false);
  });
});

it("signs with the owner key a statement that names the question's subject only", () => {
  expect(unfreezePayload(5)).toEqual({ frozenSince: 5 });
  expect(unfreezePayload(5, 'anna')).toEqual({ frozenSince: 5, principal: 'anna' });
  expect(principalsPayload('d')).toEqual({ principalsSha256: 'd' });
  expect(ledgerPayload('l', 'n', null)).toEqual({ ledger: 'l', network: 'n', instead: null });
});
