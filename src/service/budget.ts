/**
 * The request budget of an account: 5,000 requests per hour over all keys and processes (docs/contract.md
 * C-LIMIT-01). This one is in memory for one process; a budget shared by processes implements the same interface.
 */
import { LIMITS } from '../contract/constants.ts';

/** Purpose of a request: reconciling has a reserve of its own (F56). */
export type BudgetPurpose = 'call' | 'reconcile';

export type BudgetGrant =
  | { readonly granted: true }
  /** `retryAt`: when enough requests will be available, milliseconds since the epoch. */
  | { readonly granted: false; readonly retryAt: number };

export interface RateBudget {
  /** Takes `count` requests from the budget, or returns when to retry. Never waits. */
  take(count: number, purpose: BudgetPurpose): Promise<BudgetGrant>;
}

export const HOUR_MS = 3_600_000;
const BUCKET_MS = 60_000;

/**
 * Creates a sliding-hour budget in minute buckets: never more than `limit` in any hour, stricter than exact by a
 * bucket's width. `reserve` requests are kept for reconciling.
 */
export function createMemoryBudget(options: {
  now: () => number;
  limit?: number;
  reserve?: number;
}): RateBudget {
  const { now, limit = LIMITS.requestsPerHour, reserve = Math.min(100, Math.floor(limit / 50)) } = options;
  /** Number of requests by the start of their bucket. */
  const buckets = new Map<number, number>();
  /** Latest time seen: a clock set back must not reopen the window. */
  let latest = 0;

  return {
    async take(count, purpose) {
      latest = Math.max(latest, now());
      let used = 0;
      for (const [start, taken] of buckets) {
        if (start + BUCKET_MS + HOUR_MS <= latest) buckets.delete(start);
        else used += taken;
      }
      const allowed = purpose === 'reconcile' ? limit : limit - reserve;
      if (used + count > allowed) {
        let free = allowed - used;
        let retryAt = latest + HOUR_MS;
        for (const [start, taken] of [...buckets].sort(([a], [b]) => a - b)) {
          free += taken;
          if (free >= count) {
            retryAt = start + BUCKET_MS + HOUR_MS;
            break;
          }
        }
        return { granted: false, retryAt };
      }
      const bucket = latest - (latest % BUCKET_MS);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
      return { granted: true };
    },
  };
}
