/**
 * Signatures with guards that failed on chain. If the wallet's balances had moved before, only the fee was paid and the
 * stage may be signed again; otherwise the transaction violated its bounds.
 */
import { isRecord } from '../../base/record.ts';
import { failedAt } from '../../guards/guards.ts';
import type { Row } from '../database.ts';
import type { JournalRow } from '../types.ts';

/** Maximum number of further signatures of a stage whose guards failed. */
const MAX_AGAIN = 2;

type Failed = Pick<JournalRow, 'guarded' | 'detail'> & { readonly state: string };

/** Returns the columns of a journal row that explain a failure. */
export function failureIn(row: Row): Failed {
  const { guarded }: Failed = JSON.parse(row.text('body'));
  return { state: row.text('state'), guarded, detail: row.maybeText('detail') };
}

/** Instruction errors unrelated to balances: out of compute units, or an account that its issuer froze. */
const NO_BALANCE = /"(ComputationalBudgetExceeded|ProgramFailedToComplete)"|\{"Custom":17\}/;

/** Returns whether a guard failed on a balance or authority, by the chain's error. */
export function failedByGuard({ state, guarded, detail = '' }: Failed): boolean {
  const isGuard = guarded !== undefined && failedAt(detail) >= guarded.from;
  return state === 'failed' && isGuard && !NO_BALANCE.test(detail);
}

/** Returns the chain's error with the finding that the wallet's balances had moved. */
export const movedBefore = (error: string): string => JSON.stringify({ ...JSON.parse(error), moved: true });

/** Whether a guard failed because the wallet's balances had moved, as `movedBefore` notes. */
export function failedByMove(failed: Failed): boolean {
  const error: unknown = failedByGuard(failed) ? JSON.parse(failed.detail ?? '') : undefined;
  return isRecord(error) && error.moved === true;
}

/** Whether a stage may be signed again after its failed signatures. */
export function maySignAgain(rows: readonly Failed[]): boolean {
  const failed = rows.filter(({ state }) => state === 'failed');
  return failed.length <= MAX_AGAIN && failed.every(failedByMove);
}
