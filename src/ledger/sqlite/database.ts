/**
 * The ledger's database on SQLite: one connection with cached statements; every write is one `BEGIN IMMEDIATE`
 * transaction. Transactions and single reads run one after another. Errors are mapped to `LedgerError`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { createBooks, LEDGER_ID } from '../books.ts';
import { type Database, type OpenDatabase, Row, type Value, type Watching } from '../database.ts';
import { corrupt, LedgerError, lost, otherVersion } from '../errors.ts';
import { createQueue } from '../queue.ts';
import { createTransaction, outside, type Statements } from '../transaction.ts';
import { makeFile } from './place.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** Wait for another process's write, in milliseconds. SQLite's lock is unfair: half a second was seen. */
const BUSY_TIMEOUT_MS = 10_000;
/** The blocking part of it: the awaited write may be of another connection in this process. */
const BLOCKED_MS = 20;

/** Log pages after which the log is written back into the file. */
const CHECKPOINT_PAGES = 100;

/**
 * Opens the file, and creates it with mode 0600. Loads the native library; call it on first use only. `read` requires an
 * existing file and never writes to it.
 */
export async function openDatabase(
  file: string,
  clock: Clock,
  use: 'write' | 'read' = 'write',
  watching: Watching = {},
): Promise<OpenDatabase> {
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
    // Truncates the log once it is written back.
    connection.pragma('journal_size_limit = 0');
  });
  const statements = new Map<string, ReturnType<typeof connection.prepare>>();
  // libsql returns stale rows when `get()` follows `all()` on one statement; prepare one per method.
  const statement = (way: 'get' | 'all' | 'run', sql: string) => {
    const known = statements.get(way + sql);
    if (known !== undefined) return known;
    const made = connection.prepare(sql);
    statements.set(way + sql, made);
    return made;
  };
  const rowOf = (value: unknown): Row | undefined => (isColumns(value) ? new Row(value) : undefined);

  const books = createBooks(clock, watching.begin);
  let closed = false;
  // One array: libsql takes a single `null` argument for named parameters.
  const get = (sql: string, values: Value[]) => named(() => rowOf(statement('get', sql).get(values)));
  const all = (sql: string, values: Value[]) =>
    named(() =>
      statement('all', sql)
        .all(values)
        .flatMap((value) => rowOf(value) ?? []),
    );
  const exec = (sql: string) => named(() => connection.exec(sql));

  const inTransaction: Statements = {
    get,
    all,
    run: (sql, values) => named(() => statement('run', sql).run(values).changes),
  };
  /** Begins a write once no other connection writes. */
  const beginWrite = async (): Promise<void> => {
    const until = performance.now() + BUSY_TIMEOUT_MS;
    connection.pragma(`busy_timeout = ${BLOCKED_MS}`);
    try {
      for (;;) {
        try {
          exec('BEGIN IMMEDIATE');
          return;
        } catch (error) {
          const isBusy = error instanceof LedgerError && error.code === 'LEDGER_BUSY';
          if (!isBusy || performance.now() >= until) throw error;
        }
        await setTimeout(1);
      }
    } finally {
      connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  };
  const enqueue = createQueue();
  /** Runs reads in one transaction. */
  const reads = <T>(begin: () => unknown, end: string, work: (db: Database) => T | Promise<T>): Promise<T> =>
    enqueue(async () => {
      await begin();
      const { db, ends } = createTransaction(inTransaction, books, false);
      try {
        return await work(db);
      } finally {
        ends();
        exec(end);
      }
    });
  const db: OpenDatabase = {
    get: (sql, ...values) => enqueue(() => get(sql, values)),
    all: (sql, ...values) => enqueue(() => all(sql, values)),
    run: outside,
    notify: outside,
    write: (work) =>
      enqueue(async () => {
        await beginWrite();
        const { db, begins, ends } = createTransaction(inTransaction, books, true);
        try {
          const result = await books.written(db, (db, now) => {
            begins(now);
            return work(db, now);
          });
          exec('COMMIT');
          return result;
        } catch (error) {
          try {
            connection.exec('ROLLBACK');
          } catch {
            // A failed COMMIT may have rolled back already.
          }
          throw error;
        } finally {
          ends();
        }
      }),
    hold: (work) => reads(beginWrite, 'ROLLBACK', work),
    snapshot: (work) => reads(() => exec('BEGIN'), 'COMMIT', work),
    time: () => books.time(db),
    windowTime: () => books.windowTime(db),
    identity: () => books.identity(db),
    close: () =>
      enqueue(() => {
        if (closed) return;
        closed = true;
        statements.clear();
        connection.close();
      }),
  };
  if (use === 'write') {
    const made = await prepare(db, exec, watching.expected === true);
    // Writes the identity of a new ledger to the file itself, not only to its log.
    if (made) named(() => connection.pragma('wal_checkpoint(TRUNCATE)'));
  }
  return db;
}

const isColumns = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Creates the tables of an empty file. Returns whether it did. Throws `LEDGER_VERSION` for tables of another version. */
async function prepare(db: Database, exec: (sql: string) => void, expected: boolean): Promise<boolean> {
  const known = await db.get("SELECT name FROM sqlite_master WHERE name = 'meta'");
  const version = known && (await db.get("SELECT value FROM meta WHERE key = 'schema'"))?.text('value');
  if (version === SCHEMA_VERSION) return false;
  if (version !== undefined) throw otherVersion();
  if (expected) throw lost('The ledger of this home was emptied.');
  exec(
    `BEGIN IMMEDIATE; ${SCHEMA} INSERT OR IGNORE INTO meta VALUES ('schema', '${SCHEMA_VERSION}');
     INSERT OR IGNORE INTO meta VALUES ('${LEDGER_ID}', '${randomBytes(16).toString('hex')}'); COMMIT;`,
  );
  return true;
}

/** Runs a call into SQLite and maps its error. */
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
  if (code.includes('CONSTRAINT')) {
    return new LedgerError(
      'STATE_CONFLICT',
      'Another process recorded the same before; this was not recorded.',
    );
  }
  if (/FULL|IOERR|READONLY|CANTOPEN/.test(code) || /disk|readonly|unable to open/.test(message)) {
    return new LedgerError('LEDGER_UNHEALTHY', 'The ledger cannot be written: the disk is full or failing.');
  }
  if (message.includes('no such table'))
    return new LedgerError(
      'LEDGER_UNHEALTHY',
      'The ledger has no tables: there was no room when it was created.',
      'Free disk space and run `countersign plans`, which completes it; then run the command again.',
    );
  return error;
}
