/** Stored plans, their earlier revisions, and the plan notes of stages without a journal row. */
import { planOfJson } from '../../plan/stage.ts';
import type { Plan } from '../../plan/types.ts';
import { type Database, type Row, whereOf } from '../database.ts';
import { checkSeal, seal } from '../sqlite/seal.ts';
import type { Ledger, PlanFilter, PlanNote } from '../types.ts';

/** Maximum number of rows of a listing (B77). */
const MAX_ROWS = 500;

/** Writes a plan, or its next revision. Inside a write. */
export async function writePlan(db: Database, plan: Plan): Promise<void> {
  const body = JSON.stringify(plan);
  const { planId, intentKey, mode, wallet, network, principal = null } = plan;
  // The body of the newest revision is stored in `plans` and copied here when another one follows.
  await db.run(
    `UPDATE revisions SET body = (SELECT body FROM plans WHERE plan_id = ?1) WHERE plan_id = ?1 AND body = ''`,
    planId,
  );
  await db.run(
    `INSERT INTO plans (plan_id, intent_key, mode, wallet, network, principal, body, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (plan_id) DO UPDATE SET body = excluded.body, seal = excluded.seal`,
    ...[planId, intentKey, mode, wallet, network, principal, body, seal(planId, principal, body)],
  );
  await db.run("INSERT INTO revisions VALUES (?, ?, '')", planId, plan.revision);
}

/** SQL: the plans of a principal. */
export const OWN_PLANS = 'SELECT plan_id FROM plans WHERE principal = ?';

function planOf(row: Row): Plan {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('plan_id'), row.maybeText('principal'), body);
  return planOfJson(JSON.parse(body));
}

export async function readPlan(db: Database, planId: string): Promise<Plan | undefined> {
  const row = await db.get('SELECT * FROM plans WHERE plan_id = ?', planId);
  return row && planOf(row);
}

export const planWhere = ({ planId, wallet, network, intentKey, mode, principal }: PlanFilter) =>
  whereOf(
    ['plan_id = ?', planId],
    ['wallet = ?', wallet],
    ['network = ?', network],
    ['intent_key = ?', intentKey],
    ['mode = ?', mode],
    ['principal = ?', principal],
  );

/** Newest first. */
export async function listPlans(db: Database, filter: PlanFilter): Promise<Plan[]> {
  const { limit = 50, offset = 0 } = filter;
  const { where, values } = planWhere(filter);
  const rows = await db.all(
    `SELECT * FROM plans WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
    ...values,
    Math.min(Math.max(0, limit), MAX_ROWS),
    Math.max(0, offset),
  );
  return rows.map(planOf);
}

export async function readRevisions(db: Database, planId: string): Promise<Plan[]> {
  return (
    await db.all(
      `SELECT CASE r.body WHEN '' THEN p.body ELSE r.body END AS body
       FROM revisions r LEFT JOIN plans p USING (plan_id) WHERE r.plan_id = ? ORDER BY r.revision`,
      planId,
    )
  ).map((row) => planOfJson(JSON.parse(row.text('body'))));
}

/** Sets the note of a plan or a stage; without a status it is removed. */
export async function setPlanNote(
  db: Database,
  planId: string,
  { stageId = '', ...planNote }: Parameters<Ledger['setPlanNote']>[1],
): Promise<void> {
  const at = [planId, stageId] as const;
  if (planNote.status !== undefined) {
    const stage = stageId === '' ? {} : { stageId };
    await db.write((db, time) =>
      db.run(
        'INSERT INTO plan_notes VALUES (?, ?, ?) ON CONFLICT (plan_id, stage_id) DO UPDATE SET body = excluded.body',
        ...at,
        JSON.stringify({ ...stage, ...planNote, at: time }),
      ),
    );
  } else if (
    (await db.get('SELECT 1 FROM plan_notes WHERE plan_id = ? AND stage_id = ?', ...at)) !== undefined
  ) {
    await db.write((db) => db.run('DELETE FROM plan_notes WHERE plan_id = ? AND stage_id = ?', ...at));
  }
}

export async function readMarks(db: Database, planId: string): Promise<PlanNote[]> {
  return (await db.all('SELECT body FROM plan_notes WHERE plan_id = ?', planId)).map(
    (row): PlanNote => JSON.parse(row.text('body')),
  );
}
