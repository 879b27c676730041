/** The ledger's time, write count and identity, which every write updates in `meta`. */
import type { Clock } from '../clock.ts';
import type { Database, LedgerIdentity, Watching } from './database.ts';
import { corrupt } from './errors.ts';

/** The meta key of the ledger's identity. */
export const LEDGER_ID = 'ledger';
const WRITES = 'writes';
const TIME = 'time';
const WINDOW_TIME = 'window time';
/** The meta key of a retirement (`Retired`, as JSON). */
export const RETIRED = 'retired';

const SET_META = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
const META = 'SELECT value FROM meta WHERE key = ?';

type Reads = Pick<Database, 'get'>;

/** Writes a value under a key. Inside a write. */
export const setMeta = (db: Pick<Database, 'run'>, key: string, value: string): Promise<number> =>
  db.run(SET_META, key, value);

export const metaText = async (db: Reads, key: string): Promise<string | undefined> =>
  (await db.get(META, key))?.text('value');

/** Returns a number of `meta`; `NaN` for other text. */
async function metaNumber(db: Reads, key: string): Promise<number | undefined> {
  const text = await metaText(db, key);
  return text === undefined ? undefined : Number(text);
}

/** Stores a window time, the minimum of all later ones. Inside a write. */
export const keepWindowTime = (db: Pick<Database, 'run'>, time: number): Promise<number> =>
  setMeta(db, WINDOW_TIME, `${time}`);

/** A process's view of the ledger's time, and the frame of its writes. */
export interface Books {
  time(db: Reads): Promise<number>;
  windowTime(db: Reads): Promise<number>;
  /** See `Database.identity`. */
  identity(db: Reads): Promise<LedgerIdentity | undefined>;
  /** Runs `work` in one write transaction, updates the write count and time, and notifies waiters. */
  written<T>(db: Database, work: (db: Database, time: number) => T | Promise<T>): Promise<T>;
}

export function createBooks(clock: Clock, begin: Watching['begin']): Books {
  /** Milliseconds by which this process's clock is behind the ledger's. */
  let behind = 0;
  /** The window time and the clock's elapsed time at the start of this process. */
  const start = { at: clock.now(), counted: clock.passed?.() };

  const time = async (db: Reads): Promise<number> => {
    const newest = (await metaNumber(db, TIME)) ?? 0;
    if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
    const now = clock.now();
    behind = Math.max(behind, newest - now);
    return now + behind;
  };
  const identity = async (db: Reads): Promise<LedgerIdentity | undefined> => {
    const ledger = await metaText(db, LEDGER_ID);
    const count = (await metaNumber(db, WRITES)) ?? 0;
    if (!Number.isSafeInteger(count)) throw corrupt('The ledger has no readable write count.');
    const retired = await metaText(db, RETIRED);
    if (ledger === undefined) return undefined;
    return { ledger, count, ...(retired === undefined ? {} : { retired: JSON.parse(retired) }) };
  };
  return {
    time,
    identity,
    windowTime: async (db) => {
      const counted = clock.passed?.();
      if (counted === undefined || start.counted === undefined) return time(db);
      const newest = (await metaNumber(db, WINDOW_TIME)) ?? 0;
      if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
      const passed = counted - start.counted;
      start.at = Math.max(start.at, newest - passed);
      return Math.round(start.at + passed);
    },
    written: async (db, work) => {
      const now = await db.time();
      const before = await db.identity();
      if (before !== undefined) await begin?.(before);
      const result = await work(db, now);
      await setMeta(db, TIME, `${now}`);
      await setMeta(db, WRITES, `${(before?.count ?? 0) + 1}`);
      return result;
    },
  };
}
