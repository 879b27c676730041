/** A plan with everything the ledger holds of it, in one read: another process may write between two. */
import { readApprovals } from '../sqlite/approvals.ts';
import type { Database } from '../sqlite/database.ts';
import { listDecisions } from '../sqlite/decisions.ts';
import { readJournal } from '../sqlite/journal.ts';
import { readNote } from '../sqlite/state.ts';
import type { PlanRows, Signed } from '../types.ts';
import { CANCELLED_NOTE, cancelledNote } from './cancelled.ts';
import { readMarks, readPlan, readRevisions } from './plans.ts';

/** `records` is the ledger a plan was archived from, which keeps what was decided and asked of it. */
export const readPlanRows = (
  db: Database,
  planId: string,
  decisions: number,
  records: Database = db,
): PlanRows | undefined =>
  db.snapshot(() => {
    const plan = readPlan(db, planId);
    return (
      plan && {
        plan,
        rows: readJournal(db, { planId }),
        marks: readMarks(db, planId),
        decisions: decisions === 0 ? [] : listDecisions(records, { planId, limit: decisions }),
        approvals: readApprovals(records, { planId }),
        cancelled: readNote(records, cancelledNote(planId)) === CANCELLED_NOTE,
      }
    );
  });

/** Every signature of a plan, or of all plans of an intent, oldest first. */
export const readSigned = (db: Database, of: { planId: string } | { intentKey: string }): Signed[] =>
  db.snapshot(() => {
    const rows = readJournal(db, of);
    const ids = [...new Set(rows.map(({ planId }) => planId))];
    const revisions = new Map(ids.map((planId) => [planId, readRevisions(db, planId)]));
    return rows.map((row): Signed => {
      const plan = revisions.get(row.planId)?.find(({ revision }) => revision === row.revision);
      const stage = plan?.stages.find(({ id }) => id === row.stageId);
      return { row, ...(plan && { plan }), ...(stage && { stage }) };
    });
  });
