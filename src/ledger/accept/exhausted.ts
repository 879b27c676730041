/** Limits that count as used because a lost ledger was accepted: each until its window has passed since then (T80). */
import { keepWindowTime } from '../books.ts';
import { endOf } from '../calendar.ts';
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';
import { readNote, setNote } from '../sqlite/state.ts';
import type { LimitSpec } from '../types.ts';

/** The note with the time of the acceptance (`at`, a window time) and the owner key's statement. */
const ACCEPTED_LEDGER = 'accepted-ledger';

/** Notes the acceptance in a new ledger. Inside a write. */
export async function noteAcceptance(db: Database, statement: string): Promise<void> {
  const at = await db.windowTime();
  await setNote(db, ACCEPTED_LEDGER, JSON.stringify({ at, statement }));
  await keepWindowTime(db, at);
}

/** When this ledger was accepted in the place of a lost one, in window time; `undefined` for any other ledger. */
export async function acceptedAt(db: Database): Promise<number | undefined> {
  const note = await readNote(db, ACCEPTED_LEDGER);
  if (note === undefined) return undefined;
  const at = Number(/^\{"at":(\d+),/.exec(note)?.[1]);
  if (!Number.isSafeInteger(at)) throw corrupt('The ledger does not say when it was accepted.');
  return at;
}

/** See `StageView.exhausted`. */
export async function exhaustedUntil(
  db: Database,
  limits: readonly LimitSpec[],
): Promise<Record<string, number>> {
  const accepted = await acceptedAt(db);
  if (accepted === undefined) return {};
  const now = await db.windowTime();
  const ends = limits.map((limit): [string, number] => [limit.id, endOf(limit, accepted)]);
  return Object.fromEntries(ends.filter(([, end]) => end > now));
}
