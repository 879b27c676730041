/** What every write keeps beside its rows, in whichever database: the newest time, and how many writes there were. */
import type { Clock } from '../clock.ts';
import type { Database, LedgerIdentity, Watching } from './database.ts';
import { corrupt } from './errors.ts';

/** Where the ledger keeps which one it is. */
export const LEDGER_ID = 'ledger';
/** The keys of what every write keeps, where it is kept in `meta`. */
const WRITES = 'writes';
const TIME = 'time';
const WINDOW_TIME = 'window time';
/** Where a ledger keeps that it is retired (`Retired`, as JSON). */
export const RETIRED = 'retired';

const SET_META = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
const META = 'SELECT value FROM meta WHERE key = ?';

type Reads = Pick<Database, 'get'>;

/** Writes a value under a key. Inside a write. */
export const setMeta = (db: Pick<Database, 'run'>, key: string, value: string): Promise<number> =>
  db.run(SET_META, key, value);

/** A number that `meta` holds; `NaN` where it holds something else. */
async function metaNumber(db: Reads, key: string): Promise<number | undefined> {
  const text = (await db.get(META, key))?.text('value');
  return text === undefined ? undefined : Number(text);
}

/** Keeps a time that windows were measured in, so that no later one is less. Inside a write. */
export const keepWindowTime = (db: Pick<Database, 'run'>, time: number): Promise<number> =>
  setMeta(db, WINDOW_TIME, `${time}`);

/** One process's view of a ledger's time, and the beginning and end of its writes. */
export interface Books {
  time(db: Reads): Promise<number>;
  windowTime(db: Reads): Promise<number>;
  /** Which ledger this is: see `Database.identity`. */
  identity(db: Reads): Promise<LedgerIdentity | undefined>;
  /** Runs `work` in one write transaction, updates the write count and time, and notifies waiters. */
  written<T>(db: Database, work: (db: Database, time: number) => T | Promise<T>): Promise<T>;
}

export function createBooks(clock: Clock, begin: Watching['begin']): Books {
  /** How far this process's clock is behind the ledger's. */
  let behind = 0;
  /** The window time when this process began, and what its clock had counted by then. */
  const start = { at: clock.now(), counted: clock.passed?.() };

  const time = async (db: Reads): Promise<number> => {
    const newest = (await metaNumber(db, TIME)) ?? 0;
    if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
    const now = clock.now();
    behind = Math.max(behind, newest - now);
    return now + behind;
  };
  const identity = async (db: Reads): Promise<LedgerIdentity | undefined> => {
    const ledger = (await db.get(META, LEDGER_ID))?.text('value');
    const count = (await metaNumber(db, WRITES)) ?? 0;
    if (!Number.isSafeInteger(count)) throw corrupt('The ledger does not say how often it was written.');
    const retired = (await db.get(META, RETIRED))?.text('value');
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
