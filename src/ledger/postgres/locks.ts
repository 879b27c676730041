/**
 * The locks of a ledger's writes on PostgreSQL, and how many writes each of them saw. A write holds the whole ledger: with
 * all others, or alone where it concerns all. Then it holds the wallets that it concerns, in the order of their locks'
 * numbers, so that no two writes wait for each other; then the chain of a decision. Writes that concern no wallet share a
 * lock of their own. Each of these has a row for its count and its times: one row for all would order all writes again.
 */
import { sha256Text } from '../../base/canonicalJson.ts';
import { type Tally, TIME } from '../books.ts';
import type { Concerns } from '../database.ts';

/** The lock of the whole ledger: any number that no other program uses on this database. */
const WHOLE = 1129270339;
const take = (number: number | bigint): string => `SELECT pg_advisory_xact_lock(${number})`;

/** The lock of the whole ledger, alone. */
export const ALONE = take(WHOLE);

/** The row, and the lock, of writes that concern no wallet. */
const NONE = 'none';
const nameOf = (wallet: string): string => `wallet ${wallet}`;

/** The number of a lock's name. Where two names have one number, their writes wait for each other needlessly, and no more. */
export const lockNumber = (name: string): bigint =>
  BigInt.asIntN(64, BigInt(`0x${sha256Text(name).slice(0, 16)}`));

/** SQL that takes the lock of one commit: who asks whether it was made waits for its end. */
export const commitLock = (id: string): string => take(lockNumber(`commit ${id}`));

/** What a write holds from its beginning. */
export interface Holding {
  /** SQL that takes its locks, in their order. */
  readonly sql: string;
  /** The row of its count and times. */
  readonly row: string;
  covers(concerns: Concerns): boolean;
}

/** What a write must hold that concerns this. */
export function holdingOf(concerns: Concerns): Holding {
  if (concerns === 'all') return { sql: ALONE, row: NONE, covers: () => true };
  const names = concerns.length === 0 ? [NONE] : concerns.map(nameOf);
  const numbers = [...new Set(names.map(lockNumber))].sort((a, b) => (a < b ? -1 : 1));
  const [row = NONE] = [...names].sort();
  return {
    sql: [`SELECT pg_advisory_xact_lock_shared(${WHOLE})`, ...numbers.map(take)].join('; '),
    row,
    covers: (part) =>
      part !== 'all' && (part.length === 0 ? [NONE] : part.map(nameOf)).every((name) => names.includes(name)),
  };
}

/** What a write is begun again with that turned out to concern more than it was begun with. */
export function both(known: Concerns, more: Concerns): Concerns {
  // A wallet and none at once has no lock of its own.
  if (known === 'all' || more === 'all' || known.length === 0 || more.length === 0) return 'all';
  return [...new Set([...known, ...more])];
}

/** One row for each lock. `writes`: how many were committed under it; times are milliseconds since the epoch. */
export const COUNTS =
  'CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, writes BIGINT NOT NULL, time BIGINT NOT NULL, window_time BIGINT)';

/** The count is the sum of the rows, and the newest time the largest of theirs: both only grow. */
export const inRows: Tally = {
  writes: async (db) => (await db.get('SELECT SUM(writes) AS n FROM counts'))?.maybeNumber('n'),
  newest: async (db, which) =>
    (await db.get(`SELECT MAX(${which === TIME ? 'time' : 'window_time'}) AS t FROM counts`))?.maybeNumber(
      't',
    ),
  add: async (db, time, _writes, row = NONE) => {
    await db.run(
      `INSERT INTO counts VALUES (?, 1, ?) ON CONFLICT (name)
       DO UPDATE SET writes = counts.writes + 1, time = GREATEST(counts.time, excluded.time)`,
      row,
      time,
    );
  },
  keepWindowTime: async (db, time, row = NONE) => {
    await db.run(
      `INSERT INTO counts VALUES (?, 0, 0, ?) ON CONFLICT (name)
       DO UPDATE SET window_time = GREATEST(counts.window_time, excluded.window_time)`,
      row,
      time,
    );
  },
};
