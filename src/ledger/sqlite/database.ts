/**
 * One SQLite connection: opened safely, statements kept, every write one `BEGIN IMMEDIATE` transaction, every
 * error named: a record that was torn never counted (F45). The rest of the ledger sees only this.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import { corrupt, LedgerError, lost } from '../errors.ts';
import { type LogTail, logTail } from './logTail.ts';
import { makeFile } from './place.ts';
import { SCHEMA, SCHEMA_VERSION, UPGRADABLE } from './schema.ts';

export type Value = string | number | bigint | null;

/** A row whose columns are read by type; another type than expected means a damaged file. */
export class Row {
  private readonly columns: Readonly<Record<string, unknown>>;

  constructor(columns: Readonly<Record<string, unknown>>) {
    this.columns = columns;
  }

  text(name: string): string {
    const value = this.columns[name];
    if (typeof value !== 'string') throw corrupt('A ledger row holds another type than it should.');
    return value;
  }

  number(name: string): number {
    const value = this.columns[name];
    if (typeof value !== 'number') throw corrupt('A ledger row holds another type than it should.');
    return value;
  }

  /** A column as it is, for copying a row. */
  value(name: string): Value {
    const value = this.columns[name];
    if (value === null || typeof value === 'string' || typeof value === 'number') return value;
    throw corrupt('A ledger row holds another type than it should.');
  }

  maybeText = (name: string): string | undefined =>
    this.columns[name] == null ? undefined : this.text(name);
  maybeNumber = (name: string): number | undefined =>
    this.columns[name] == null ? undefined : this.number(name);
}

/** Milliseconds a statement waits for another process's write. SQLite's lock is unfair: half a second was seen. */
const BUSY_TIMEOUT_MS = 10_000;

/** What the ledger's parts need of a connection. */
export interface Database {
  get(sql: string, ...values: Value[]): Row | undefined;
  all(sql: string, ...values: Value[]): Row[];
  /** Runs one writing statement and returns how many rows it changed. Only inside `write`. */
  run(sql: string, ...values: Value[]): number;
  /** Runs a function as one write transaction; durable when it returns. Re-entrant. */
  write<T>(work: (time: number) => T): T;
  /** Runs reads that must all see one state, whatever other processes write meanwhile. */
  snapshot<T>(work: () => T): T;
  /** Milliseconds since the epoch; never less than any time stored, and it goes on from there (F47). */
  time(): number;
  /**
   * The time windows of limits are measured in: like `time`, but it only moves as fast as time passes. A clock that is
   * set ahead while this process runs opens no window early (F47).
   */
  windowTime(): number;
  /** Which ledger this is, and how many writes it has had. Only `undefined` for one that this version did not write. */
  standing(): Standing | undefined;
  /** Runs something that writes nothing while no other process can write either. */
  hold<T>(work: () => T): T;
  close(): void;
}

/** A ledger's identity (32 hex digits) and the number of its committed writes. */
export interface Standing {
  readonly ledger: string;
  readonly count: number;
  /** Set where nothing may be signed under this file any more. */
  readonly retired?: Retired;
}

/**
 * Why a whole ledger is not signed under: its home was moved away, or it came out of a backup, which knows nothing of what
 * was signed after it was made.
 */
export interface Retired {
  readonly why: 'moved' | 'from_backup';
  /** When it was moved, or the backup made: milliseconds since the epoch. */
  readonly at: number;
  /** The folder of the backup. */
  readonly place: string;
  /** Set once that folder held a whole backup. */
  readonly done?: true;
}

/** What those who open a ledger are told, and what they may refuse. */
export interface Watching {
  /** The last write was cut off (F45). */
  readonly torn?: () => void;
  /** There must be a ledger in the file already: an empty one is a lost one (T80). */
  readonly expected?: boolean;
  /** Called at the start of every write, while no other process can write; a throw stops the write. */
  readonly begin?: (standing: Standing) => void;
}

/** Pages after which the log is written back into the file, so that little is ever in the log alone. */
const CHECKPOINT_PAGES = 100;

/**
 * Opens (and makes, mode 0600) the file. Loads the native library; call it on first use only. `read` opens a file
 * that must be there and writes nothing to it.
 */
export async function openDatabase(
  file: string,
  clock: Clock,
  use: 'write' | 'read' = 'write',
  watching: Watching = {},
): Promise<Database> {
  if (use === 'write') {
    makeFile(file);
  } else if (!existsSync(file)) {
    throw new LedgerError('NOT_FOUND', `There is no file ${file}.`);
  }
  const { default: Libsql } = await import('libsql');
  const connection = named(() => new Libsql(file, { timeout: BUSY_TIMEOUT_MS }));
  named(() => {
    if (use === 'read') {
      connection.pragma('query_only = ON');
      return;
    }
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // What was written back does not stay in the log: whatever is missing of a log was in it alone.
    connection.pragma('journal_size_limit = 0');
  });
  const statements = new Map<string, ReturnType<typeof connection.prepare>>();
  // One statement for each way of calling it: the library's `get` after `all` returns the rows of before.
  const statement = (way: 'get' | 'all' | 'run', sql: string) => {
    const known = statements.get(way + sql);
    if (known !== undefined) return known;
    const made = connection.prepare(sql);
    statements.set(way + sql, made);
    return made;
  };
  const rowOf = (value: unknown): Row | undefined => (isColumns(value) ? new Row(value) : undefined);

  /** How far this process's clock is behind the ledger's. */
  let behind = 0;
  let writing: number | undefined;
  let damaged = false;
  /** The window time when this process began, and what its clock had counted by then. */
  const start = { at: clock.now(), counted: clock.passed?.() };
  const db: Database = {
    // One array, since a lone `null` argument would be taken for a list of named parameters.
    get: (sql, ...values) => named(() => rowOf(statement('get', sql).get(values))),
    all: (sql, ...values) =>
      named(() =>
        statement('all', sql)
          .all(values)
          .flatMap((value) => rowOf(value) ?? []),
      ),
    run: (sql, ...values) => {
      if (writing === undefined) throw new TypeError('a write outside of a transaction');
      return named(() => statement('run', sql).run(values).changes);
    },
    write: (work) => {
      if (writing !== undefined) return work(writing);
      if (damaged) throw corrupt('Writes to the ledger were lost: its log was damaged.');
      named(() => connection.exec('BEGIN IMMEDIATE'));
      try {
        writing = db.time();
        const standing = db.standing();
        if (standing !== undefined) watching.begin?.(standing);
        const result = work(writing);
        setMeta(db, 'time', `${writing}`);
        setMeta(db, WRITES, `${(standing?.count ?? 0) + 1}`);
        named(() => connection.exec('COMMIT'));
        return result;
      } catch (error) {
        try {
          connection.exec('ROLLBACK');
        } catch {
          // A failed COMMIT may have rolled back already.
        }
        throw error;
      } finally {
        writing = undefined;
      }
    },
    standing: () => {
      const ledger = db.get('SELECT value FROM meta WHERE key = ?', LEDGER_ID)?.text('value');
      const count = Number(db.get('SELECT value FROM meta WHERE key = ?', WRITES)?.text('value') ?? 0);
      if (!Number.isSafeInteger(count)) throw corrupt('The ledger does not say how often it was written.');
      const retired = db.get('SELECT value FROM meta WHERE key = ?', RETIRED)?.text('value');
      if (ledger === undefined) return undefined;
      return { ledger, count, ...(retired === undefined ? {} : { retired: JSON.parse(retired) }) };
    },
    hold: (work) => {
      if (writing !== undefined) return work();
      named(() => connection.exec('BEGIN IMMEDIATE'));
      try {
        return work();
      } finally {
        named(() => connection.exec('ROLLBACK'));
      }
    },
    snapshot: (work) => {
      if (writing !== undefined) return work();
      named(() => connection.exec('BEGIN'));
      try {
        return work();
      } finally {
        named(() => connection.exec('COMMIT'));
      }
    },
    time: () => {
      const newest = Number(db.get("SELECT value FROM meta WHERE key = 'time'")?.text('value') ?? 0);
      if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
      const now = clock.now();
      behind = Math.max(behind, newest - now);
      return now + behind;
    },
    windowTime: () => {
      const counted = clock.passed?.();
      if (counted === undefined || start.counted === undefined) return db.time();
      // A ledger of before has no such time yet: its newest reservation stands for it.
      const stored =
        db.get("SELECT value FROM meta WHERE key = 'window time'")?.text('value') ??
        db.get('SELECT time FROM reservations ORDER BY id DESC LIMIT 1')?.number('time');
      const newest = Number(stored ?? 0);
      if (!Number.isSafeInteger(newest)) throw corrupt('The ledger has no readable time.');
      const passed = counted - start.counted;
      start.at = Math.max(start.at, newest - passed);
      return Math.round(start.at + passed);
    },
    close: () => {
      statements.clear();
      connection.close();
    },
  };
  if (use === 'write') {
    const exec = (sql: string) => named(() => connection.exec(sql));
    const tail = tailOf(`${file}-wal`, exec);
    const made = prepare(db, exec, { file, expected: watching.expected === true });
    // What a new ledger is stands in the file itself from the beginning, not in its log alone.
    if (made) connection.pragma('wal_checkpoint(TRUNCATE)');
    if (tail !== 'whole') noteTail(db, tail);
    if (tail === 'torn') watching.torn?.();
    // What is noted is not met again by the next process.
    if (tail !== 'whole') connection.pragma('wal_checkpoint(TRUNCATE)');
    damaged = db.get('SELECT 1 FROM meta WHERE key = ?', LOG_DAMAGED) !== undefined;
  }
  return db;
}

/** Where the ledger keeps which one it is, and how often it was written. */
const LEDGER_ID = 'ledger';
const WRITES = 'writes';
/** Where a ledger keeps that it is retired (`Retired`, as JSON). */
export const RETIRED = 'retired';

/** The key of the note that says when a write was last found to have been cut off: milliseconds. */
export const TORN_TAIL = 'torn tail';
/** Set once committed writes were found to be lost; only a ledger from a backup is without it. */
const LOG_DAMAGED = 'log damaged';

/**
 * How the log of an earlier process ends. It is read a second time under a lock, before anything overwrites it. A damaged
 * log is copied to a file beside it.
 */
function tailOf(log: string, exec: (sql: string) => void): LogTail {
  const look = () => (existsSync(log) ? logTail(readFileSync(log)) : 'whole');
  if (look() === 'whole') return 'whole';
  exec('BEGIN IMMEDIATE');
  try {
    const found = look();
    if (found === 'damaged') copyFileSync(log, `${log}.damaged`);
    return found;
  } finally {
    exec('ROLLBACK');
  }
}

/** Writes down how the log ended: a torn tail can be read about later, and damage is still known when the log is gone. */
function noteTail(db: Database, tail: LogTail): void {
  try {
    db.write((now) => setMeta(db, tail === 'torn' ? `note ${TORN_TAIL}` : LOG_DAMAGED, `${now}`));
  } catch (error) {
    // On a full disk the next write fails with that error.
    if (tail === 'damaged') throw error;
  }
}

const setMeta = (db: Database, key: string, value: string): number =>
  db.run('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', key, value);

const isColumns = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Makes what the file lacks. Returns whether it was written. */
function prepare(
  db: Database,
  exec: (sql: string) => void,
  { file, expected }: { readonly file: string; readonly expected: boolean },
): boolean {
  const known = db.get("SELECT name FROM sqlite_master WHERE name = 'meta'");
  const version = known && db.get("SELECT value FROM meta WHERE key = 'schema'")?.text('value');
  if (version === `${SCHEMA_VERSION}`) return false;
  if (version === undefined && expected) throw lost('The ledger of this home was emptied.');
  if (version !== undefined && !UPGRADABLE.includes(version)) {
    throw new LedgerError(
      'LEDGER_VERSION',
      'The ledger was written by another version of this program. Nothing in it was changed.',
    );
  }
  if (version !== undefined) keepCopy(exec, `${file}.version-${version}`);
  exec(
    `BEGIN IMMEDIATE; ${SCHEMA} INSERT INTO meta VALUES ('schema', '${SCHEMA_VERSION}')
     ON CONFLICT DO UPDATE SET value = excluded.value;
     INSERT OR IGNORE INTO meta VALUES ('${LEDGER_ID}', '${randomBytes(16).toString('hex')}'); COMMIT;`,
  );
  return true;
}

/** Keeps a ledger of an older version as it was, beside the one that is brought up to date. */
function keepCopy(exec: (sql: string) => void, copy: string): void {
  if (existsSync(copy)) return;
  const unfinished = `${copy}.${process.pid}`;
  exec(`VACUUM INTO '${unfinished.replaceAll("'", "''")}'`);
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, copy);
}

/** Runs a call into SQLite and gives its error the ledger's name. */
function named<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw errorOf(error);
  }
}

function errorOf(error: unknown): unknown {
  if (error instanceof LedgerError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : '';
  if (
    /CORRUPT|NOTADB/.test(code) ||
    /malformed|not a database|internal error in Neon|utf-?8/i.test(message)
  ) {
    return corrupt('The ledger file is damaged.');
  }
  if (/BUSY|LOCKED/.test(code)) {
    return new LedgerError('LEDGER_BUSY', 'Another process kept the ledger busy for too long.');
  }
  if (/FULL|IOERR|READONLY|CANTOPEN/.test(code) || /disk|readonly|unable to open/.test(message)) {
    return new LedgerError('LEDGER_UNHEALTHY', 'The ledger cannot be written: the disk is full or failing.');
  }
  return error;
}
