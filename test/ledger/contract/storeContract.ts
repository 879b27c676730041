/**
 * What every store of Countersign keeps, as tests for the store of a program of its own: one signature for a stage, limits that
 * are never exceeded, leases, questions answered once, one plan for an intent.
 */
import type { Clock } from '../../../src/clock.ts';
import type { Ledger } from '../../../src/ledger/types.ts';
import { approvals } from './approvals.ts';
import { limits } from './limits.ts';
import { record } from './record.ts';
import { runs } from './runs.ts';

/** Opens one store. Each call is another process; the time is the clock's. */
export type OpenStore = (clock: Clock) => Ledger | Promise<Ledger>;

/** What the tests need. */
export interface StoreTests {
  /** The functions of vitest. */
  readonly runner: Pick<typeof import('vitest'), 'afterEach' | 'beforeEach' | 'describe' | 'expect' | 'it'>;
  /** Makes an empty store. */
  newStore(): Promise<OpenStore>;
}

/** Defines the tests of a store. */
export function storeContract(tests: StoreTests): void {
  record(tests);
  limits(tests);
  approvals(tests);
  runs(tests);
}
