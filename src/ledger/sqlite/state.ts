/** Small state of a home: notes, the freeze, stored quotes, and the request budget that processes share. */
import { canonicalJson } from '../../base/canonicalJson.ts';
import { setMeta } from '../books.ts';
import type { Database } from '../database.ts';
import { unfrozenNote } from '../frozen.ts';
import type { Freeze } from '../types.ts';

const HOUR_MINUTES = 60;
const MINUTE_MS = 60_000;
const QUOTES_KEPT_MS = 7 * 24 * HOUR_MINUTES * MINUTE_MS;

export async function readNote(db: Database, key: string): Promise<string | undefined> {
  return (await db.get('SELECT value FROM meta WHERE key = ?', `note ${key}`))?.text('value');
}

export async function setNote(db: Database, key: string, value: string): Promise<void> {
  await db.write((db) => setMeta(db, `note ${key}`, value));
}

/**
 * Freezes signing, of one principal or of all. The first freeze stays until it is lifted.
 */
export async function freeze(db: Database, reason: string, principal?: string): Promise<void> {
  await db.write(async (db, since) => {
    if ((await frozen(db, principal)) === undefined)
      await setMeta(db, freezeKeyOf(principal), JSON.stringify({ since, reason, principal }));
  });
}

/** Lifts a freeze and keeps who said so. */
export async function unfreeze(db: Database, statement?: string, principal?: string): Promise<void> {
  await db.write(async (db, at) => {
    await db.run('DELETE FROM meta WHERE key = ?', freezeKeyOf(principal));
    const note = JSON.stringify({ at, ...(statement === undefined ? {} : { statement }) });
    await setNote(db, unfrozenNote(principal), note);
  });
}

export async function frozen(db: Database, principal?: string): Promise<Freeze | undefined> {
  const text = (await db.get('SELECT value FROM meta WHERE key = ?', freezeKeyOf(principal)))?.text('value');
  return text === undefined ? undefined : JSON.parse(text);
}

/** Every freeze, that of all first. */
export async function freezes(db: Database): Promise<Freeze[]> {
  const rows = await db.all(
    "SELECT key, value FROM meta WHERE key = 'freeze' OR key LIKE 'freeze %' ORDER BY key",
  );
  return rows.map((row) => JSON.parse(row.text('value')));
}

const freezeKeyOf = (principal: string | undefined): string =>
  principal === undefined ? 'freeze' : `freeze ${principal}`;

/** What stands where a quote was: its id is never free again, though its content is gone. */
const FORGOTTEN = 'null';

/**
 * Keeps a quote under its id, for good: a swap is judged by the quote its id names, so nothing may take its place
 * (T68). A swap that landed is read back with its quote, so the content stays a week after it expired, the id for ever.
 * False, with the first quote left as it is, where another one stands under this id; the same content again is fine.
 */
export async function saveQuote(
  db: Database,
  requestId: string,
  quote: unknown,
  expiresAt: number,
): Promise<boolean> {
  return db.write(async (db, now) => {
    const body = canonicalJson(quote);
    await db.run(
      'UPDATE quotes SET body = ? WHERE expires_at < ? AND body <> ?',
      FORGOTTEN,
      now - QUOTES_KEPT_MS,
      FORGOTTEN,
    );
    const known = (await db.get('SELECT body FROM quotes WHERE request_id = ?', requestId))?.text('body');
    if (known !== undefined) return known !== FORGOTTEN && canonicalJson(JSON.parse(known)) === body;
    await db.run('INSERT INTO quotes VALUES (?, ?, ?)', requestId, body, expiresAt);
    return true;
  });
}

export async function readQuote(
  db: Database,
  requestId: string,
): Promise<{ quote: unknown; expiresAt: number } | undefined> {
  const row = await db.get('SELECT body, expires_at FROM quotes WHERE request_id = ?', requestId);
  if (row === undefined || row.text('body') === FORGOTTEN) return undefined;
  return { quote: JSON.parse(row.text('body')), expiresAt: row.number('expires_at') };
}

/**
 * Takes up to `want` requests from an origin's sliding hour. Whole minutes are counted, and a minute leaves the
 * hour only when all of it has: the sum over all processes never exceeds `perHour`.
 */
export async function leaseRequests(
  db: Database,
  origin: string,
  want: number,
  perHour: number,
): Promise<{ granted: number; resetAt: number }> {
  return db.write(async (db, now) => {
    const minute = Math.floor(now / MINUTE_MS);
    await db.run('DELETE FROM requests WHERE origin = ? AND minute < ?', origin, minute - HOUR_MINUTES);
    const row = await db.get(
      'SELECT COALESCE(SUM(count), 0) AS n, MIN(minute) AS oldest FROM requests WHERE origin = ?',
      origin,
    );
    const granted = Math.max(0, Math.min(want, perHour - (row?.number('n') ?? 0)));
    if (granted > 0) {
      await db.run(
        `INSERT INTO requests VALUES (?, ?, ?)
         ON CONFLICT (origin, minute) DO UPDATE SET count = requests.count + excluded.count`,
        origin,
        minute,
        granted,
      );
    }
    const oldest = row?.maybeNumber('oldest') ?? minute;
    return { granted, resetAt: (oldest + HOUR_MINUTES + 1) * MINUTE_MS };
  });
}
