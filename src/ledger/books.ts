/** What every write keeps beside its rows, in whichever database: the newest time, and how many writes there were. */
import type { Clock } from '../clock.ts';
import type { Database, Standing, Watching } from './database.ts';
import { corrupt } from './errors.ts';

/** Where the ledger keeps which one it is, and how often it was written. */
export const LEDGER_ID = 'ledger';
const WRITES = 'writes';
/** Where a ledger keeps that it is retired (`Retired`, as JSON). */
export const RETIRED = 'retired';

const SET_META = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
const META = 'SELECT value FROM meta WHERE key = ?';

type Reads = Pick<Database, 'get'>;

/** Writes a value under a key. Inside a write. */
export const setMeta = (db: Pick<Database, 'run'>, key: string, value: string): Promise<number> =>
  db.run(SET_META, key, value);

/** Which ledger this is: see `Database.standing`. */
export async function standingOf(db: Reads): Promise<Standing | undefined> {
  const ledger = (await db.get(META, LEDGER_ID))?.text('value');
  const count = Number((await db.get(META, WRITES))?.text('value') ?? 0);
  if (!Number.isSafeInteger(count)) throw corrupt('The ledger does not say how often it was written.');
  const retired = (await db.get(META, RETIRED))?.text('value');
  if (ledger === undefined) return undefined;
  return { ledger, count, ...(retired === undefined ? {} : { retired: JSON.parse(retired) }) };
}

/** One process's view of a ledger's time, and the beginning and end of its writes. */
export interface Books {
  time(db: Reads): Promise<number>;
  windowTime(db: Reads): Promise<number>;
  /** Runs `work` as what one write transaction does: told to those who watch, with its time and count kept. */
  written<T>(db: Database, work: (db: Database, time: number) => T | Promise<T>): Promise<T>;
}

export function createBooks(clock: Clock, begin: Watching['begin']): Books {
  /** How far this process's clock is behind the ledger's. */
  let behind = 0;
  /** The window time when this process began, and what its clock had counted by then. */
  const start = { at: clock.now(), counted: clock.passed?.() };

  const time = async (db: Reads): Promise<number> => {
    const newest = Number((await db.get(META, 'time'))?.text('value') ?? 0);
    if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
    const now = clock.now();
    behind = Math.max(behind, newest - now);
    return now + behind;
  };
  return {
    time,
    windowTime: async (db) => {
      const counted = clock.passed?.();
      if (counted === undefined || start.counted === undefined) return time(db);
      // A ledger of before has no such time yet: its newest reservation stands for it.
      const stored =
        (await db.get(META, 'window time'))?.text('value') ??
        (await db.get('SELECT time FROM reservations ORDER BY id DESC LIMIT 1'))?.number('time');
      const newest = Number(stored ?? 0);
      if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
      const passed = counted - start.counted;
      start.at = Math.max(start.at, newest - passed);
      return Math.round(start.at + passed);
    },
    written: async (db, work) => {
      const now = await db.time();
      const standing = await db.standing();
      if (standing !== undefined) begin?.(standing);
      const result = await work(db, now);
      await setMeta(db, 'time', `${now}`);
      await setMeta(db, WRITES, `${(standing?.count ?? 0) + 1}`);
      return result;
    },
  };
}
