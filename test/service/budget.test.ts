import { describe, expect, it } from 'vitest';
import { createMemoryBudget, HOUR_MS } from '../../src/service/budget.ts';
import fc from '../fc.ts';

describe('C-LIMIT-01 the request budget', () => {
  it('F56 never allows more than the limit in any hour, and keeps the reserve for reconciling', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.integer({ min: 0, max: 20 * 60_000 }), fc.integer({ min: 1, max: 5 }), fc.boolean()),
          {
            maxLength: 120,
          },
        ),
        async (steps) => {
          let now = 0;
          const budget = createMemoryBudget({ now: () => now, limit: 20, reserve: 5 });
          const granted: { at: number; count: number; call: boolean }[] = [];
          for (const [wait, count, call] of steps) {
            now += wait;
            const grant = await budget.take(count, call ? 'call' : 'reconcile');
            if (grant.granted) granted.push({ at: now, count, call });
            else expect(grant.retryAt).toBeGreaterThan(now);
          }
          for (const { at } of granted) {
            const hour = granted.filter((other) => other.at > at - HOUR_MS && other.at <= at);
            expect(hour.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(20);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('F56 calls stop at the reserve, reconciling continues to the limit', async () => {
    const budget = createMemoryBudget({ now: () => 0, limit: 10, reserve: 4 });
    expect(await budget.take(6, 'call')).toEqual({ granted: true });
    expect(await budget.take(1, 'call')).toMatchObject({ granted: false });
    expect(await budget.take(4, 'reconcile')).toEqual({ granted: true });
    expect(await budget.take(1, 'reconcile')).toMatchObject({ granted: false });
  });

  it('states when enough is free again, correctly', async () => {
    let now = 30 * 60_000;
    const budget = createMemoryBudget({ now: () => now, limit: 10, reserve: 0 });
    await budget.take(10, 'call');
    const grant = await budget.take(1, 'call');
    if (grant.granted) throw new Error('the limit was not kept');
    now = grant.retryAt - 1;
    expect(await budget.take(1, 'call')).toMatchObject({ granted: false });
    now = grant.retryAt;
    expect(await budget.take(1, 'call')).toEqual({ granted: true });
  });

  it('F47 a clock that goes back does not reopen the window', async () => {
    let now = 10 * HOUR_MS;
    const budget = createMemoryBudget({ now: () => now, limit: 3, reserve: 0 });
    await budget.take(3, 'call');
    now = 0;
    expect(await budget.take(1, 'call')).toMatchObject({ granted: false });
  });
});
