/** Notes, freezes, and the shared request budget of a home. */
import type { Database } from '../database.ts';
import { unfrozenNote } from '../frozen.ts';
import type { Freeze, Tables } from '../types.ts';

const HOUR_MINUTES = 60;
const MINUTE_MS = 60_000;
const INSERT = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO NOTHING';

export async function readNote(db: Database, key: string): Promise<string | undefined> {
  return (await db.get('SELECT value FROM notes WHERE key = ?', key))?.maybeText('value');
}

/** See `Ledger.setNote`. */
export async function setNote(
  db: Database,
  key: string,
  value: string,
  how?: { readonly onceUntil: number },
): Promise<boolean> {
  return db.write(async (db, now) => {
    await db.run('UPDATE notes SET value = NULL WHERE forget_at < ? AND value IS NOT NULL', now);
    const conflict =
      how === undefined ? 'UPDATE SET value = excluded.value, forget_at = excluded.forget_at' : 'NOTHING';
    await db.run(
      `INSERT INTO notes VALUES (?, ?, ?) ON CONFLICT (key) DO ${conflict}`,
      ...[key, value, how?.onceUntil ?? null],
    );
    return (await readNote(db, key)) === value;
  });
}

const FREEZE = 'freeze';
const freezeKeyOf = (principal: string | undefined): string =>
  principal === undefined ? FREEZE : `${FREEZE} ${principal}`;

/** Freezes signing for a reason. An existing freeze stays. */
export const freeze = (db: Database, reason: string, principal?: string): Promise<number> =>
  db.write((db, since) =>
    db.run(INSERT, freezeKeyOf(principal), JSON.stringify({ since, reason, principal })),
  );

/** Lifts a freeze and keeps the owner's statement. */
export const unfreeze = (db: Database, statement?: string, principal?: string): Promise<boolean> =>
  db.write(async (db, at) => {
    await db.run('DELETE FROM meta WHERE key = ?', freezeKeyOf(principal));
    return setNote(db, unfrozenNote(principal), JSON.stringify({ at, statement }));
  });

/** Returns the global freeze or that of a principal. */
export async function frozen(db: Database, principal?: string): Promise<Freeze | undefined> {
  const keys = [FREEZE, freezeKeyOf(principal)];
  const row = await db.get('SELECT value FROM meta WHERE key IN (?, ?) ORDER BY key LIMIT 1', ...keys);
  return row && JSON.parse(row.text('value'));
}

/** Returns all freezes, or those that apply to a principal; the global one first. */
export async function readFreezes(
  db: Database,
  { principal }: Tables['freezes']['filter'],
): Promise<Freeze[]> {
  const rows = await db.all(
    "SELECT key, value FROM meta WHERE key = 'freeze' OR key LIKE 'freeze %' ORDER BY key",
  );
  return rows
    .map((row): Freeze => JSON.parse(row.text('value')))
    .filter(
      (each) => principal === undefined || each.principal === undefined || each.principal === principal,
    );
}

/**
 * Leases up to `want` requests of an origin's sliding hour. Counts whole minutes, so that the sum over all processes never
 * exceeds `perHour`.
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
