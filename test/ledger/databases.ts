/** Runs the ledger's contract on each database: the SQLite file of a home, and PostgreSQL. */
import { afterAll, beforeAll, describe } from 'vitest';
import type { LedgerPlace } from '../../src/ledger/sqlite/sqlite.ts';
import { noPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import { newFile } from './samples.ts';
import { tamper } from './tamper.ts';

/** Database of a contract test. */
export interface EachDatabase {
  /** Returns the place of an empty ledger. */
  newPlace(): Promise<LedgerPlace>;
  /** Changes rows behind the ledger's back. */
  tamper(place: LedgerPlace, sql: string): Promise<void>;
}

/** Defines the tests for SQLite and PostgreSQL. Skips PostgreSQL with a reason if it is not installed. */
export function forEachDatabase(tests: (database: EachDatabase) => void): void {
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
