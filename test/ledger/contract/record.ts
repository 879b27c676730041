import type { DecisionInput, Lease, Ledger } from '../../../src/ledger/types.ts';
import type { Check } from '../../../src/policy/decide/types.ts';
import { STAKE_PROGRAM } from '../../../src/transaction/programs.ts';
import {
  fill,
  handClock,
  sampleDecision,
  sampleInput,
  samplePlan,
  sampleReserve,
  sampleRow,
  solPerDay,
  WALLET,
} from '../samples.ts';
import type { OpenStore, StoreTests } from './storeContract.ts';

export function record({ runner, newStore }: StoreTests): void {
  const { afterEach, beforeEach, describe, expect, it } = runner;
  let open: OpenStore;
  let clock: ReturnType<typeof handClock>;
  let ledger: Ledger;
  beforeEach(async () => {
    open = await newStore();
    clock = handClock();
    ledger = await open(clock);
  });
  afterEach(() => ledger.close());

  const leased = async (holder = 'test', ttl = 1000): Promise<Lease> => {
    const lease = await ledger.lease({ wallet: WALLET, holder: holder }, ttl);
    if (lease === undefined) throw new Error('no lease');
    return lease;
  };

  describe('the decision record', () => {
    it('keeps the inputs of each decision', async () => {
      const input = sampleInput(samplePlan(), 'swap', sampleDecision({ effect: 'deny', class: 'policy' }));
      const { id, sequence } = await ledger.recordDecision(input);
      expect(sequence).toBe(1);
      expect((await ledger.rows('decisions', { id, inputs: true }))[0]?.made).toEqual({
        inputs: input.inputs,
        view: input.view,
      });
      expect(await ledger.rows('decisions', { planId: 'plan-1' })).toMatchObject([
        { id, decision: input.decision },
      ]);
      expect(await ledger.count('decisions', { planId: 'plan-1' })).toBe(1);
      expect(await ledger.count('decisions', { planId: 'plan-1', before: 1 })).toBe(0);
    });

    it('freezes signing after several distinct messages denied for security at submit within a period', async () => {
      const deny = (messageSha256: string, purpose: 'preview' | 'sign') => {
        const decision = sampleDecision({ effect: 'deny', class: 'security', messageSha256 });
        const freezeAfter = { count: 3, windowMs: 5_000 };
        return ledger.recordDecision(
          { ...sampleInput(samplePlan(), 'swap', decision), purpose },
          freezeAfter,
        );
      };
      await deny('old', 'sign');
      clock.at += 10_000;
      await deny('a', 'sign');
      await deny('a', 'sign');
      await deny('b', 'sign');
      await deny('c', 'preview');
      expect(await ledger.rows('freezes', {})).toEqual([]);
      await deny('d', 'sign');
      expect(await ledger.rows('freezes', {})).toHaveLength(1);
    });

    it('counts an unlisted program once toward a freeze, whatever messages call it', async () => {
      let last: DecisionInput | undefined;
      const deny = (messageSha256: string, program: string, ...more: Check[]) => {
        const checks: Check[] = [
          { id: 'programAllowed', ok: false, code: 'PROGRAM_NOT_ALLOWED', params: { program } },
          {
            id: 'instructionBelongs',
            ok: false,
            code: 'UNEXPECTED_INSTRUCTION',
            params: { program },
          },
          ...more,
        ];
        const decision = sampleDecision({ effect: 'deny', class: 'security', messageSha256, checks });
        last = { ...sampleInput(samplePlan(), 'swap', decision), purpose: 'sign' };
        return ledger.recordDecision(last);
      };
      /** Returns the number of counted denials: the highest limit at which repeating the last denial freezes. */
      const counted = async () => {
        for (let count = 1; ; count += 1) {
          if (last !== undefined) await ledger.recordDecision(last, { count, windowMs: clock.at });
          if ((await ledger.rows('freezes', {})).length === 0) return count - 1;
          await ledger.freeze({ lifted: undefined });
        }
      };
      for (const message of ['a', 'b', 'c', 'd', 'e']) await deny(message, 'router');
      expect(await counted()).toBe(1);
      await deny('f', 'another router');
      expect(await counted()).toBe(2);
      // An authority change beside it is a distinct attack, and so is a program that no policy can list.
      await deny('g', 'router', { id: 'reach', ok: false, code: 'AUTHORITY_CHANGE' });
      await deny('h', STAKE_PROGRAM);
      await deny('i', STAKE_PROGRAM);
      expect(await counted()).toBe(5);
      // So is an unrequested instruction of another program.
      const withoutQuestion = {
        id: 'instructionBelongs',
        ok: false,
        code: 'UNEXPECTED_INSTRUCTION',
        params: { program: 'other' },
      } as const;
      await deny('j', 'router', withoutQuestion);
      expect(await counted()).toBe(6);
    });
  });

  describe('a lease', () => {
    it('is exclusive until it expires (F43), after which the older holder can write no more', async () => {
      const first = await leased('one', 1000);
      expect(await ledger.lease({ wallet: WALLET, holder: 'two' }, 1000)).toBeUndefined();
      const request = sampleReserve(first, 1n, [solPerDay(10n)]);
      const reserved = await ledger.reserve(request);
      clock.at += 1000;
      const second = await ledger.lease({ wallet: WALLET, holder: 'two' }, 1000);
      expect(second?.fence).toBeGreaterThan(first.fence);

      if (!reserved.ok) throw new Error('not reserved');
      const row = sampleRow(request, 'late');
      await expect(ledger.journalSigned(first, reserved.reservationId, row)).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
      expect(await ledger.reserve(sampleReserve(first, 1n, []))).toEqual({ ok: false, code: 'LEASE_LOST' });
      expect(await ledger.lease(first, 1000)).toBeUndefined();
      expect(await ledger.rows('journal', { signature: 'late' })).toEqual([]);
    });

    it('continues when renewed and is free when released', async () => {
      const lease = await leased('one', 1000);
      clock.at += 900;
      expect(await ledger.lease(lease, 1000)).toMatchObject({ fence: lease.fence });
      clock.at += 900;
      expect(await ledger.lease({ wallet: WALLET, holder: 'two' }, 1000)).toBeUndefined();
      await ledger.lease(lease, 0);
      expect(await ledger.lease({ wallet: WALLET, holder: 'two' }, 1000)).toBeDefined();
    });

    it('of a process known to be gone is free at once', async () => {
      const { hostname } = await import('node:os');
      await leased(`${hostname()}:999999999:dead`, 1e9);
      expect(await ledger.lease({ wallet: WALLET, holder: 'next' }, 1000)).toBeDefined();
    });

    it('returns reservations that the previous holder never signed', async () => {
      const limit = solPerDay(10n);
      const first = await leased('one', 1000);
      await ledger.reserve(sampleReserve(first, 10n, [limit]));
      clock.at += 1000;
      const second = await leased('two', 1000);
      expect(await ledger.reserve(sampleReserve(second, 1n, [limit]))).toMatchObject({ ok: true });
    });
  });

  describe('the journal', () => {
    const signed = async () => {
      const lease = await leased();
      const request = sampleReserve(lease, 1n, [solPerDay(10n)]);
      const outcome = await ledger.reserve(request);
      if (!outcome.ok) throw new Error(outcome.code);
      await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, 'sig'));
      return lease;
    };

    it('moves only along its transitions, and never without a lease if a decision depends on it', async () => {
      const lease = await signed();
      await ledger.journalMove('sig', 'sent', { lease });
      await ledger.journalMove('sig', 'confirmed', { slot: 7 });
      await ledger.journalMove('sig', 'finalized', { slot: 7 });
      await ledger.journalMove('sig', 'finalized', { settled: { actual: [] } });
      await expect(ledger.journalMove('sig', 'sent', { lease })).rejects.toMatchObject({
        code: 'STATE_CONFLICT',
      });
      await expect(ledger.journalMove('sig', 'expired')).rejects.toThrow(TypeError);
      // An older view of the same transaction arrives late.
      await ledger.journalMove('sig', 'confirmed', { slot: 6 });
      expect(await ledger.rows('journal', { signature: 'sig' })).toMatchObject([
        { state: 'finalized', slot: 7 },
      ]);
    });

    it("is refused to a process that lost the wallet's lease", async () => {
      const lease = await signed();
      clock.at += 10_000;
      await leased('other');
      await expect(ledger.journalMove('sig', 'expired', { lease })).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
    });
  });

  describe("the ledger's view of a plan", () => {
    it('is read in one call: the plan, its journal, notes, newest decisions and questions', async () => {
      await fill(ledger, clock, 2);
      const [plan = samplePlan()] = await ledger.rows('plans', {});
      const { planId } = plan;
      await ledger.setPlanNote(planId, { status: 'unknown', code: 'IN_DOUBT' });
      const held = await ledger.planRows(planId, 5);
      expect(held).toEqual({
        plan,
        rows: await ledger.rows('journal', { planId }),
        planNotes: [{ status: 'unknown', code: 'IN_DOUBT', at: clock.at }],
        decisions: await ledger.rows('decisions', { planId, limit: 5 }),
        approvals: await ledger.rows('approvals', { planId }),
        cancelled: false,
      });
      expect([held?.rows.length, held?.planNotes.length, held?.decisions.length]).toEqual([1, 1, 1]);
      expect((await ledger.planRows(planId))?.decisions).toEqual([]);
      expect(await ledger.planRows('of no plan')).toBeUndefined();
    });
  });

  describe('a listing', () => {
    it('beyond the end is empty, and a huge limit is capped (B77)', async () => {
      await ledger.storePlan(samplePlan());
      expect(await ledger.rows('plans', { offset: 10_000 })).toEqual([]);
      expect(await ledger.rows('plans', { limit: 1e9 })).toHaveLength(1);
      expect(await ledger.rows('plans', { limit: -5 })).toEqual([]);
      expect(await ledger.count('plans', { limit: 0, offset: 10_000 })).toBe(1);
      expect(await ledger.count('plans', { intentKey: 'another' })).toBe(0);
    });
  });
}
