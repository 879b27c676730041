/** Transactions of a database. Use after the end and writes within reads throw a `TypeError`. */
import type { Books } from './books.ts';
import type { Database, Row, Value } from './database.ts';

/** Statements of a connection inside a transaction. */
export interface Statements {
  get(sql: string, values: Value[]): Row | undefined | Promise<Row | undefined>;
  all(sql: string, values: Value[]): Row[] | Promise<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, values: Value[]): number | Promise<number>;
  /** Notifies other processes at the commit; absent without notifications. */
  notify?(topic: string): Promise<void>;
}

/** Rejects a write outside of a transaction. */
export const outside = async (): Promise<never> => {
  throw new TypeError('a write outside of a transaction');
};

/** An open transaction. */
export interface Transaction {
  readonly db: Database;
  /** Sets the time of its writes. */
  readonly begins: (time: number) => void;
  readonly ends: () => void;
}

export function createTransaction(statements: Statements, books: Books, writes: boolean): Transaction {
  let [open, time] = [true, 0];
  const during = <T>(call: () => T): T => {
    if (!open) throw new TypeError('a transaction is used after its end');
    return call();
  };
  const writing = async <T>(call: () => T | Promise<T>): Promise<T> => (writes ? during(call) : outside());
  const db: Database = {
    get: async (sql, ...values) => during(() => statements.get(sql, values)),
    all: async (sql, ...values) => during(() => statements.all(sql, values)),
    run: (sql, ...values) => writing(() => statements.run(sql, values)),
    notify: (topic) => writing(() => statements.notify?.(topic)),
    write: async (work) => {
      if (!writes) throw new TypeError('a write inside of reads');
      return work(db, time);
    },
    snapshot: async (work) => work(db),
    hold: async (work) => work(db),
    time: () => books.time(db),
    windowTime: () => books.windowTime(db),
    identity: () => books.identity(db),
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
