/** What the ledger keeps of plans that were archived: which, how they ended, and in which file they are now. */
import type { Database, Row } from '../database.ts';
import { checkSeal, seal } from '../sqlite/seal.ts';
import type { ArchivedPlan } from '../types.ts';

type Kept = Omit<ArchivedPlan, 'file'>;

/** An archive's number, made when its file is new to this ledger. Inside a write. */
export async function ensureArchive(db: Database, file: string, time: number): Promise<number> {
  await db.run('INSERT INTO archives (file, time) VALUES (?, ?) ON CONFLICT (file) DO NOTHING', file, time);
  return (await db.get('SELECT id FROM archives WHERE file = ?', file))?.number('id') ?? 0;
}

/** Every archive, oldest first. */
export async function listArchives(
  db: Database,
): Promise<{ id: number; file: string; time: number; plans: number }[]> {
  return (
    await db.all(
      `SELECT id, file, time, (SELECT COUNT(*) FROM archived WHERE archive = archives.id) AS plans
       FROM archives ORDER BY id`,
    )
  ).map((row) => ({
    id: row.number('id'),
    file: row.text('file'),
    time: row.number('time'),
    plans: row.number('plans'),
  }));
}

/** Notes that a plan is in an archive. Inside a write. */
export async function noteArchived(db: Database, archive: number, plan: Kept): Promise<void> {
  const body = JSON.stringify(plan);
  await db.run(
    `INSERT INTO archived VALUES (?, ?, ?, ?, ?) ON CONFLICT (plan_id) DO UPDATE
     SET archive = excluded.archive, intent_key = excluded.intent_key, body = excluded.body, seal = excluded.seal`,
    plan.planId,
    archive,
    plan.intentKey,
    body,
    seal(plan.planId, archive, plan.intentKey, body),
  );
}

/** Newest first. */
export async function readArchived(
  db: Database,
  { planId = null, intentKey = null }: { planId?: string | null; intentKey?: string | null },
): Promise<ArchivedPlan[]> {
  const all = 'SELECT a.*, f.file FROM archived a JOIN archives f ON f.id = a.archive';
  const rows =
    planId !== null
      ? await db.all(`${all} WHERE a.plan_id = ?`, planId)
      : intentKey !== null
        ? await db.all(`${all} WHERE a.intent_key = ?`, intentKey)
        : await db.all(all);
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
