/** Runs the ledger's contract over each database that a ledger may be in: the SQLite file of a home, and PostgreSQL. */
import { afterAll, beforeAll, describe } from 'vitest';
import type { LedgerPlace } from '../../src/ledger/sqlite/sqlite.ts';
import { noPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import { newFile } from './samples.ts';
import { tamper } from './tamper.ts';

/** What the tests of a contract need of a database. */
export interface EachDatabase {
  /** The place of a ledger that is empty. */
  newPlace(): Promise<LedgerPlace>;
  /** Changes rows behind the ledger's back. */
  tamper(place: LedgerPlace, sql: string): Promise<void>;
}

/** The same tests over SQLite and over PostgreSQL. Where the latter is not installed they are skipped, and it is said why. */
export function overEachDatabase(tests: (database: EachDatabase) => void): void {
  describe('over SQLite', () =>
    tests({
      newPlace: async () => ({ file: newFile() }),
      tamper: async (place, sql) => tamper('file' in place ? place.file : '', sql),
    }));
  describe.skipIf(noPostgres !== undefined)(
    noPostgres === undefined ? 'over PostgreSQL' : `over PostgreSQL (${noPostgres})`,
    () => {
      let postgres: TestPostgres;
      beforeAll(() => {
        postgres = startPostgres();
      });
      afterAll(() => postgres?.end());
      tests({
        newPlace: async () => ({ database: await postgres.newLedger() }),
        tamper: async (place, sql) => {
          await postgres.query('database' in place ? (place.database ?? '') : '', sql);
        },
      });
    },
  );
}
