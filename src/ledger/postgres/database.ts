/**
 * The ledger's database on PostgreSQL, which several hosts share. Each write is one transaction, `READ COMMITTED`, that
 * takes the ledger's lock first: one host writes at a time. If the connection is lost during a commit, the outcome is read
 * back by a random id, under a lock of that id; the write is never repeated.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import { createBooks, LEDGER_ID } from '../books.ts';
import { type Database, type OpenDatabase, Row, type Value, type Watching } from '../database.ts';
import { lost, otherVersion } from '../errors.ts';
import { createQueue } from '../queue.ts';
import { SCHEMA_VERSION } from '../sqlite/schema.ts';
import { createTransaction, outside, type Statements } from '../transaction.ts';
import { wakeKey } from '../wakes.ts';
import { commitLost, connectError, isRefusal, notCommitted, statementError } from './errors.ts';
import { CHANNEL } from './listener.ts';
import { POSTGRES_SCHEMA } from './schema.ts';

/** Connections per host: one for writes, the others for reads. */
const CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** Lock timeout, for writes of other hosts. */
const LOCK_MS = 10_000;
/** Idle timeout within a transaction, after which a stalled host loses its lock. */
const STALLED_MS = 10_000;
const STATEMENT_MS = 30_000;
const BEGIN_WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit TO on';
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
/** Delivered only with the commit. */
const NOTIFY = `SELECT pg_notify('${CHANNEL}', $1)`;
/** Takes the ledger's lock; the number is arbitrary. */
const LOCK = 'SELECT pg_advisory_xact_lock(1129270339)';
/** Takes the lock of one commit, so that a reader of its outcome waits for its end. */
const commitLock = (id: string): string =>
  `SELECT pg_advisory_xact_lock(${BigInt.asIntN(64, BigInt(`0x${id.replaceAll('-', '').slice(0, 16)}`))})`;
/** Attempts to read back a lost commit, and the pause between them. */
const READ_BACK = { times: 60, everyMs: 500 } as const;
/** Retention of commit ids, far longer than they are read back. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;
const FORGET =
  'DELETE FROM commits WHERE id IN (SELECT id FROM commits WHERE time < ? ORDER BY time LIMIT 100)';

/**
 * Opens the database at an address (`postgres://…`) and creates the tables in an empty database. Rejects with `LEDGER_UNHEALTHY` where it
 * cannot be reached, `LEDGER_VERSION` for another version's tables, `LEDGER_LOST` where there must be a ledger and is none.
 */
export async function openPostgres(
  address: string,
  clock: Clock,
  watching: Watching = {},
): Promise<OpenDatabase> {
  const pool = new pg.Pool({
    connectionString: address,
    application_name: 'countersign',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STALLED_MS,
    statement_timeout: STATEMENT_MS,
    types: { getTypeParser: parserOf },
  });
  // The pool replaces idle connections that end.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const connect = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw connectError(error);
    }
  };
  const books = createBooks(clock, watching.begin);
  const enqueue = createQueue();

  /** Runs work on a connection; discards the connection if it cannot be rolled back. */
  const on = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await connect();
    let whole = true;
    try {
      return await work(client);
    } catch (error) {
      whole = await rolledBack(client);
      throw statementError(error);
    } finally {
      client.release(!whole);
    }
  };
  const reads = <T>(begin: string, end: string, work: (db: Database) => T | Promise<T>): Promise<T> =>
    on(async (client) => {
      await client.query(begin);
      const { db, ends } = createTransaction(statementsOf(client), books, false);
      try {
        return await work(db);
      } finally {
        ends();
        await client.query(end);
      }
    });

  /** Returns whether a write with a lost connection was committed. Its lock is free once it has ended. */
  const wasCommitted = async (id: string): Promise<boolean> => {
    for (let left = READ_BACK.times; left > 0; left -= 1) {
      try {
        return await on(async (client) => {
          await client.query(`BEGIN; ${commitLock(id)}`);
          const { rowCount } = await client.query('SELECT 1 FROM commits WHERE id = $1', [id]);
          await client.query('ROLLBACK');
          return rowCount === 1;
        });
      } catch {
        await clock.sleep(READ_BACK.everyMs);
      }
    }
    throw commitLost();
  };

  const newest = watching.newest ?? {};
  /** Throws `LEDGER_LOST` if the database lacks the newest write of this process. */
  const requireNewest = async (db: Database, now: number): Promise<void> => {
    const { commit } = newest;
    if (commit === undefined || now - commit.time >= REMEMBERED_MS) return;
    if ((await db.get('SELECT 1 FROM commits WHERE id = ?', commit.id)) === undefined)
      throw lost('The database lost writes of this host, as after a failover to a server that lacks them.');
  };

  const write = async <T>(work: Work<T>): Promise<T> => {
    const id = randomUUID();
    const { result, commit, time } = await on(async (client) => {
      await client.query(`${BEGIN_WRITE}; ${LOCK}; ${commitLock(id)}`);
      const { db, begins, ends } = createTransaction(statementsOf(client), books, true);
      let time = 0;
      const kept: Work<T> = async (db, now) => {
        begins(now);
        time = now;
        await requireNewest(db, now);
        await db.run('INSERT INTO commits VALUES (?, ?)', id, now);
        await db.run(FORGET, now - REMEMBERED_MS);
        return work(db, now);
      };
      try {
        const result = await books.written(db, kept);
        return { result, commit: await committed(client), time };
      } finally {
        ends();
      }
    });
    if (commit === 'not made' || (commit === 'unknown' && !(await wasCommitted(id)))) throw notCommitted();
    newest.commit = { id, time };
    return result;
  };

  const db: OpenDatabase = {
    get: (sql, ...values) => on(async (client) => statementsOf(client).get(sql, values)),
    all: (sql, ...values) => on(async (client) => statementsOf(client).all(sql, values)),
    run: outside,
    notify: outside,
    write: (work) => enqueue(() => write(work)),
    hold: (work) => reads(BEGIN_READ, 'COMMIT', work),
    snapshot: (work) => reads(BEGIN_READ, 'COMMIT', work),
    time: () => books.time(db),
    windowTime: () => books.windowTime(db),
    identity: () => books.identity(db),
    close: () => enqueue(() => pool.end()),
  };
  try {
    await on((client) => prepare(client, watching.expected === true));
    await requireNewest(db, await db.time());
  } catch (error) {
    await pool.end();
    throw error;
  }
  return db;
}

type Work<T> = (db: Database, time: number) => T | Promise<T>;

/** Creates the tables of an empty database. Throws `LEDGER_VERSION` for tables of another version. */
async function prepare(client: pg.PoolClient, expected: boolean): Promise<void> {
  await client.query(`${BEGIN_WRITE}; ${LOCK}`);
  const statements = statementsOf(client);
  const known = await statements.get("SELECT to_regclass('meta')::text AS name", []);
  const isMade = known?.maybeText('name') !== undefined;
  const version = isMade
    ? (await statements.get("SELECT value FROM meta WHERE key = 'schema'", []))?.text('value')
    : undefined;
  if (version === undefined && expected) throw lost("The ledger's database was emptied.");
  if (version !== undefined && version !== SCHEMA_VERSION) throw otherVersion();
  if (version === undefined) {
    await client.query(POSTGRES_SCHEMA);
    const id = randomBytes(16).toString('hex');
    await statements.run('INSERT INTO meta VALUES (?, ?), (?, ?)', ['schema', SCHEMA_VERSION, LEDGER_ID, id]);
  }
  await client.query('COMMIT');
}

/** Commits a transaction. PostgreSQL rolls back a failed transaction at `COMMIT` without an error. */
async function committed(client: pg.PoolClient): Promise<'made' | 'not made' | 'unknown'> {
  try {
    const { command } = await client.query('COMMIT');
    return command === 'COMMIT' ? 'made' : 'not made';
  } catch (error) {
    if (isRefusal(error)) throw error;
    return 'unknown';
  }
}

/** Rolls back. Returns whether the connection is usable. */
async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

const statementsOf = (client: pg.PoolClient) => {
  const ask = (sql: string, values: Value[]) => client.query<Record<string, unknown>>(numbered(sql), values);
  return {
    get: async (sql: string, values: Value[]) => {
      const [row] = (await ask(sql, values)).rows;
      return row && new Row(row);
    },
    all: async (sql: string, values: Value[]) => (await ask(sql, values)).rows.map((row) => new Row(row)),
    run: async (sql: string, values: Value[]) => (await ask(sql, values)).rowCount ?? 0,
    notify: async (topic: string) => void (await client.query(NOTIFY, [wakeKey(topic)])),
  } satisfies Statements;
};

const texts = new Map<string, string>();

/** Returns SQL with `?` and `?1` as `$1`. The ledger's SQL contains no other question marks. */
function numbered(sql: string): string {
  const known = texts.get(sql);
  if (known !== undefined) return known;
  let next = 0;
  const made = sql.replace(/\?(\d*)/g, (_, number: string) => `$${number || ++next}`);
  texts.set(sql, made);
  return made;
}

/** OIDs of integer types and `numeric`. */
const WHOLE_NUMBERS = new Set([20, 21, 23, 1700]);

/** Parses safe integers as numbers; leaves other values as text. */
const parserOf =
  (type: number) =>
  (value: string | Buffer): string | number => {
    const text = value.toString();
    if (!WHOLE_NUMBERS.has(type)) return text;
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : text;
  };
