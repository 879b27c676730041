/**
 * Plans that were stopped for good. It is kept apart from what runs note about a plan, so that no run of any process
 * takes it back; it only ever takes away: nothing more of the plan is signed, even if a person approves it later.
 */
import { CANCELLED_NOTE, cancelledNote } from '../../ledger/plans/cancelled.ts';
import type { Ledger, PlanNote } from '../../ledger/types.ts';

/** What is noted about a cancelled plan. */
export const CANCELLED: Pick<PlanNote, 'status' | 'code' | 'note'> = {
  status: 'failed',
  code: 'CANCELLED',
  note: 'It was cancelled: nothing more of it is signed. What it spent stays spent. To do it after all, build it with again: true.',
};

/** Stops a plan. */
export const cancelPlan = (ledger: Pick<Ledger, 'setNote'>, planId: string): Promise<boolean> =>
  ledger.setNote(cancelledNote(planId), CANCELLED_NOTE);
