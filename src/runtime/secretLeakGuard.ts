/**
 * The service knows the API key and login it was sent, and may embed them in the bytes of a transaction, where text
 * redaction does not find them. Such a plan is not stored, so that the home contains no secret in plain text.
 */
import type { Ledger } from '../ledger/types.ts';
import { PlanError } from '../plan/errors.ts';
import type { Redactor } from '../secrets/redaction/redact.ts';

/** Wraps `ledger`: refuses plans that contain secrets sent to the service. */
export const guardSecretLeaks = (ledger: Ledger, sent: Pick<Redactor, 'withoutRegistered'>): Ledger => ({
  ...ledger,
  storePlan: async (plan, how) => {
    if (sent.withoutRegistered(plan) !== plan) {
      throw new PlanError('The service embedded one of your secrets in the plan.');
    }
    return ledger.storePlan(plan, how);
  },
});
