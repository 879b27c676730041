/** Small state of a home: notes, the freeze, stored quotes, and the request budget that processes share. */
import type { Database } from './database.ts';

const HOUR_MINUTES = 60;
const MINUTE_MS = 60_000;
const QUOTES_KEPT_MS = 7 * 24 * HOUR_MINUTES * MINUTE_MS;

export function readNote(db: Database, key: string): string | undefined {
  return db.get('SELECT value FROM meta WHERE key = ?', `note ${key}`)?.text('value');
}

export function setNote(db: Database, key: string, value: string): void {
  put(db, `note ${key}`, value);
}

function put(db: Database, key: string, value: string): void {
  db.write(() =>
    db.run('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', key, value),
  );
}

/** Freezes signing. The first freeze stays until it is lifted. */
export function freeze(db: Database, reason: string): void {
  db.write((since) => {
    if (frozen(db) === undefined) put(db, 'freeze', JSON.stringify({ since, reason }));
  });
}

/** Lifts the freeze and keeps who said so. */
export function unfreeze(db: Database, statement?: string): void {
  db.write((at) => {
    db.run("DELETE FROM meta WHERE key = 'freeze'");
    setNote(db, 'unfrozen', JSON.stringify({ at, ...(statement === undefined ? {} : { statement }) }));
  });
}

export function frozen(db: Database): { readonly since: number; readonly reason: string } | undefined {
  const text = db.get("SELECT value FROM meta WHERE key = 'freeze'")?.text('value');
  return text === undefined ? undefined : JSON.parse(text);
}

/** Keeps a quote. A swap that landed is read back with its quote, so one stays a week after it lapsed. */
export function saveQuote(db: Database, requestId: string, quote: unknown, expiresAt: number): void {
  db.write((now) => {
    db.run('DELETE FROM quotes WHERE expires_at < ?', now - QUOTES_KEPT_MS);
    db.run(
      `INSERT INTO quotes VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET body = excluded.body, expires_at = excluded.expires_at`,
      requestId,
      JSON.stringify(quote),
      expiresAt,
    );
  });
}

export function readQuote(
  db: Database,
  requestId: string,
): { quote: unknown; expiresAt: number } | undefined {
  const row = db.get('SELECT body, expires_at FROM quotes WHERE request_id = ?', requestId);
  return row && { quote: JSON.parse(row.text('body')), expiresAt: row.number('expires_at') };
}

/**
 * Takes up to `want` requests from an origin's sliding hour. Whole minutes are counted, and a minute leaves the
 * hour only when all of it has: the sum over all processes never exceeds `perHour`.
 */
export function leaseRequests(
  db: Database,
  origin: string,
  want: number,
  perHour: number,
): { granted: number; resetAt: number } {
  return db.write((now) => {
    const minute = Math.floor(now / MINUTE_MS);
    db.run('DELETE FROM requests WHERE origin = ? AND minute < ?', origin, minute - HOUR_MINUTES);
    const row = db.get(
      'SELECT COALESCE(SUM(count), 0) AS n, MIN(minute) AS oldest FROM requests WHERE origin = ?',
      origin,
    );
    const granted = Math.max(0, Math.min(want, perHour - (row?.number('n') ?? 0)));
    if (granted > 0) {
      db.run(
        'INSERT INTO requests VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
        origin,
        minute,
        granted,
      );
    }
    const oldest = row?.maybeNumber('oldest') ?? minute;
    return { granted, resetAt: (oldest + HOUR_MINUTES + 1) * MINUTE_MS };
  });
}
