/**
 * Checks that signatures of this process are still in the ledger before the same plan is signed again. If another
 * program removed one from the database, a stage could otherwise be signed twice under one approval (T134).
 */
import { remember } from '../../base/remember.ts';
import { lost } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/types.ts';

/** Wraps `ledger`: reserving for a plan with a missing signature of this process fails with `LEDGER_LOST`. */
export function keepingSigned(ledger: Ledger): Ledger {
  /** Signatures made here, by plan. */
  const made = new Map<string, readonly string[]>();
  return {
    ...ledger,
    reserve: async (request) => {
      const { planId } = request.decision;
      const ours = made.get(planId) ?? [];
      const known = ours.length === 0 ? [] : await ledger.rows('journal', { planId });
      if (ours.some((signature) => !known.some((row) => row.signature === signature)))
        throw lost('The ledger does not know a signature any more that was made here.');
      return ledger.reserve(request);
    },
    journalSigned: async (lease, reservationId, row) => {
      const outcome = await ledger.journalSigned(lease, reservationId, row);
      if (outcome.ok) remember(made, row.planId, [...(made.get(row.planId) ?? []), row.signature]);
      return outcome;
    },
  };
}
