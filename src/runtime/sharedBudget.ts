/**
 * The request budget of one user across processes (F56), leased from the ledger in blocks, so that a burst of reads
 * does not cost a durable write each. A block is valid for the minute it was leased in, under which the ledger counts
 * it: no hour exceeds the limit (docs/contract.md C-LIMIT-01).
 */
import { LIMITS } from '../contract/constants.ts';
import { LedgerError } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/types.ts';
import { type BudgetPurpose, createMemoryBudget, type RateBudget } from '../service/index.ts';

/** Maximum requests leased from the ledger at a time. */
const BLOCK = 50;
/** Requests reserved for reconciling. */
const RECONCILE_RESERVE = 100;
const MINUTE_MS = 60_000;
/** While the ledger is not writable reads continue (T80), each process with this fraction of the limit. */
const ALONE = 10;

export interface SharedBudgetOptions {
  /** Returns milliseconds since the epoch by the ledger's clock. */
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
  /** Leased and unused requests; the reserve is used only for reconciling. */
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
      // Leases as many again as this minute used, so that an idle process leases only what it needs.
      const block = Math.min(BLOCK, Math.max(count - left[purpose], used));
      const perHour = purpose === 'reconcile' ? limit : limit - reserve;
      const leased = await ledger.leaseRequests(origin, block, perHour).catch((error: unknown) => {
        if (error instanceof LedgerError && error.code !== 'LEDGER_BUSY') return undefined;
        throw error;
      });
      if (leased === undefined) return alone.take(count, purpose);
      const { granted, resetAt } = leased;
      // Requests leased in a minute that has ended count for this request only.
      if (minute !== current && granted >= count) return { granted: true };
      if (minute === current) left[purpose] += granted;
      return spend(count, purpose) ? { granted: true } : { granted: false, retryAt: resetAt };
    },
  };
}
