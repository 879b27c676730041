/**
 * Cancelled plans. The cancellation is stored separately from run notes, so that no run of any process clears it:
 * nothing more of the plan is signed, even if the owner approves it later.
 */
import { cancelledNote } from '../../ledger/notes.ts';
import type { Ledger, PlanNote } from '../../ledger/types.ts';

/** The note on a cancelled plan. */
export const CANCELLED: Pick<PlanNote, 'status' | 'code' | 'note'> = {
  status: 'failed',
  code: 'CANCELLED',
  note: 'The plan was cancelled: no further stage is signed. Amounts already spent stay spent. To run it anyway, build it with again: true.',
};

/** Stops a plan. */
export const cancelPlan = (ledger: Pick<Ledger, 'setNote'>, planId: string): Promise<boolean> =>
  ledger.setNote(cancelledNote(planId), 'yes');
