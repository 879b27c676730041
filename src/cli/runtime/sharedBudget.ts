/**
 * The request budget of one user over several processes (F56): taken from the ledger in blocks, so that a read
 * does not cost a durable write.
 */
import { LIMITS } from '../../contract/constants.ts';
import type { Ledger } from '../../ledger/types.ts';
import type { RateBudget } from '../../service/index.ts';

/** Requests taken from the ledger at a time. */
const BLOCK = 50;
/** Kept for reading back what may have happened. */
const RECONCILE_RESERVE = 100;

export function createSharedBudget(ledger: Ledger, origin: string): RateBudget {
  let left = 0;
  return {
    take: async (count, purpose) => {
      if (left < count) {
        const perHour = LIMITS.requestsPerHour - (purpose === 'reconcile' ? 0 : RECONCILE_RESERVE);
        const { granted, resetAt } = await ledger.leaseRequests(origin, Math.max(BLOCK, count), perHour);
        left += granted;
        if (left < count) return { granted: false, retryAt: resetAt };
      }
      left -= count;
      return { granted: true };
    },
  };
}
