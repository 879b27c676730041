/**
 * The request budget of one user over several processes (F56): taken from the ledger in blocks, so that a burst of
 * reads does not cost a durable write each. A block lasts for the minute it was taken in, which is the minute the
 * ledger counts it under: whatever processes do, no hour sees more than the limit (docs/contract.md C-LIMIT-01).
 */
import { LIMITS } from '../contract/constants.ts';
import { LedgerError } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/types.ts';
import { type BudgetPurpose, createMemoryBudget, type RateBudget } from '../service/index.ts';

/** Most requests taken from the ledger at a time. */
const BLOCK = 50;
/** Kept for reading back what may have happened. */
const RECONCILE_RESERVE = 100;
const MINUTE_MS = 60_000;
/** Under a ledger that cannot be written reads go on (T80), each process with this fraction of the limit. */
const ALONE = 10;

export interface SharedBudgetOptions {
  /** Milliseconds since the epoch, by the clock the ledger has. */
  readonly now: () => number;
  readonly limit?: number;
  readonly reserve?: number;
}

export function createSharedBudget(
  ledger: Pick<Ledger, 'leaseRequests'>,
  origin: string,
  { now, limit = LIMITS.requestsPerHour, reserve = RECONCILE_RESERVE }: SharedBudgetOptions,
): RateBudget {
  let minute = -1;
  /** Taken from the ledger and not used yet; the reserve is never used for anything else. */
  let left: Record<BudgetPurpose, number> = { call: 0, reconcile: 0 };
  let used = 0;

  const spend = (count: number, purpose: BudgetPurpose): boolean => {
    const from = left.call >= count ? 'call' : purpose;
    if (left[from] < count) return false;
    left[from] -= count;
    used += count;
    return true;
  };

  const alone = createMemoryBudget({
    now,
    limit: Math.ceil(limit / ALONE),
    reserve: Math.ceil(reserve / ALONE),
  });

  return {
    take: async (count, purpose) => {
      const current = Math.floor(now() / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        left = { call: 0, reconcile: 0 };
        used = 0;
      }
      if (spend(count, purpose)) return { granted: true };
      // Takes as many again as this minute used: a process that asks seldom takes only what it needs.
      const block = Math.min(BLOCK, Math.max(count - left[purpose], used));
      const perHour = purpose === 'reconcile' ? limit : limit - reserve;
      const leased = await ledger.leaseRequests(origin, block, perHour).catch((error: unknown) => {
        if (error instanceof LedgerError && error.code !== 'LEDGER_BUSY') return undefined;
        throw error;
      });
      if (leased === undefined) return alone.take(count, purpose);
      const { granted, resetAt } = leased;
      // Requests taken in a minute that has ended meanwhile count for this request only.
      if (minute !== current && granted >= count) return { granted: true };
      if (minute === current) left[purpose] += granted;
      return spend(count, purpose) ? { granted: true } : { granted: false, retryAt: resetAt };
    },
  };
}
