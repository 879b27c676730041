/** Limits that count as used after a lost ledger was accepted, each until its window has passed (T80). */
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

/** Returns the window time at which this ledger replaced a lost one; `undefined` for any other ledger. */
export async function acceptedAt(db: Database): Promise<number | undefined> {
  const note = await readNote(db, ACCEPTED_LEDGER);
  if (note === undefined) return undefined;
  const at = Number(/^\{"at":(\d+),/.exec(note)?.[1]);
  if (!Number.isSafeInteger(at)) throw corrupt('The acceptance time of the ledger is unreadable.');
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
