/**
 * A service knows the key and the login it was sent, and may hide them in the bytes of a transaction, where no
 * reader of text finds them. Such a plan is not stored: nothing of this home holds a secret in the clear.
 */
import type { Ledger } from '../ledger/types.ts';
import { PlanError } from '../plan/errors.ts';
import type { Redactor } from '../secrets/redaction/redact.ts';

/** `ledger`, refusing a plan that holds what was sent to the service in confidence. */
export const guardSecretLeaks = (ledger: Ledger, sent: Pick<Redactor, 'withoutRegistered'>): Ledger => ({
  ...ledger,
  storePlan: async (plan, how) => {
    if (sent.withoutRegistered(plan) !== plan) {
      throw new PlanError('The service put a secret of yours into the plan.');
    }
    return ledger.storePlan(plan, how);
  },
});
