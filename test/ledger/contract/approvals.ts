/** Approvals in the ledger: requested once, answered once, and consumed in the reserving transaction. */
import type { DecidedStage } from '../../../src/approval/run.ts';
import type { JournalState, Lease, Ledger } from '../../../src/ledger/types.ts';
import type { Decision } from '../../../src/policy/decide/types.ts';
import type { Line, Pin } from '../../../src/statement/types.ts';
import {
  handClock,
  sampleDecision,
  samplePlan,
  sampleQuestion,
  sampleReserve,
  sampleRow,
  sampleStatement,
  spending,
  WALLET,
} from '../samples.ts';
import type { OpenStore, StoreTests } from './storeContract.ts';

const NOT_COVERED = { ok: false, code: 'APPROVAL_EXPIRED' };
const ASSET = 'a token';

export function approvals({ runner, newStore }: StoreTests): void {
  const { afterEach, beforeEach, expect, it } = runner;
  let open: OpenStore;
  let clock: ReturnType<typeof handClock>;
  let ledger: Ledger;
  let lease: Lease;
  let asked = 0;
  const plan = samplePlan({ planId: 'plan-a', intentKey: 'intent' });
  beforeEach(async () => {
    open = await newStore();
    clock = handClock();
    ledger = await open(clock);
    const held = await ledger.lease({ wallet: WALLET, holder: 'test' }, 1e12);
    if (held === undefined) throw new Error('no lease');
    lease = held;
  });
  afterEach(() => ledger.close());

  const ask = (stages: readonly DecidedStage[] = [spending('one', 60n), spending('two', 40n)]) =>
    ledger.askApproval(
      sampleQuestion(plan, stages, {
        ...{ id: `approval-${asked}`, createdAt: clock.at, expiresAt: clock.at + 600_000 },
      }),
    );
  const approved = async (stages?: readonly DecidedStage[]): Promise<string> => {
    asked += 1;
    const { id } = await ask(stages);
    await ledger.answerApproval(id, { state: 'approved', channel: 'page' });
    return id;
  };
  type More = NonNullable<Parameters<typeof sampleReserve>[3]>;
  const requestOf = (approvalId: string, stageId: string, amount: bigint, more: More = {}) =>
    sampleReserve(lease, amount, [], { plan, stageId, approvalId, ...more });
  const reserve = (...of: Parameters<typeof requestOf>) => ledger.reserve(requestOf(...of));
  /** Reserves, signs, and updates the journal row. */
  async function sign(
    [...of]: Parameters<typeof requestOf>,
    signature: string,
    ...states: readonly JournalState[]
  ): Promise<void> {
    const request = requestOf(...of);
    const outcome = await ledger.reserve(request);
    if (!outcome.ok) throw new Error(outcome.code);
    const row = { ...sampleRow(request, signature), decisionId: outcome.decisionId };
    expect(await ledger.journalSigned(lease, outcome.reservationId, row)).toMatchObject({ ok: true });
    for (const state of states) await ledger.journalMove(signature, state, { lease, slot: 7 });
  }

  it('that is unanswered, denied or expired reserves nothing', async () => {
    const { id } = await ask();
    expect(await reserve(id, 'one', 60n)).toEqual(NOT_COVERED);
    await ledger.answerApproval(id, { state: 'denied', channel: 'page' });
    expect(await reserve(id, 'one', 60n)).toEqual(NOT_COVERED);
    const next = await approved();
    clock.at += 600_000;
    expect(await reserve(next, 'one', 60n)).toEqual(NOT_COVERED);
    expect(await reserve('approval-of-nobody', 'one', 60n)).toEqual(NOT_COVERED);
    expect(await ledger.rows('signedStages', { planId: plan.planId })).toEqual([]);
  });

  it('is used once: another stage with the same amounts is not covered (T40, B71)', async () => {
    const id = await approved();
    const first = await reserve(id, 'one', 60n);
    expect(first).toMatchObject({ ok: true });
    expect(await reserve(id, 'one too', 60n)).toEqual(NOT_COVERED);
    expect(await reserve(id, 'two', 40n)).toMatchObject({ ok: true });
    expect(await reserve(id, 'three', 1n)).toEqual(NOT_COVERED);
    expect(
      (await ledger.rows('signedStages', { planId: plan.planId })).map(({ stageId }) => stageId),
    ).toEqual(['one', 'two']);
    // A stage that was never signed returns its share.
    if (first.ok) await ledger.release(first.reservationId);
    expect(
      (await ledger.rows('signedStages', { planId: plan.planId })).map(({ stageId }) => stageId),
    ).toEqual(['two']);
    expect(await reserve(id, 'one too', 60n)).toMatchObject({ ok: true });
  });

  it('is a budget: any stage of a later round uses it, and no sum exceeds it', async () => {
    const id = await approved();
    expect(await reserve(id, 'of another round', 61n)).toMatchObject({ ok: true });
    expect(await reserve(id, 'of a later round', 40n)).toEqual(NOT_COVERED);
    expect(await reserve(id, 'of a later round', 39n)).toMatchObject({ ok: true });
  });

  it('reserves amounts for announced stages and counts none of them twice', async () => {
    const id = await approved();
    const announced = [spending('two', 40n)];
    expect(await reserve(id, 'one', 61n, { announced })).toEqual(NOT_COVERED);
    expect(await reserve(id, 'one', 60n, { announced })).toMatchObject({ ok: true });
    // Another worker decided before the first stage was signed, and still announces that stage.
    expect(await reserve(id, 'two', 40n, { announced: [spending('one', 60n)] })).toMatchObject({ ok: true });
  });

  it('of two servers covers the use by one while the other still announces it', async () => {
    const id = await approved();
    const other = await open(clock);
    const [one, two] = [spending('one', 60n), spending('two', 40n)];
    expect(await reserve(id, 'one', 60n, { announced: [two] })).toMatchObject({ ok: true });
    expect(await other.reserve(requestOf(id, 'two', 41n, { announced: [one] }))).toEqual(NOT_COVERED);
    expect(await other.reserve(requestOf(id, 'two', 40n, { announced: [one] }))).toMatchObject({ ok: true });
    expect(await reserve(id, 'three', 1n, { announced: [] })).toEqual(NOT_COVERED);
    expect(await other.rows('signedStages', { planId: plan.planId })).toEqual(
      await ledger.rows('signedStages', { planId: plan.planId }),
    );
    await other.close();
  });

  it('counts amounts signed under another approval, or under none', async () => {
    await ledger.reserve(sampleReserve(lease, 60n, [], { plan, stageId: 'unasked' }));
    const id = await approved([spending('one', 60n)]);
    expect(await reserve(id, 'one', 60n)).toEqual(NOT_COVERED);
  });

  it('is used again by a transaction that lands after it was reported dead', async () => {
    const id = await approved();
    await sign([id, 'one', 60n], 'late', 'sent', 'expired');
    expect(await ledger.rows('signedStages', { planId: plan.planId })).toEqual([]);
    const again = await reserve(id, 'one', 60n);
    expect(again).toMatchObject({ ok: true });
    if (again.ok) await ledger.release(again.reservationId);
    await ledger.journalMove('late', 'confirmed', { slot: 7 });
    expect(await ledger.rows('signedStages', { planId: plan.planId })).toMatchObject([
      { stageId: 'one', state: 'landed' },
    ]);
    expect(await reserve(id, 'in its place', 60n)).toEqual(NOT_COVERED);
    expect(await reserve(id, 'two', 40n)).toMatchObject({ ok: true });
  });

  it('is exhausted once both the replaced transaction and its replacement landed', async () => {
    const id = await approved();
    await sign([id, 'one', 60n], 'late', 'sent', 'expired');
    await sign([id, 'in its place', 60n], 'replacement', 'sent', 'confirmed');
    await ledger.journalMove('late', 'finalized', { slot: 7 });
    expect(await reserve(id, 'two', 40n)).toEqual(NOT_COVERED);
  });

  it('keeps the network fee of a stage that failed on chain and returns the rest', async () => {
    const id = await approved([spending('one', 60n)]);
    await sign([id, 'one', 60n], 'failing', 'sent', 'failed');
    expect(await ledger.rows('signedStages', { planId: plan.planId })).toMatchObject([{ state: 'failed' }]);
    // Later builds may pay up to four times the first build's fee.
    for (const again of ['second', 'third', 'fourth']) {
      await sign([id, `one, ${again}`, 60n], `failing ${again}`, 'sent', 'failed');
    }
    expect(await reserve(id, 'one, fifth', 60n)).toEqual(NOT_COVERED);
  });

  it('asks again for a right granted by an announced stage that was absent when asked', async () => {
    const controls = (party: string | null): Line => ({
      ...{ id: 'controls', source: 'transaction', right: 'mint', of: ASSET, party },
    });
    const grants = (party: string | null): DecidedStage => ({
      id: 'two',
      decision: sampleDecision({ statement: sampleStatement([], '5000', [controls(party)]) }),
    });
    const id = await approved([spending('one', 60n), grants(null)]);
    expect(await reserve(id, 'one', 60n, { announced: [grants('a stranger')] })).toEqual(NOT_COVERED);
    expect(await reserve(id, 'one', 60n, { announced: [] })).toEqual(NOT_COVERED);
    expect(await reserve(id, 'one', 60n, { announced: [grants(null)] })).toMatchObject({ ok: true });
  });

  it('matches payments into a trade against the payouts of signed stages and this one', async () => {
    const bringing = (id: string, out: string, arrives: string): DecidedStage => ({
      id,
      decision: sampleDecision({
        changes: [
          { asset: 'SOL', out, in: '0' },
          { asset: ASSET, out: '0', in: arrives },
        ],
      }),
    });
    const id = await approved([bringing('one', '60', '6'), bringing('two', '40', '4')]);
    const promised = { decision: bringing('', '60', '5').decision, announced: [bringing('two', '40', '5')] };
    expect(await reserve(id, 'one', 60n, promised)).toEqual(NOT_COVERED);
    const honest = { decision: bringing('', '60', '6').decision, announced: [bringing('two', '40', '4')] };
    expect(await reserve(id, 'one', 60n, honest)).toMatchObject({ ok: true });
  });

  it('of an unsupported stage covers its transaction once, with the code deployed then', async () => {
    const unsupported: Line = {
      ...{
        id: 'unsupported',
        source: 'transaction',
        program: 'a program',
        instruction: null,
        reaches: [WALLET],
      },
    };
    const pinned = (digest: string, deployedSlot = '5'): Partial<Decision> & { readonly pin: Pin } => ({
      statement: sampleStatement([], '5000', [unsupported]),
      pin: { digest, programs: [{ address: 'a program', deployedSlot }] },
    });
    const id = await approved([{ id: 'one', decision: sampleDecision(pinned('bytes')) }]);
    for (const decision of [pinned('other bytes'), pinned('bytes', '6')])
      expect(await reserve(id, 'one', 0n, { decision })).toEqual(NOT_COVERED);
    await sign([id, 'one', 0n, { decision: pinned('bytes') }], 'first', 'sent', 'expired');
    // Expired transactions consume nothing.
    await sign([id, 'one', 0n, { decision: pinned('bytes') }], 'second', 'sent', 'confirmed');
    expect(await reserve(id, 'one too', 0n, { decision: pinned('bytes') })).toEqual(NOT_COVERED);
  });

  it.each([
    ['intent', { intentKey: 'another' }],
    ['network', { network: 'another' }],
    ['mode', { mode: 'live' }],
    ['principal', { principal: 'another' }],
    ['operation', { operation: 'send' }],
    ['request', { request: { ...samplePlan().request, fields: { amount: '2' } } }],
  ] as const)('does not cover another %s', async (_, other) => {
    const id = await approved();
    expect(await reserve(id, 'one', 60n, { plan: { ...plan, ...other } })).toEqual(NOT_COVERED);
    expect(await reserve(id, 'one', 60n)).toMatchObject({ ok: true });
  });

  it('does not cover another plan, wallet or policy', async () => {
    const id = await approved();
    expect(await reserve(id, 'one', 60n, { plan: { ...plan, planId: 'plan-b' } })).toEqual(NOT_COVERED);
    expect(await reserve(id, 'one', 60n, { decision: { policyHash: 'another' } })).toEqual(NOT_COVERED);
    const wallet = 'another wallet';
    const theirs = await ledger.lease({ wallet, holder: 'test' }, 1e12);
    if (theirs === undefined) throw new Error('no lease');
    const request = requestOf(id, 'one', 60n, { plan: { ...plan, wallet } });
    expect(await ledger.reserve({ ...request, lease: theirs })).toEqual(NOT_COVERED);
  });

  it('of a started run covers the rest of it for a day', async () => {
    const id = await approved();
    await reserve(id, 'one', 60n);
    clock.at += 23 * 3_600_000;
    expect(await reserve(id, 'two', 20n)).toMatchObject({ ok: true });
    clock.at += 3_600_000;
    expect(await reserve(id, 'three', 20n)).toEqual(NOT_COVERED);
  });

  it('is not started by a stage that was reserved and returned', async () => {
    const id = await approved();
    const first = await reserve(id, 'one', 60n);
    if (first.ok) await ledger.release(first.reservationId);
    clock.at += 600_000;
    expect(await ledger.rows('approvals', { id })).toMatchObject([{ state: 'expired' }]);
    expect(await reserve(id, 'one', 60n)).toEqual(NOT_COVERED);
  });

  it('is answered once, expires, and is one row per question while open', async () => {
    const { id } = await ask();
    expect((await ask()).id).toBe(id);
    await ledger.answerApproval(id, { state: 'denied', channel: 'command' });
    const again = ledger.answerApproval(id, { state: 'approved', channel: 'page' });
    await expect(again).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
    asked += 1;
    const next = await ask();
    expect(next.id).not.toBe(id);
    clock.at += 600_000;
    expect(await ledger.rows('approvals', { id: next.id })).toMatchObject([{ state: 'expired' }]);
    const late = ledger.answerApproval(next.id, { state: 'approved', channel: 'page' });
    await expect(late).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
  });
}
