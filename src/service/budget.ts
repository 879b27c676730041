/**
 * The request budget of an account: 5,000 requests an hour over all keys and processes (docs/contract.md C-LIMIT-01).
 * Here it is kept in memory for one process; a budget shared by several processes implements the same interface.
 */
import { LIMITS } from '../contract/constants.ts';

/** What a request is for: reconciling what may have landed keeps a reserve of its own (F56). */
export type BudgetPurpose = 'call' | 'reconcile';

export type BudgetGrant =
  | { readonly granted: true }
  /** `retryAt`: milliseconds since the epoch when enough requests will be free again. */
  | { readonly granted: false; readonly retryAt: number };

export interface RateBudget {
  /** Takes `count` requests out of the budget, or says when to come back. Never waits. */
  take(count: number, purpose: BudgetPurpose): Promise<BudgetGrant>;
}

export const HOUR_MS = 3_600_000;
const BUCKET_MS = 60_000;

/**
 * A sliding-hour budget in minute buckets: never more than `limit` in any hour, a bucket's width stricter than exact.
 * `reserve` requests are kept for reconciling.
 */
export function createMemoryBudget(options: {
  now: () => number;
  limit?: number;
  reserve?: number;
}): RateBudget {
  const { now, limit = LIMITS.requestsPerHour, reserve = Math.min(100, Math.floor(limit / 50)) } = options;
  /** Start of bucket → requests taken in it. */
  const buckets = new Map<number, number>();
  /** The clock never goes back here: a set-back clock must not reopen the window. */
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
