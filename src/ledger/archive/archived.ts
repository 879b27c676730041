/** What the ledger keeps of plans that were archived: which, how they ended, and in which file they are now. */
import type { Database, Row } from '../sqlite/database.ts';
import { checkSeal, seal } from '../sqlite/seal.ts';
import type { ArchivedPlan } from '../types.ts';

type Kept = Omit<ArchivedPlan, 'file'>;

/** An archive's number, made when its file is new to this ledger. Inside a write. */
export function ensureArchive(db: Database, file: string, time: number): number {
  db.run('INSERT OR IGNORE INTO archives (file, time) VALUES (?, ?)', file, time);
  return db.get('SELECT id FROM archives WHERE file = ?', file)?.number('id') ?? 0;
}

/** Every archive, oldest first. */
export function listArchives(db: Database): { id: number; file: string; time: number; plans: number }[] {
  return db
    .all(
      `SELECT id, file, time, (SELECT COUNT(*) FROM archived WHERE archive = archives.id) AS plans
       FROM archives ORDER BY id`,
    )
    .map((row) => ({
      id: row.number('id'),
      file: row.text('file'),
      time: row.number('time'),
      plans: row.number('plans'),
    }));
}

/** Notes that a plan is in an archive. Inside a write. */
export function noteArchived(db: Database, archive: number, plan: Kept): void {
  const body = JSON.stringify(plan);
  db.run(
    'INSERT OR REPLACE INTO archived VALUES (?, ?, ?, ?, ?)',
    plan.planId,
    archive,
    plan.intentKey,
    body,
    seal(plan.planId, archive, plan.intentKey, body),
  );
}

/** Newest first. */
export function readArchived(
  db: Database,
  { planId = null, intentKey = null }: { planId?: string | null; intentKey?: string | null },
): ArchivedPlan[] {
  const all = 'SELECT a.*, f.file FROM archived a JOIN archives f ON f.id = a.archive';
  const rows =
    planId !== null
      ? db.all(`${all} WHERE a.plan_id = ?`, planId)
      : intentKey !== null
        ? db.all(`${all} WHERE a.intent_key = ?`, intentKey)
        : db.all(all);
  return rows
    .map(planOf)
    .filter((plan) => intentKey === null || plan.intentKey === intentKey)
    .sort((a, b) => b.createdAt - a.createdAt);
}

function planOf(row: Row): ArchivedPlan {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('plan_id'), row.number('archive'), row.text('intent_key'), body);
  const kept: Kept = JSON.parse(body);
  return { ...kept, file: row.text('file') };
}
