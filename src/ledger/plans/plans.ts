/** Stored plans, their earlier revisions, and the plan notes of stages without a journal row. */
import { planOfJson } from '../../plan/stage.ts';
import type { Plan } from '../../plan/types.ts';
import type { Database, Row } from '../database.ts';
import { checkSeal, seal } from '../sqlite/seal.ts';
import type { PlanFilter, PlanNote } from '../types.ts';

/** Most rows a listing returns, whatever was asked (B77). */
const MAX_ROWS = 500;

/** Writes a plan, or its next revision. Inside a write. */
export async function writePlan(db: Database, plan: Plan): Promise<void> {
  const body = JSON.stringify(plan);
  const { planId, intentKey, wallet, network, createdAt } = plan;
  // The newest revision is the plan itself; one that is followed by another keeps what it was.
  await db.run(
    `UPDATE revisions SET body = (SELECT body FROM plans WHERE plan_id = ?1) WHERE plan_id = ?1 AND body = ''`,
    planId,
  );
  await db.run(
    `INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (plan_id) DO UPDATE SET body = excluded.body, seal = excluded.seal`,
    planId,
    intentKey,
    wallet,
    network,
    createdAt,
    body,
    seal(planId, body),
  );
  await db.run("INSERT INTO revisions VALUES (?, ?, '')", planId, plan.revision);
  const { principal } = plan;
  if (principal === undefined || plan.revision > 0) return;
  await db.run('INSERT INTO principals VALUES (?, ?, ?)', planId, principal, seal(planId, principal));
}

/** Whose plan it is. */
export async function principalOf(db: Database, planId: string): Promise<string | undefined> {
  const row = await db.get('SELECT * FROM principals WHERE plan_id = ?', planId);
  if (row === undefined) return undefined;
  const principal = row.text('principal');
  checkSeal(row.text('seal'), planId, principal);
  return principal;
}

/** SQL: the plans of a principal. */
export const OWN_PLANS = 'SELECT plan_id FROM principals WHERE principal = ?';

function planOf(row: Row): Plan {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('plan_id'), body);
  return planOfJson(JSON.parse(body));
}

export async function readPlan(db: Database, planId: string): Promise<Plan | undefined> {
  const row = await db.get('SELECT * FROM plans WHERE plan_id = ?', planId);
  return row && planOf(row);
}

/** The condition of a filter, and its values. */
function conditionOf({ wallet, network, intentKey, principal }: PlanFilter) {
  const asked = [
    ['wallet = ?', wallet],
    ['network = ?', network],
    ['intent_key = ?', intentKey],
    [`plan_id IN (${OWN_PLANS})`, principal],
  ].flatMap(([where, value]) => (value === undefined ? [] : [{ where, value }]));
  return {
    where: asked.map(({ where }) => where).join(' AND ') || 'TRUE',
    values: asked.map((each) => each.value),
  };
}

/** How many there are, whatever the page. */
export async function countPlans(db: Database, filter: PlanFilter): Promise<number> {
  const { where, values } = conditionOf(filter);
  return (
    (await db.get(`SELECT count(*) AS total FROM plans WHERE ${where}`, ...values))?.number('total') ?? 0
  );
}

/** Newest first. */
export async function listPlans(db: Database, filter: PlanFilter): Promise<Plan[]> {
  const { where, values } = conditionOf(filter);
  return (
    await db.all(
      `SELECT * FROM plans WHERE ${where} ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
      ...values,
      Math.min(Math.max(0, filter.limit ?? 50), MAX_ROWS),
      Math.max(0, filter.offset ?? 0),
    )
  ).map(planOf);
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

export async function setPlanNote(
  db: Database,
  planId: string,
  planNote: Omit<PlanNote, 'at'>,
): Promise<void> {
  await db.write(async (db, at) => {
    await db.run(
      'INSERT INTO plan_notes VALUES (?, ?, ?) ON CONFLICT (plan_id, stage_id) DO UPDATE SET body = excluded.body',
      planId,
      planNote.stageId ?? '',
      JSON.stringify({ ...planNote, at }),
    );
  });
}

export async function clearPlanNote(db: Database, planId: string, stageId?: string): Promise<void> {
  const known = await db.get(
    'SELECT 1 FROM plan_notes WHERE plan_id = ? AND stage_id = ?',
    planId,
    stageId ?? '',
  );
  if (known === undefined) return;
  await db.write((db) =>
    db.run('DELETE FROM plan_notes WHERE plan_id = ? AND stage_id = ?', planId, stageId ?? ''),
  );
}

export async function readMarks(db: Database, planId: string): Promise<PlanNote[]> {
  return (await db.all('SELECT body FROM plan_notes WHERE plan_id = ?', planId)).map(
    (row): PlanNote => JSON.parse(row.text('body')),
  );
}
