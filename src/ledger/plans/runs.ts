/**
 * Runs of an intent. A run lasts from the first build of the intent until its plan is complete; every build in between, by
 * any process, is that plan or a later revision of it (T38, T90).
 */
import { sameButBlockhash } from '../../plan/rebuild.ts';
import type { Plan } from '../../plan/types.ts';
import type { Database } from '../database.ts';
import type { BuiltOn, EarlierSignature, JournalState, StageOf } from '../types.ts';
import { failedByMove, failureIn, maySignAgain } from './guarded.ts';
import { listPlans, readMarks, writePlan } from './plans.ts';

/** States of a signature that may still land. */
const MAY_LAND: readonly JournalState[] = ['signed', 'sent', 'unknown'];
const LANDED: readonly JournalState[] = ['confirmed', 'finalized'];

/** Finds or stores the plan of an intent's run, in one transaction: see `Ledger.storePlan`. */
export async function storePlan(
  db: Database,
  plan: Plan,
  on: BuiltOn | undefined,
  again: boolean,
): Promise<{ readonly plan: Plan; readonly stored: boolean }> {
  return db.write(async (db) => {
    const { intentKey, mode } = plan;
    const [newest] = await listPlans(db, { intentKey, mode, limit: 1 });
    if (newest !== undefined && !(await mayFollow(db, newest, plan, on, again))) {
      return { plan: newest, stored: false };
    }
    await writePlan(db, plan);
    return { plan, stored: true };
  });
}

/** Returns whether a plan may follow the newest plan of its intent. */
async function mayFollow(
  db: Database,
  newest: Plan,
  plan: Plan,
  on: BuiltOn | undefined,
  again: boolean,
): Promise<boolean> {
  if (on?.planId !== newest.planId || on.revision !== newest.revision) return false;
  const rows = (
    await db.all('SELECT plan_id, stage_id, state FROM journal WHERE intent_key = ?', plan.intentKey)
  ).map((row) => ({ planId: row.text('plan_id'), id: row.text('stage_id'), state: row.text('state') }));
  if (plan.planId !== newest.planId) {
    return (on.complete === true || again) && !rows.some(({ state }) => isOneOf(MAY_LAND, state));
  }
  // A revision keeps every stage that landed or may land, under the same id.
  const kept = rows
    .filter(({ planId, state }) => planId === plan.planId && isOneOf([...MAY_LAND, ...LANDED], state))
    .every(({ id }) => isKept(newest, plan, id));
  return plan.revision === newest.revision + 1 && kept && !(await isComplete(db, newest.planId));
}

/** Whether a stage is in both plans under the same id. */
function isKept(before: Plan, after: Plan, id: string): boolean {
  const [old, stage] = [before, after].map(({ stages }) => stages.find((each) => each.id === id));
  return old !== undefined && stage !== undefined && sameButBlockhash(old, stage);
}

const isOneOf = (states: readonly JournalState[], state: string): boolean =>
  states.some((known) => known === state);

const isComplete = async (db: Database, planId: string): Promise<boolean> =>
  (await readMarks(db, planId)).some(({ stageId, status }) => stageId === undefined && status === 'complete');

/** Returns whether a newer run of the plan's intent has begun, after which the plan is not signed. */
export const isSuperseded = async (db: Database, planId: string): Promise<boolean> =>
  (await db.get(
    `SELECT 1 FROM plans own JOIN plans p ON p.intent_key = own.intent_key AND p.mode = own.mode AND p.id > own.id
     WHERE own.plan_id = ?`,
    planId,
  )) !== undefined;

/**
 * Returns the signature that excludes another one for a stage: one of this plan, one of another plan of the intent that may
 * still land (T37, T38), or one that trades the same quote (T68).
 */
export async function earlierSignature(
  db: Database,
  {
    planId,
    intentKey,
    stageId,
    wallet,
    quoteId,
  }: Pick<StageOf, 'planId' | 'intentKey' | 'stageId' | 'wallet' | 'quoteId'>,
): Promise<EarlierSignature | undefined> {
  const read = async (where: string, ...values: string[]) =>
    (await db.all(`SELECT * FROM journal WHERE ${where} ORDER BY rowid DESC`, ...values)).map((row) => ({
      ...failureIn(row),
      planId: row.text('plan_id'),
      messageSha256: row.text('message_sha256'),
    }));
  const rows = await read('intent_key = ? AND stage_id = ?', intentKey, stageId);
  const traded =
    quoteId === undefined
      ? []
      : await read("wallet = ? AND quote_id = ? AND state NOT IN ('expired', 'chain_gone')", wallet, quoteId);
  const own = rows.filter((row) => row.planId === planId);
  const found =
    rows.find(({ state }) => isOneOf(MAY_LAND, state)) ??
    own.find(({ state }) => isOneOf(LANDED, state)) ??
    (maySignAgain(own) ? undefined : own.find(({ state }) => state === 'failed')) ??
    traded.find((row) => !failedByMove(row));
  if (found === undefined) return undefined;
  const { state: status, messageSha256 } = found;
  if (status === 'confirmed' || status === 'finalized' || status === 'failed') {
    return { status, messageSha256 };
  }
  return { status: 'unknown', messageSha256 };
}
