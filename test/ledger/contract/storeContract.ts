/**
 * Contract of a Countersign store, as tests for custom stores: one signature per stage, limits that are never exceeded,
 * leases, questions answered once, one plan per intent.
 */
import type { Clock } from '../../../src/clock.ts';
import type { Ledger } from '../../../src/ledger/types.ts';
import { approvals } from './approvals.ts';
import { limits } from './limits.ts';
import { record } from './record.ts';
import { runs } from './runs.ts';

/** Opens the store. Each call stands for another process; time comes from the clock. */
export type OpenStore = (clock: Clock) => Ledger | Promise<Ledger>;

/** Dependencies of the tests. */
export interface StoreTests {
  /** Vitest functions. */
  readonly runner: Pick<typeof import('vitest'), 'afterEach' | 'beforeEach' | 'describe' | 'expect' | 'it'>;
  /** Creates an empty store. */
  newStore(): Promise<OpenStore>;
}

/** Defines the tests of a store. */
export function storeContract(tests: StoreTests): void {
  record(tests);
  limits(tests);
  approvals(tests);
  runs(tests);
}
