/**
 * What the ledger's parts need of a database, whichever it is: the SQLite file of a home, or PostgreSQL. One SQL text
 * serves both: `?` and `?1` stand for values, conflicts name their columns, and a table that has no key of its own order
 * has a `rowid`.
 */
import { corrupt } from './errors.ts';

export type Value = string | number | bigint | null;

/** A row whose columns are read by type; another type than expected means a damaged ledger. */
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

  maybeText = (name: string): string | undefined =>
    this.columns[name] == null ? undefined : this.text(name);
  maybeNumber = (name: string): number | undefined =>
    this.columns[name] == null ? undefined : this.number(name);
}

/** Returns the SQL condition for those filters that are set, and their values. */
export function whereOf(...filters: readonly (readonly [sql: string, value: Value | undefined])[]): {
  readonly where: string;
  readonly values: Value[];
} {
  const set = filters.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { where: set.map(({ sql }) => sql).join(' AND ') || 'TRUE', values: set.map(({ value }) => value) };
}

/**
 * A database, or one transaction of it. Inside `write`, `snapshot` and `hold` only the transaction that they hand over may
 * be used: what is asked of the database itself meanwhile waits for the transaction's end.
 */
export interface Database {
  get(sql: string, ...values: Value[]): Promise<Row | undefined>;
  all(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Runs one writing statement and resolves to how many rows it changed. Only inside `write`. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** Tells those who wait for a topic (wakes.ts) at the commit, where the database can. Only inside `write`. */
  tell(topic: string): Promise<void>;
  /**
   * Runs a function as one write transaction; durable when it resolves. Only one process writes at a time. Re-entrant on a
   * transaction.
   */
  write<T>(work: (db: Database, time: number) => T | Promise<T>): Promise<T>;
  /** Runs reads that must all see one state, whatever is written meanwhile. */
  snapshot<T>(work: (db: Database) => T | Promise<T>): Promise<T>;
  /** Milliseconds since the epoch; never less than any time stored, and it goes on from there (F47). */
  time(): Promise<number>;
  /**
   * The time windows of limits are measured in: like `time`, but it only moves as fast as time passes. A clock that is
   * set ahead while this process runs opens no window early (F47).
   */
  windowTime(): Promise<number>;
  /** Which ledger this is, and how many writes it has had. Only `undefined` for one that this version did not write. */
  identity(): Promise<LedgerIdentity | undefined>;
  /**
   * Runs something that writes nothing and must see all that was committed: while no other process can write, where one
   * writes at a time; else over one state.
   */
  hold<T>(work: (db: Database) => T | Promise<T>): Promise<T>;
}

/** A database that was opened. */
export interface OpenDatabase extends Database {
  /** Waits for what was asked before. */
  close(): Promise<void>;
}

/** A ledger's identity (32 hex digits) and the number of its committed writes. */
export interface LedgerIdentity {
  readonly ledger: string;
  readonly count: number;
  /** Set where nothing may be signed under this ledger any more. */
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
  /** Set once that folder contained a complete backup. */
  readonly done?: true;
}

/** What those who open a ledger are told, and what they may refuse. */
export interface Watching {
  /** There must be a ledger already: an empty one is a lost one (T80). */
  readonly expected?: boolean;
  /**
   * Called at the start of every write, one call at a time, each with a identity that is no older than the one before; a
   * throw stops the write.
   */
  readonly begin?: (identity: LedgerIdentity) => void | Promise<void>;
}
