/** What landed transactions moved, kept beside the journal for the history. */

import type { Database, Row } from '../database.ts';
import { corrupt } from '../errors.ts';
import type { Moves, RecordedMoves } from '../moves.ts';
import { checkSeal, seal } from '../sqlite/seal.ts';
import type { JournalRow } from '../types.ts';
import { OWN_PLANS } from './plans.ts';

/** A row as its JSON holds it: amounts as decimal text. */
interface Kept extends Omit<RecordedMoves, 'feeLamports' | 'changes'> {
  readonly feeLamports: string;
  readonly changes: readonly { readonly asset: string; readonly units: string; readonly decimals: number }[];
}

/** Records what a signed transaction moved; another look at the same landing replaces it. Inside a write. */
export async function recordMoves(db: Database, row: JournalRow | undefined, moves: Moves): Promise<void> {
  if (row === undefined) throw corrupt('A settled signature has no row in the journal.');
  const { signature, planId, stageId, wallet, network } = row;
  const kept: Kept = {
    ...moves,
    signature,
    planId,
    stageId,
    wallet,
    network,
    recordedAt: await db.time(),
    feeLamports: `${moves.feeLamports}`,
    changes: moves.changes.map((change) => ({ ...change, units: `${change.units}` })),
  };
  const body = JSON.stringify(kept);
  await db.run(
    `INSERT INTO landings VALUES (?, ?, ?, ?)
     ON CONFLICT (signature) DO UPDATE SET body = excluded.body, seal = excluded.seal`,
    signature,
    planId,
    body,
    seal(signature, planId, body),
  );
}

/** Oldest first. */
export async function readMoves(
  db: Database,
  { planId, principal }: { planId?: string; principal?: string },
): Promise<RecordedMoves[]> {
  const asked = [
    ...(planId === undefined ? [] : [{ where: 'plan_id = ?', value: planId }]),
    ...(principal === undefined ? [] : [{ where: `plan_id IN (${OWN_PLANS})`, value: principal }]),
  ];
  const where = asked.map((each) => each.where).join(' AND ') || 'TRUE';
  const rows = await db.all(`SELECT * FROM landings WHERE ${where}`, ...asked.map(({ value }) => value));
  return rows.map(movesOf).sort((a, b) => a.slot - b.slot || a.recordedAt - b.recordedAt);
}

function movesOf(row: Row): RecordedMoves {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('signature'), row.text('plan_id'), body);
  const kept: Kept = JSON.parse(body);
  return {
    ...kept,
    feeLamports: BigInt(kept.feeLamports),
    changes: kept.changes.map((change) => ({ ...change, units: BigInt(change.units) })),
  };
}
