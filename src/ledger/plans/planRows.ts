/** All rows of a plan, in one snapshot. */
import type { Plan } from '../../plan/types.ts';
import type { Database } from '../database.ts';
import { cancelledNote } from '../notes.ts';
import { readApprovals } from '../sqlite/approvals.ts';
import { listDecisions } from '../sqlite/decisions.ts';
import { readJournal } from '../sqlite/journal.ts';
import { readNote } from '../sqlite/state.ts';
import type { PlanRows, Signed, Tables } from '../types.ts';
import { readMarks, readPlan, readRevisions } from './plans.ts';

export const readPlanRows = async (
  db: Database,
  planId: string,
  decisions: number,
): Promise<PlanRows | undefined> =>
  db.snapshot(async (db) => {
    const plan = await readPlan(db, planId);
    return (
      plan && {
        plan,
        rows: await readJournal(db, { planId }),
        planNotes: await readMarks(db, planId),
        decisions: decisions === 0 ? [] : await listDecisions(db, { planId, limit: decisions }),
        approvals: await readApprovals(db, { planId }),
        cancelled: (await readNote(db, cancelledNote(planId))) !== undefined,
      }
    );
  });

/** Returns all signatures of an intent, oldest first. */
export const readSigned = async (db: Database, filter: Tables['signed']['filter']): Promise<Signed[]> =>
  db.snapshot(async (db) => {
    const rows = await readJournal(db, filter);
    const ids = [...new Set(rows.map(({ planId }) => planId))];
    const revisions = new Map<string, Plan[]>();
    for (const planId of ids) revisions.set(planId, await readRevisions(db, planId));
    return rows.map((row): Signed => {
      const plan = revisions.get(row.planId)?.find(({ revision }) => revision === row.revision);
      const stage = plan?.stages.find(({ id }) => id === row.stageId);
      return { row, ...(plan && { plan }), ...(stage && { stage }) };
    });
  });
