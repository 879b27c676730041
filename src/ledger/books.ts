/** What every write keeps beside its rows, in whichever database: the newest time, and how many writes there were. */
import type { Clock } from '../clock.ts';
import type { Database, Standing, Watching } from './database.ts';
import { corrupt } from './errors.ts';
import { createQueue } from './queue.ts';

/** Where the ledger keeps which one it is. */
export const LEDGER_ID = 'ledger';
/** The keys of what every write keeps, where it is kept in `meta`. */
const WRITES = 'writes';
export const TIME = 'time';
const WINDOW_TIME = 'window time';
/** Where a ledger keeps that it is retired (`Retired`, as JSON). */
export const RETIRED = 'retired';

const SET_META = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
const META = 'SELECT value FROM meta WHERE key = ?';

type Reads = Pick<Database, 'get'>;
type Writes = Pick<Database, 'get' | 'run'>;

/** Writes a value under a key. Inside a write. */
export const setMeta = (db: Pick<Database, 'run'>, key: string, value: string): Promise<number> =>
  db.run(SET_META, key, value);

/** A number that `meta` holds; `NaN` where it holds something else. */
async function metaNumber(db: Reads, key: string): Promise<number | undefined> {
  const text = (await db.get(META, key))?.text('value');
  return text === undefined ? undefined : Number(text);
}

/** Where a database keeps how often its ledger was written, and the newest times: milliseconds since the epoch. */
export interface Tally {
  writes(db: Reads): Promise<number | undefined>;
  newest(db: Reads, which: typeof TIME | typeof WINDOW_TIME): Promise<number | undefined>;
  /** One write more. `writes` were there before it. */
  add(db: Writes, time: number, writes: number, row?: string): Promise<void>;
  keepWindowTime(db: Writes, time: number, row?: string): Promise<void>;
}

/** One row of `meta` for each, where one transaction writes at a time. */
const inMeta: Tally = {
  writes: (db) => metaNumber(db, WRITES),
  newest: (db, which) => metaNumber(db, which),
  add: async (db, time, writes) => {
    await setMeta(db, TIME, `${time}`);
    await setMeta(db, WRITES, `${writes + 1}`);
  },
  keepWindowTime: async (db, time) => void (await setMeta(db, WINDOW_TIME, `${time}`)),
};

/** One process's view of a ledger's time, and the beginning and end of its writes. */
export interface Books {
  time(db: Reads): Promise<number>;
  windowTime(db: Reads): Promise<number>;
  keepWindowTime(db: Writes, time: number, row?: string): Promise<void>;
  /** Which ledger this is: see `Database.standing`. */
  standing(db: Reads): Promise<Standing | undefined>;
  /**
   * Runs `work` as what one write transaction does: told to those who watch, with its time and count kept (in a `row` of
   * its own, where there are several).
   */
  written<T>(db: Database, work: (db: Database, time: number) => T | Promise<T>, row?: string): Promise<T>;
}

export function createBooks(clock: Clock, begin: Watching['begin'], tally: Tally = inMeta): Books {
  /** How far this process's clock is behind the ledger's. */
  let behind = 0;
  /** The window time when this process began, and what its clock had counted by then. */
  const start = { at: clock.now(), counted: clock.passed?.() };
  const inTurn = createQueue();

  const time = async (db: Reads): Promise<number> => {
    const newest = (await tally.newest(db, TIME)) ?? 0;
    if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
    const now = clock.now();
    behind = Math.max(behind, newest - now);
    return now + behind;
  };
  const standing = async (db: Reads): Promise<Standing | undefined> => {
    const ledger = (await db.get(META, LEDGER_ID))?.text('value');
    const count = (await tally.writes(db)) ?? 0;
    if (!Number.isSafeInteger(count)) throw corrupt('The ledger does not say how often it was written.');
    const retired = (await db.get(META, RETIRED))?.text('value');
    if (ledger === undefined) return undefined;
    return { ledger, count, ...(retired === undefined ? {} : { retired: JSON.parse(retired) }) };
  };
  return {
    time,
    standing,
    windowTime: async (db) => {
      const counted = clock.passed?.();
      if (counted === undefined || start.counted === undefined) return time(db);
      const newest = (await tally.newest(db, WINDOW_TIME)) ?? 0;
      if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
      const passed = counted - start.counted;
      start.at = Math.max(start.at, newest - passed);
      return Math.round(start.at + passed);
    },
    keepWindowTime: (db, at, row) => tally.keepWindowTime(db, at, row),
    written: async (db, work, row) => {
      const now = await db.time();
      // In turn: what one write of this process was told is never newer than what the next one is.
      const before = await inTurn(async () => {
        const found = await db.standing();
        if (found !== undefined) await begin?.(found);
        return found;
      });
      const result = await work(db, now);
      await tally.add(db, now, before?.count ?? 0, row);
      return result;
    },
  };
}
