/**
 * The ledger on SQLite: one file, write-ahead log, every commit synced. Nothing is opened, and the native library
 * is not loaded, until the first call; a damaged file makes it read-only.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { writeMoved } from '../backup/movedFile.ts';
import { retire } from '../backup/retire.ts';
import { readChainRows } from '../chains/chainRows.ts';
import { type ChainReport, chainNames, checkTail, verifyChains } from '../chains/verify.ts';
import type { CheckpointKeeper, LastSigned } from '../checkpoint/checkpointFile.ts';
import { createGuard } from '../checkpoint/guard.ts';
import type { Database, OpenDatabase, Watching } from '../database.ts';
import { corrupt, inDatabase, LedgerError, lost } from '../errors.ts';
import { readPlanRows } from '../plans/planRows.ts';
import { setPlanNote } from '../plans/plans.ts';
import { storePlan } from '../plans/runs.ts';
import { readView } from '../plans/view.ts';
import type { ChainRow, Ledger } from '../types.ts';
import { createWakes } from '../wakes.ts';
import { answerApproval, askApproval } from './approvals.ts';
import { openDatabase } from './database.ts';
import { recordDecision } from './decisions.ts';
import { journalMove, journalSigned, readJournal } from './journal.ts';
import { leaseWallet, releaseHeld, reservationNumber, reserve } from './reservations.ts';
import { freeze, leaseRequests, setNote, unfreeze } from './state.ts';
import { countRows, ROWS } from './tables.ts';
import { checkUses } from './windows.ts';

/**
 * Where the ledger is: the file `ledger.db` of a home folder, another file, or a PostgreSQL `database` (its address,
 * `postgres://…`). A home that is named with a database keeps the ledger checkpoint in its folder.
 */
export type LedgerPlace =
  | { readonly home: string; readonly database?: string | undefined }
  | { readonly file: string }
  | { readonly database: string };

export interface LedgerOptions {
  readonly clock: Clock;
  /** Authenticates this home's ledger checkpoint (T80). Absent in the sandbox and for readers. */
  readonly keeper?: CheckpointKeeper;
}

/** The ledger of a home, with its health and its decision chains. */
export interface HomeLedger extends Ledger {
  /** Returns why nothing can be written; `undefined` for a sound ledger. Opens it without a write. */
  damage(): Promise<LedgerError | undefined>;
  /**
   * Ends signing under this ledger for good, in every process, because its home moves into the backup at `place`. Rejects
   * with `STATE_CONFLICT` while a signed transaction may still change or a process holds a wallet.
   */
  retire(place: string): Promise<void>;
  /** Walks every chain of decisions, and returns the first row that does not fit and why, if any. */
  verifyDecisions(): Promise<ChainReport>;
  /** The chains of decisions, the home's first. */
  chains(): Promise<string[]>;
  /** Up to 200 rows of a chain before a place, newest first. Rejects with `LEDGER_CORRUPT` if one is missing. */
  chainRows(chain: string, before?: number): Promise<ChainRow[]>;
}

/**
 * The ledger of a home. Opens nothing until it is used.
 * Its methods reject with `LedgerError`: `LEDGER_CORRUPT`, `LEDGER_LOST`, `LEDGER_UNHEALTHY`, `LEDGER_VERSION`, `LEDGER_BUSY`,
 * `LEASE_LOST`, `NOT_FOUND`, `STATE_CONFLICT`.
 */
export function openLedger(options: LedgerPlace & LedgerOptions): HomeLedger {
  const store = storeOf(options, options.clock);
  const home = 'home' in options ? options.home : undefined;
  const { clock, keeper } = options;
  const guard = createGuard({
    now: clock.now,
    ...(store.file === undefined ? {} : { file: store.file }),
    ...(home === undefined ? {} : { home }),
    ...(keeper === undefined ? {} : { keeper }),
  });
  let opening: Promise<OpenDatabase> | undefined;
  let damage: LedgerError | undefined;
  let checking: Promise<void> | undefined;
  const newest = {};

  const open = async (): Promise<OpenDatabase> => {
    guard.beforeOpening();
    const { begin } = guard.watching;
    const watching = {
      expected: guard.watching.expected === true,
      newest,
      ...(begin === undefined ? {} : { begin }),
    };
    try {
      const db = await store.open(clock, watching);
      damage = await guard.opened(db);
      return db;
    } catch (error) {
      throw watching.expected && isCode(error, 'LEDGER_CORRUPT') ? unreadable : error;
    }
  };
  /** Returns an error with the hints for this kind of store. */
  const withHint = (error: unknown): unknown =>
    store.withHint !== undefined && error instanceof LedgerError ? store.withHint(error) : error;
  const opened = (): Promise<OpenDatabase> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw withHint(error);
    });
    return opening;
  };
  /** Reopens: a lost ledger may have been restored, or another one accepted. */
  const openedAgain = async (): Promise<void> => {
    const before = opening;
    const after = await open().catch((error: unknown) => {
      throw withHint(error);
    });
    opening = Promise.resolve(after);
    checking = undefined;
    await (await before)?.close();
  };
  const noticed = async <T>(call: () => T | Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (thrown) {
      const error = withHint(thrown);
      if (error instanceof LedgerError && ['LEDGER_CORRUPT', 'LEDGER_LOST'].includes(error.code)) {
        damage = error;
      }
      throw error;
    }
  };
  /** Reads one snapshot. */
  const read = async <T>(call: (db: Database) => T | Promise<T>): Promise<T> => {
    const db = await opened();
    return noticed(() => db.snapshot(call));
  };
  const check = (db: Database): Promise<void> =>
    noticed(() => db.snapshot((db) => store.check(db, guard.watching.expected === true)));
  /** Writes. The first write of a process checks the whole ledger before. */
  const write = async <T>(call: (db: Database) => T | Promise<T>): Promise<T> => {
    await opened();
    if (isCode(damage, 'LEDGER_LOST')) await openedAgain();
    const db = await opened();
    if (damage !== undefined) throw withHint(damage);
    checking ??= check(db).catch((error: unknown) => {
      checking = undefined;
      throw error;
    });
    await checking;
    return noticed(() => call(db));
  };
  /** Writes what must not be lost: the checkpoint covers it before the call returns. */
  const writeMarked = async <T>(call: (db: Database) => T | Promise<T>, signed?: LastSigned): Promise<T> => {
    const result = await write(call);
    const db = await opened();
    await noticed(() => guard.committed(db, signed));
    return result;
  };

  return {
    damage: async () => {
      try {
        await write(() => undefined);
        await guard.vouchedFor();
        return undefined;
      } catch (thrown) {
        const error = withHint(thrown);
        if (error instanceof LedgerError) return error;
        throw error;
      }
    },

    retire: async (place) => {
      await write(() => undefined);
      const db = await opened();
      if (guard.watching.expected === true) await guard.beforeSigning(db);
      const retired = await writeMarked(() => retire(db, place));
      if (home !== undefined) writeMoved(home, retired);
    },

    storePlan: (plan, { on, again = false } = {}) => write((db) => storePlan(db, plan, on, again)),
    rows: (table, filter) => read((db) => ROWS[table](db, filter)),
    count: (table, filter) => read((db) => countRows(db, table, filter)),
    planRows: (planId, decisions = 0) => read((db) => readPlanRows(db, planId, decisions)),
    setPlanNote: (planId, planNote) => write((db) => setPlanNote(db, planId, planNote)),
    view: (of) => read((db) => readView(db, of)),
    time: () => read((db) => db.time()),

    recordDecision: (input, freezeAfter) =>
      (freezeAfter === undefined ? write : writeMarked)((db) => recordDecision(db, input, freezeAfter)),
    verifyDecisions: () => read((db) => verifyChains(db)),
    chains: () => read((db) => chainNames(db)),
    chainRows: (chain, before) => read((db) => readChainRows(db, chain, before)),

    lease: (of, ttlMs) => write((db) => leaseWallet(db, of, ttlMs)),
    reserve: async (request) => {
      await write(() => undefined);
      const db = await opened();
      await guard.beforeSigning(db).catch((error: unknown) => {
        throw withHint(error);
      });
      return write((db) => reserve(db, request));
    },
    release: (reservationId) => write((db) => releaseHeld(db, reservationNumber(reservationId))),
    journalSigned: (lease, reservationId, row) =>
      writeMarked((db) => journalSigned(db, lease, reservationId, row), {
        network: row.network,
        deadHeight: row.deadHeight,
      }),
    journalMove: (signature, state, change) => write((db) => journalMove(db, signature, state, change)),

    askApproval: (row) => write((db) => askApproval(db, row)),
    answerApproval: (id, answer) => write((db) => answerApproval(db, id, answer)),

    freeze: async (change, principal) => {
      if (typeof change === 'string') await writeMarked((db) => freeze(db, change, principal));
      else await write((db) => unfreeze(db, change.lifted, principal));
    },
    setNote: (key, value, how) => write((db) => setNote(db, key, value, how)),
    leaseRequests: (origin, want, perHour) => write((db) => leaseRequests(db, origin, want, perHour)),
    ...(store.wakes === undefined ? {} : { wakes: store.wakes }),
    close: async () => {
      await store.wakes?.close();
      const open = opening;
      opening = undefined;
      checking = undefined;
      const db = await open?.catch(() => undefined);
      if (db === undefined) return;
      try {
        if (damage === undefined) await guard.closing(db);
      } catch {
        // The checkpoint stays behind the ledger, as after a kill.
      }
      await db.close();
    },
  };
}

/** The storage of a ledger. */
interface Store {
  /** Absent for a database server. */
  readonly file?: string;
  /** Absent without notifications. */
  readonly wakes?: ReturnType<typeof createWakes>;
  open(clock: Clock, watching: Watching): Promise<OpenDatabase>;
  /** Replaces the hints of an error; absent if they apply as they are. */
  readonly withHint?: (error: LedgerError) => LedgerError;
  /** Checks the whole ledger. `expected`: something was signed under it. */
  check(db: Database, expected: boolean): Promise<void>;
}

function storeOf(place: LedgerPlace, clock: Clock): Store {
  if ('database' in place && place.database !== undefined) {
    const { database } = place;
    return {
      wakes: createWakes((hearing) => {
        const listening = import('../postgres/listener.ts').then(({ listenTo }) =>
          listenTo(database, clock, hearing),
        );
        return async () => (await listening)();
      }),
      open: async (clock, watching) =>
        (await import('../postgres/database.ts')).openPostgres(database, clock, watching),
      withHint: inDatabase,
      check: checkRows,
    };
  }
  const file = 'file' in place ? place.file : join('home' in place ? place.home : '', 'ledger.db');
  return {
    file,
    open: (clock, watching) => openDatabase(file, clock, 'write', watching),
    check: (db, expected) => checkWhole(db, file, expected),
  };
}

const unreadable = lost('The ledger cannot be read as a ledger any more.');

const isCode = (error: unknown, code: LedgerError['code']): boolean =>
  error instanceof LedgerError && error.code === code;

/** Checks the whole file. A file shorter than its pages was cut. */
async function checkWhole(db: Database, file: string, expected: boolean): Promise<void> {
  try {
    await check(db);
  } catch (error) {
    if (!expected || !isCode(error, 'LEDGER_CORRUPT') || !(await isShort(db, file))) throw error;
    throw lost('The ledger was cut: its last pages are missing.');
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function isShort(db: Database, file: string): Promise<boolean> {
  const pages = (await db.get('PRAGMA page_count'))?.number('page_count') ?? 0;
  const bytes = (await db.get('PRAGMA page_size'))?.number('page_size') ?? 0;
  return sizeOf(file) + sizeOf(`${file}-wal`) < pages * bytes;
}

/** Checks the file's structure and rows. */
async function check(db: Database): Promise<void> {
  const report = (await db.all('PRAGMA integrity_check(1)')).map((row) => row.text('integrity_check'));
  if (report[0] !== 'ok') throw corrupt('The ledger file is damaged.');
  await checkRows(db);
}

/** Checks the newest decisions, the uses of limits, and all open rows. */
async function checkRows(db: Database): Promise<void> {
  await checkTail(db);
  await checkUses(db);
  await readJournal(db, { open: true });
}
