import { describe, expect, it } from 'vitest';
import { LedgerError } from '../../src/ledger/errors.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { createSharedBudget } from '../../src/runtime/sharedBudget.ts';
import fc from '../fc.ts';
import { HOUR, handClock, newFile } from '../ledger/samples.ts';

const ORIGIN = 'https://service.example';

describe('F56 one budget for several processes', () => {
  it('F56 C-LIMIT-01 together never exceed the limit in any hour, and calls leave the reserve unused', async () => {
    const step = fc.tuple(
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 15 * 60_000 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 90 }), async (steps) => {
        const clock = handClock();
        const file = newFile();
        const ledgers = [0, 1, 2].map(() => openLedger({ file, clock }));
        const budgets = ledgers.map((ledger) =>
          createSharedBudget(ledger, ORIGIN, { now: clock.now, limit: 30, reserve: 6 }),
        );
        const granted: { at: number; count: number; call: boolean }[] = [];
        for (const [process, wait, count, call] of steps) {
          clock.at += wait;
          const grant = await budgets[process]?.take(count, call ? 'call' : 'reconcile');
          if (grant?.granted) granted.push({ at: clock.at, count, call });
          else expect(grant?.retryAt).toBeGreaterThan(clock.at);
        }
        await Promise.all(ledgers.map((ledger) => ledger.close()));
        for (const { at } of granted) {
          const hour = granted.filter((other) => other.at > at - HOUR && other.at <= at);
          const sum = (of: typeof hour) => of.reduce((total, { count }) => total + count, 0);
          expect(sum(hour)).toBeLessThanOrEqual(30);
          expect(sum(hour.filter(({ call }) => call))).toBeLessThanOrEqual(24);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('F56 uses the whole budget, within one percent, however many processes share it', async () => {
    const clock = handClock();
    const file = newFile();
    const ledgers = Array.from({ length: 5 }, () => openLedger({ file, clock }));
    const budgets = ledgers.map((ledger) => createSharedBudget(ledger, ORIGIN, { now: clock.now }));
    /** Lets every process draw in turn until the budget is exhausted. */
    const exhaust = async (purpose: 'call' | 'reconcile') => {
      let taken = 0;
      const active = new Set(budgets);
      while (active.size > 0) {
        for (const budget of active) {
          if ((await budget.take(1, purpose)).granted) taken += 1;
          else active.delete(budget);
        }
      }
      return taken;
    };
    expect(await exhaust('call')).toBe(4_900);
    expect(await exhaust('reconcile')).toBe(100);
    expect(await exhaust('call')).toBe(0);
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  });

  it('F56 a process with few requests takes no more than it needs', async () => {
    const clock = handClock();
    const ledger = openLedger({ file: newFile(), clock });
    const slow = createSharedBudget(ledger, ORIGIN, { now: clock.now, limit: 70, reserve: 0 });
    for (let minute = 0; minute < 60; minute += 1) {
      expect(await slow.take(1, 'call')).toEqual({ granted: true });
      clock.at += 60_000;
    }
    const other = createSharedBudget(ledger, ORIGIN, { now: clock.now, limit: 70, reserve: 0 });
    for (let call = 0; call < 10; call += 1) expect(await other.take(1, 'call')).toEqual({ granted: true });
    await ledger.close();
  });

  it('F60 T80 reads continue under an unwritable ledger, with a tenth of the limit', async () => {
    const clock = handClock();
    const ledger = { leaseRequests: () => Promise.reject(new LedgerError('LEDGER_LOST', 'gone')) };
    const budget = createSharedBudget(ledger, ORIGIN, { now: clock.now, limit: 100, reserve: 10 });
    for (let call = 0; call < 9; call += 1) expect(await budget.take(1, 'call')).toEqual({ granted: true });
    expect(await budget.take(1, 'call')).toMatchObject({ granted: false });
  });

  it('F56 a burst costs few durable writes', async () => {
    const clock = handClock();
    let writes = 0;
    const ledger = {
      leaseRequests: async (_: string, want: number) => {
        writes += 1;
        return { granted: want, resetAt: 0 };
      },
    };
    const budget = createSharedBudget(ledger, ORIGIN, { now: clock.now });
    for (let call = 0; call < 1_000; call += 1) await budget.take(1, 'call');
    expect(writes).toBeLessThan(30);
  });
});
