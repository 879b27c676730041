/** One transaction of a database, as the ledger's parts get it: used after its end, or written to inside of reads, it says so. */
import { type Books, standingOf } from './books.ts';
import type { Database, Row, Value } from './database.ts';

/** What a transaction is made of: a connection that is in one. */
export interface Statements {
  get(sql: string, values: Value[]): Row | undefined | Promise<Row | undefined>;
  all(sql: string, values: Value[]): Row[] | Promise<Row[]>;
  /** How many rows it changed. */
  run(sql: string, values: Value[]): number | Promise<number>;
  /** Tells other processes of a change at the commit; absent where the database cannot. */
  tell?(topic: string): Promise<void>;
}

/** One transaction, while it lasts. */
export interface Transaction {
  readonly db: Database;
  /** The time its writes get. */
  readonly begins: (time: number) => void;
  readonly ends: () => void;
}

export function createTransaction(statements: Statements, books: Books, writes: boolean): Transaction {
  let [open, time] = [true, 0];
  const during = <T>(call: () => T): T => {
    if (!open) throw new TypeError('a transaction is used after its end');
    return call();
  };
  const db: Database = {
    get: async (sql, ...values) => during(() => statements.get(sql, values)),
    all: async (sql, ...values) => during(() => statements.all(sql, values)),
    run: async (sql, ...values) => {
      if (!writes) throw new TypeError('a write outside of a transaction');
      return during(() => statements.run(sql, values));
    },
    tell: async (topic) => {
      if (!writes) throw new TypeError('a write outside of a transaction');
      await during(() => statements.tell?.(topic));
    },
    write: async (work) => {
      if (!writes) throw new TypeError('a write inside of reads');
      return work(db, time);
    },
    snapshot: async (work) => work(db),
    hold: async (work) => work(db),
    time: () => books.time(db),
    windowTime: () => books.windowTime(db),
    standing: () => standingOf(db),
  };
  return {
    db,
    begins: (at) => {
      time = at;
    },
    ends: () => {
      open = false;
    },
  };
}

/** Lets one piece of work run after the other, in the order they were asked for. */
export function createQueue(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
