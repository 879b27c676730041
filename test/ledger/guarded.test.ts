/** Journal of a signature whose guard failed. */
import { expect, it } from 'vitest';
import { failedByGuard } from '../../src/ledger/plans/guarded.ts';

const failed = (at: number, error: unknown) =>
  failedByGuard({
    state: 'failed',
    guarded: { from: 3, stagedSha256: '', enforced: [] },
    detail: JSON.stringify({ InstructionError: [at, error] }),
  });

it.each([
  ['a guard that found less than was promised', 3, { Custom: 1 }, true],
  ['a guard of an account that another key owns', 4, { Custom: 4 }, true],
  ['an instruction before the guards', 2, { Custom: 1 }, false],
  ['a guard that ran out of compute units', 3, 'ComputationalBudgetExceeded', false],
  ['a truncated guard', 3, 'ProgramFailedToComplete', false],
  ['a guard of an account that its issuer froze', 3, { Custom: 17 }, false],
])('attributes a failure to a guard if its logs concern balances or rights: %s', (_, at, error, isGuard) => {
  expect(failed(at, error)).toBe(isGuard);
});
