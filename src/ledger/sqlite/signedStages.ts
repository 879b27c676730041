/** The signed stages of a plan, for the statement of its run. */
import type { SignedStage } from '../../statement/run.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import { type Database, whereOf } from '../database.ts';
import { corrupt } from '../errors.ts';
import { movesOfText } from '../moves.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type { Tables } from '../types.ts';
import { listDecisions } from './decisions.ts';

/** Returns the reserved and signed stages of a plan, oldest first, without one reservation. */
export async function readSignedStages(
  db: Database,
  { planId, principal }: Tables['signedStages']['filter'],
  without = 0,
): Promise<SignedStage[]> {
  const { where, values } = whereOf(
    ['r.plan_id = ?', planId],
    ['r.id != ?', without],
    [`r.plan_id IN (${OWN_PLANS})`, principal],
  );
  const rows = await db.all(
    `SELECT r.stage_id, r.decision, j.state, j.moves FROM reservations r
     LEFT JOIN journal j ON j.reservation = r.id
     WHERE r.state != 'released' AND ${where} ORDER BY r.id`,
    ...values,
  );
  const stages: SignedStage[] = [];
  for (const row of rows) {
    const stageId = row.text('stage_id');
    const [record] = await listDecisions(db, { id: `decision-${row.maybeNumber('decision')}` });
    if (record?.planId !== planId || record.stageId !== stageId)
      throw corrupt('The decision of a reservation is missing.');
    const { statement, pin } = record.decision;
    const moves = row.maybeText('moves');
    stages.push({
      stageId,
      state: stateOf(row.maybeText('state')),
      statement,
      ...(pin === undefined ? {} : { pin }),
      ...(moves === undefined ? {} : { moved: byAsset(movesOfText(moves).changes) }),
    });
  }
  return stages;
}

/** A reservation without a journal row may be signed at any moment. */
function stateOf(state: string | undefined): SignedStage['state'] {
  if (state === 'confirmed' || state === 'finalized') return 'landed';
  return state === 'failed' ? 'failed' : 'inFlight';
}

/** SOL and wrapped SOL are one asset. */
function byAsset(
  changes: readonly { readonly asset: string; readonly units: bigint }[],
): ReadonlyMap<string, bigint> {
  const moved = new Map<string, bigint>();
  for (const { asset, units } of changes) {
    const key = asset === WSOL_MINT ? 'SOL' : asset;
    moved.set(key, (moved.get(key) ?? 0n) + units);
  }
  return moved;
}
