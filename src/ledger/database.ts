/**
 * The database of a ledger: the SQLite file of a home, or PostgreSQL. Both run the same SQL: `?` and `?1` are parameters,
 * conflicts name their columns, and a table without an ordered key has a `rowid`.
 */
import { corrupt } from './errors.ts';

export type Value = string | number | bigint | null;

/** A row with typed columns. Throws `LEDGER_CORRUPT` for another type. */
export class Row {
  private readonly columns: Readonly<Record<string, unknown>>;

  constructor(columns: Readonly<Record<string, unknown>>) {
    this.columns = columns;
  }

  text(name: string): string {
    const value = this.columns[name];
    if (typeof value !== 'string') throw corrupt('A column of a ledger row has the wrong type.');
    return value;
  }

  number(name: string): number {
    const value = this.columns[name];
    if (typeof value !== 'number') throw corrupt('A column of a ledger row has the wrong type.');
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
 * A database, or one transaction of it. Inside `write`, `snapshot` and `hold` only the given transaction may be used: calls
 * to the database itself wait for its end.
 */
export interface Database {
  get(sql: string, ...values: Value[]): Promise<Row | undefined>;
  all(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Runs one writing statement; resolves to the number of changed rows. Only inside `write`. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** Notifies waiters of a topic (wakes.ts) at the commit, if the database supports it. Only inside `write`. */
  notify(topic: string): Promise<void>;
  /**
   * Runs a function as one write transaction; durable when it resolves. Only one process writes at a time. Re-entrant on a
   * transaction.
   */
  write<T>(work: (db: Database, time: number) => T | Promise<T>): Promise<T>;
  /** Runs reads over one consistent state. */
  snapshot<T>(work: (db: Database) => T | Promise<T>): Promise<T>;
  /** Milliseconds since the epoch, never less than any stored time (F47). */
  time(): Promise<number>;
  /**
   * The time of limit windows: like `time`, but it advances only with elapsed time. A clock that is set ahead while this
   * process runs opens no window early (F47).
   */
  windowTime(): Promise<number>;
  /** The ledger's identity and write count; `undefined` for a ledger of another version. */
  identity(): Promise<LedgerIdentity | undefined>;
  /**
   * Runs reads that must include every committed write: with writers excluded on SQLite, over one snapshot on PostgreSQL.
   */
  hold<T>(work: (db: Database) => T | Promise<T>): Promise<T>;
}

export interface OpenDatabase extends Database {
  /** Closes after pending calls. */
  close(): Promise<void>;
}

/** A ledger's identity (32 hex digits) and the number of its committed writes. */
export interface LedgerIdentity {
  readonly ledger: string;
  readonly count: number;
  /** Set once nothing may be signed under this ledger. */
  readonly retired?: Retired;
}

/**
 * The retirement of a ledger: its home was moved away, or it was restored from a backup, which lacks later signatures.
 */
export interface Retired {
  readonly why: 'moved' | 'from_backup';
  /** Time of the move or the backup, milliseconds since the epoch. */
  readonly at: number;
  /** The folder of the backup. */
  readonly place: string;
  /** Set once that folder contained a complete backup. */
  readonly done?: true;
}

/** Expectations and hooks of opening a ledger. */
export interface Watching {
  /** A ledger must exist: an empty one is lost (T80). */
  readonly expected?: boolean;
  /**
   * Called at the start of every write, one call at a time, with an identity no older than the previous one. A throw stops
   * the write.
   */
  readonly begin?: (identity: LedgerIdentity) => void | Promise<void>;
  /**
   * The newest write of this process on PostgreSQL, kept over reopening. If the database lacks it, nothing more is
   * written. A count of writes is not enough, since other hosts add to it (T128).
   */
  readonly newest?: { commit?: { readonly id: string; readonly time: number } };
}
