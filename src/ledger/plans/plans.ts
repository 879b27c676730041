/** Stored plans, their earlier revisions, and the marks of stages that no journal row speaks of. */
import type { Plan } from '../../plan/types.ts';
import type { Database, Row } from '../sqlite/database.ts';
import { checkSeal, seal } from '../sqlite/seal.ts';
import type { Mark, PlanFilter } from '../types.ts';

/** Most rows a listing returns, whatever was asked (B77). */
const MAX_ROWS = 500;

/** Writes a plan, or its next revision. Inside a write. */
export function writePlan(db: Database, plan: Plan): void {
  const body = JSON.stringify(plan);
  const { planId, intentKey, wallet, network, createdAt } = plan;
  db.run(
    `INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET body = excluded.body, seal = excluded.seal`,
    planId,
    intentKey,
    wallet,
    network,
    createdAt,
    body,
    seal(planId, body),
  );
  db.run('INSERT INTO revisions VALUES (?, ?, ?)', planId, plan.revision, body);
}

function planOf(row: Row): Plan {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('plan_id'), body);
  return JSON.parse(body);
}

export function readPlan(db: Database, planId: string): Plan | undefined {
  const row = db.get('SELECT * FROM plans WHERE plan_id = ?', planId);
  return row && planOf(row);
}

/** Newest first. */
export function listPlans(db: Database, filter: PlanFilter): Plan[] {
  const { wallet = null, network = null, intentKey = null } = filter;
  return db
    .all(
      `SELECT * FROM plans WHERE (?1 IS NULL OR wallet = ?1) AND (?2 IS NULL OR network = ?2)
       AND (?3 IS NULL OR intent_key = ?3) ORDER BY created_at DESC, rowid DESC LIMIT ?4 OFFSET ?5`,
      wallet,
      network,
      intentKey,
      Math.min(Math.max(0, filter.limit ?? 50), MAX_ROWS),
      Math.max(0, filter.offset ?? 0),
    )
    .map(planOf);
}

export function readRevisions(db: Database, planId: string): Plan[] {
  return db
    .all('SELECT body FROM revisions WHERE plan_id = ? ORDER BY revision', planId)
    .map((row): Plan => JSON.parse(row.text('body')));
}

export function setMark(db: Database, planId: string, mark: Omit<Mark, 'at'>): void {
  db.write((at) => {
    db.run(
      'INSERT INTO marks VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
      planId,
      mark.stageId ?? '',
      JSON.stringify({ ...mark, at }),
    );
  });
}

export function clearMark(db: Database, planId: string, stageId?: string): void {
  const known = db.get('SELECT 1 FROM marks WHERE plan_id = ? AND stage_id = ?', planId, stageId ?? '');
  if (known === undefined) return;
  db.write(() => db.run('DELETE FROM marks WHERE plan_id = ? AND stage_id = ?', planId, stageId ?? ''));
}

export function readMarks(db: Database, planId: string): Mark[] {
  return db
    .all('SELECT body FROM marks WHERE plan_id = ?', planId)
    .map((row): Mark => JSON.parse(row.text('body')));
}
