/** One transaction of a database, as the ledger's parts get it: used after its end, or written to inside of reads, it says so. */
import type { Books } from './books.ts';
import type { Concerns, Database, Row, Value } from './database.ts';

/** What a transaction is made of: a connection that is in one. */
export interface Statements {
  get(sql: string, values: Value[]): Row | undefined | Promise<Row | undefined>;
  all(sql: string, values: Value[]): Row[] | Promise<Row[]>;
  /** How many rows it changed. */
  run(sql: string, values: Value[]): number | Promise<number>;
  /** Tells other processes of a change at the commit; absent where the database cannot. */
  tell?(topic: string): Promise<void>;
  /** What follows is absent where the database lets one transaction write at a time, so that it holds everything. */
  readonly held?: {
    /** Takes a further lock. */
    lock(name: string): Promise<void>;
    /** The number of the next decision. */
    decisionNumber(): Promise<number>;
    /** Throws an `AlsoConcerns` where the transaction was begun without what a part of it concerns. */
    covers(concerns: Concerns): void;
    /** The row of the write's count and times, which no other transaction changes meanwhile. */
    readonly row: string;
  };
}

/** Thrown inside of a write that was begun without what it turned out to concern: it ends, and begins again with that too. */
export class AlsoConcerns extends Error {
  readonly concerns: Concerns;

  constructor(concerns: Concerns) {
    super('a write concerns more than it was begun with');
    this.concerns = concerns;
  }
}

/** What a database does where a statement of a write is asked of it and not of a transaction. */
export const outside = async (): Promise<never> => {
  throw new TypeError('a write outside of a transaction');
};

/** The number after that of the newest decision, where no other transaction writes one. */
const afterLast = async (db: Database): Promise<number> =>
  ((await db.get('SELECT MAX(sequence) AS n FROM decisions'))?.maybeNumber('n') ?? 0) + 1;

/** One transaction, while it lasts. */
export interface Transaction {
  readonly db: Database;
  /** The time its writes get. */
  readonly begins: (time: number) => void;
  readonly ends: () => void;
}

export function createTransaction(statements: Statements, books: Books, writes: boolean): Transaction {
  let [open, time] = [true, 0];
  const { held } = statements;
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
    lock: (name) => writing(() => held?.lock(name)),
    decisionNumber: () => writing(() => held?.decisionNumber() ?? afterLast(db)),
    keepWindowTime: (at) => writing(() => books.keepWindowTime(db, at, held?.row)),
    write: async (work, concerns = 'all') => {
      if (!writes) throw new TypeError('a write inside of reads');
      held?.covers(concerns);
      return work(db, time);
    },
    snapshot: async (work) => work(db),
    hold: async (work) => work(db),
    time: () => books.time(db),
    windowTime: () => books.windowTime(db),
    standing: () => books.standing(db),
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
