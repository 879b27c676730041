/** Plans of an intent's run: one, independent of the building process; effect of its signatures on other plans. */

import { cancelPlan } from '../../../src/execution/sending/cancelled.ts';
import type { BuiltOn, JournalState, Lease, Ledger } from '../../../src/ledger/types.ts';
import { DecodedStage } from '../../../src/plan/decodedStage.ts';
import type { Plan } from '../../../src/plan/types.ts';
import {
  handClock,
  NETWORK,
  samplePlan,
  sampleQuestion,
  sampleReserve,
  sampleRow,
  solPerDay,
  spending,
  usedIn,
  WALLET,
} from '../samples.ts';
import type { OpenStore, StoreTests } from './storeContract.ts';

export function runs({ runner, newStore }: StoreTests): void {
  const { afterEach, beforeEach, describe, expect, it } = runner;
  let open: OpenStore;
  let ledger: Ledger;
  let other: Ledger;
  let lease: Lease;
  const clock = handClock();

  beforeEach(async () => {
    open = await newStore();
    ledger = await open(clock);
    other = await open(clock);
    const held = await ledger.lease({ wallet: WALLET, holder: 'test' }, 1e9);
    if (held === undefined) throw new Error('no lease');
    lease = held;
  });
  afterEach(async () => {
    await ledger.close();
    await other.close();
  });

  const stage: Plan['stages'][number] = {
    id: 'first',
    kind: 'config',
    format: 'v0',
    dependsOn: [],
    transaction: new DecodedStage('AA=='),
    declared: {},
    optional: false,
    refresh: 'never',
    waitSlots: 0,
  };
  const planOf = (planId: string, more: Partial<Plan> = {}): Plan =>
    samplePlan({ planId, intentKey: 'one intent', stages: [stage], ...more });
  const on = ({ planId, revision }: Plan, complete = false): BuiltOn => ({ planId, revision, complete });

  /** Signs a stage of a plan and updates its row. */
  async function sign(plan: Plan, state: JournalState, signature = `signature of ${plan.planId}`) {
    const request = sampleReserve(lease, 1n, [], { plan, stageId: 'first' });
    const outcome = await ledger.reserve(request);
    if (!outcome.ok) return outcome.code;
    await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, signature));
    if (state !== 'signed') await ledger.journalMove(signature, state, { lease });
    return 'signed';
  }
  const complete = (plan: Plan) => ledger.setPlanNote(plan.planId, { status: 'complete' });

  describe('plans of one intent', () => {
    it('stored by two processes at once are one: the second receives the first', async () => {
      const [mine, theirs] = [planOf('plan-mine'), planOf('plan-theirs')];
      expect(await ledger.storePlan(mine)).toEqual({ plan: mine, stored: true });
      expect(await other.storePlan(theirs)).toEqual({ plan: mine, stored: false });
      expect((await ledger.planRows('plan-theirs'))?.plan).toBeUndefined();
      expect((await other.rows('plans', { intentKey: mine.intentKey, mode: mine.mode }))[0]).toEqual(mine);
    });

    it('are rebuilt once: of two next revisions the first is kept', async () => {
      const first = planOf('plan-a');
      await ledger.storePlan(first);
      const [mine, theirs] = [
        planOf('plan-a', { revision: 1 }),
        planOf('plan-a', { revision: 1, answer: { by: 'them' } }),
      ];
      expect((await ledger.storePlan(mine, { on: on(first) })).stored).toBe(true);
      expect(await other.storePlan(theirs, { on: on(first) })).toEqual({ plan: mine, stored: false });
      expect((await ledger.planRows('plan-a'))?.plan).toEqual(mine);
    });

    it('begin exactly one new run if the earlier one was complete before the service was asked', async () => {
      const first = planOf('plan-a');
      await ledger.storePlan(first);
      await complete(first);
      const [mine, theirs] = [planOf('plan-b'), planOf('plan-c')];
      expect((await ledger.storePlan(mine, { on: on(first, true) })).stored).toBe(true);
      expect(await other.storePlan(theirs, { on: on(first, true) })).toEqual({ plan: mine, stored: false });
    });

    it('begin no new run if the earlier one became complete while the service was asked', async () => {
      const first = planOf('plan-a');
      await ledger.storePlan(first);
      await complete(first);
      expect(await other.storePlan(planOf('plan-b'), { on: on(first) })).toEqual({
        plan: first,
        stored: false,
      });
      expect(await other.storePlan(planOf('plan-a', { revision: 1 }), { on: on(first) })).toEqual({
        plan: first,
        stored: false,
      });
    });

    it('begin a new run with `again`, but never while a signature may still land', async () => {
      const first = planOf('plan-a');
      await ledger.storePlan(first);
      await sign(first, 'sent');
      const next = planOf('plan-b');
      const again = () => ledger.storePlan(next, { on: on(first), again: true });
      expect(await again()).toEqual({ plan: first, stored: false });
      await ledger.journalMove('signature of plan-a', 'failed', { slot: 5 });
      expect(await again()).toEqual({ plan: next, stored: true });
    });

    it('differ between sandbox and live mode', async () => {
      await ledger.storePlan(planOf('plan-a'));
      expect((await ledger.storePlan(planOf('plan-b', { mode: 'live' }))).stored).toBe(true);
    });
  });

  describe('a next revision', () => {
    it.each(['signed', 'sent', 'unknown', 'confirmed', 'finalized'] as const)(
      'that omits a stage whose signature is %s is not stored',
      async (state) => {
        const first = planOf('plan-a');
        await ledger.storePlan(first);
        await sign(first, state);
        const without = planOf('plan-a', { revision: 1, stages: [] });
        expect(await ledger.storePlan(without, { on: on(first) })).toEqual({ plan: first, stored: false });
        const withIt = planOf('plan-a', { revision: 1 });
        expect((await ledger.storePlan(withIt, { on: on(first) })).stored).toBe(true);
      },
    );

    it.each(['signed', 'sent', 'unknown', 'confirmed', 'finalized'] as const)(
      'that reuses the id of a stage whose signature is %s for another stage is not stored',
      async (state) => {
        const first = planOf('plan-a');
        await ledger.storePlan(first);
        await sign(first, state);
        const other = planOf('plan-a', {
          revision: 1,
          stages: [{ ...stage, transaction: new DecodedStage('AAAA') }],
        });
        expect(await ledger.storePlan(other, { on: on(first) })).toEqual({ plan: first, stored: false });
      },
    );

    it('may omit a stage that was proven dead', async () => {
      const first = planOf('plan-a');
      await ledger.storePlan(first);
      await sign(first, 'expired');
      const without = planOf('plan-a', { revision: 1, stages: [] });
      expect((await ledger.storePlan(without, { on: on(first) })).stored).toBe(true);
    });

    it('stops a signature decided on the previous bytes', async () => {
      const first = planOf('plan-a');
      await ledger.storePlan(first);
      const decided = { ...sampleReserve(lease, 1n, [], { plan: first, stageId: 'first' }), revision: 0 };
      await other.storePlan(planOf('plan-a', { revision: 1 }), { on: on(first) });
      expect(await ledger.reserve(decided)).toEqual({ ok: false, code: 'REBUILT' });
      expect(await ledger.reserve({ ...decided, revision: 1 })).toMatchObject({ ok: true });
    });
  });

  describe('a landed stage', () => {
    it('does not block the next run, which signs as the first did', async () => {
      const [first, second] = [planOf('plan-a'), planOf('plan-b')];
      await ledger.storePlan(first);
      await sign(first, 'finalized');
      await complete(first);
      await ledger.storePlan(second, { on: on(first, true) });
      expect(await sign(second, 'signed')).toBe('signed');
    });

    it('of the next run leaves nothing to sign for the previous run', async () => {
      const [first, second] = [planOf('plan-a'), planOf('plan-b')];
      await ledger.storePlan(first);
      await sign(first, 'failed');
      await ledger.storePlan(second, { on: on(first), again: true });
      expect(await ledger.reserve(sampleReserve(lease, 1n, [], { plan: first, stageId: 'next' }))).toEqual({
        ok: false,
        code: 'SUPERSEDED',
      });
      expect(await sign(second, 'signed')).toBe('signed');
    });
  });

  describe('between the reservation of a signature and its journal row, another process (T81)', () => {
    const first = planOf('plan-a');
    /** Reserves a stage, runs `meanwhile` in the other process, and writes the journal row. */
    async function signedAround(meanwhile: () => Promise<unknown>) {
      const approval = await askAgain();
      const request = sampleReserve(lease, 5n, [solPerDay(100n)], {
        plan: first,
        stageId: 'first',
        approvalId: approval,
      });
      const outcome = await ledger.reserve(request);
      if (!outcome.ok) throw new Error(outcome.code);
      await meanwhile();
      const written = await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, 'late'));
      return { written };
    }
    const askAgain = async (): Promise<string> => {
      const question = sampleQuestion(first, [spending('first', 5n)], { createdAt: clock.now() });
      const { id } = await ledger.askApproval(question);
      await ledger.answerApproval(id, { state: 'approved', channel: 'command' });
      return id;
    };
    const used = async () => (await usedIn(ledger, [solPerDay(100n)], WALLET, NETWORK))['sol-day'];

    it.each([
      ['freezes signing', 'FROZEN', () => other.freeze('a person')],
      ['cancels the plan', 'CANCELLED', () => cancelPlan(other, first.planId)],
      [
        'begins a new run of the intent with again: true',
        'SUPERSEDED',
        () => other.storePlan(planOf('plan-b'), { on: on(first), again: true }),
      ],
      [
        'builds the plan again',
        'REBUILT',
        () => other.storePlan(planOf('plan-a', { revision: 1 }), { on: on(first) }),
      ],
    ])('%s: no row is written, and the reservations are returned', async (_, code, meanwhile) => {
      await ledger.storePlan(first);
      const { written } = await signedAround(meanwhile);
      expect(written).toEqual({ ok: false, code });
      expect(await other.rows('journal', { planId: first.planId })).toEqual([]);
      expect(await used()).toBe(0n);
      expect(await ledger.rows('signedStages', { planId: first.planId })).toEqual([]);
    });

    it('begins a new run: its own stage is signed, once', async () => {
      await ledger.storePlan(first);
      const next = planOf('plan-b');
      await signedAround(() => other.storePlan(next, { on: on(first), again: true }));
      expect(await sign(next, 'signed')).toBe('signed');
      expect((await other.rows('journal', { intentKey: 'one intent' })).map(({ planId }) => planId)).toEqual([
        'plan-b',
      ]);
    });

    it('cancels and builds plans of other intents: the row is written, and the reservations stay', async () => {
      await ledger.storePlan(first);
      const unrelated = planOf('plan-x', { intentKey: 'another' });
      const { written } = await signedAround(async () => {
        await other.storePlan(unrelated);
        await other.storePlan(planOf('plan-x', { intentKey: 'another', revision: 1 }), { on: on(unrelated) });
        await other.storePlan(planOf('plan-y', { intentKey: 'another' }), {
          on: { ...on(unrelated), revision: 1 },
          again: true,
        });
        await cancelPlan(other, 'plan-x');
      });
      expect(written).toMatchObject({ ok: true });
      expect((await other.rows('journal', { planId: first.planId })).map(({ state }) => state)).toEqual([
        'signed',
      ]);
      expect(await used()).toBe(5n);
      expect(await ledger.rows('signedStages', { planId: first.planId })).toMatchObject([
        { stageId: 'first', state: 'inFlight' },
      ]);
    });
  });
}
