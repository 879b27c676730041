/** One transaction of a database, as the ledger's parts get it: used after its end, or written to inside of reads, it says so. */
import type { Books } from './books.ts';
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

/** What a database does where a statement of a write is asked of it and not of a transaction. */
export const outside = async (): Promise<never> => {
  throw new TypeError('a write outside of a transaction');
};

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
  const writing = async <T>(call: () => T | Promise<T>): Promise<T> => (writes ? during(call) : outside());
  const db: Database = {
    get: async (sql, ...values) => during(() => statements.get(sql, values)),
    all: async (sql, ...values) => during(() => statements.all(sql, values)),
    run: (sql, ...values) => writing(() => statements.run(sql, values)),
    tell: (topic) => writing(() => statements.tell?.(topic)),
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
