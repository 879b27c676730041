/** Signatures with guards that failed on chain because the wallet's balances had moved: nothing happened but the fee. */
import type { Row } from '../database.ts';
import type { JournalRow } from '../types.ts';

/** How often a stage is signed again after its guards failed. */
const MAX_AGAIN = 2;

type Failed = Pick<JournalRow, 'guarded' | 'detail'> & { readonly state: string };

/** What of a row of the journal says whether a guard failed. */
export function failureIn(row: Row): Failed {
  const { guarded }: Failed = JSON.parse(row.text('body'));
  return { state: row.text('state'), guarded, detail: row.maybeText('detail') };
}

/** Whether a guard of the transaction failed, by the chain's error. */
export function failedByGuard({ state, guarded, detail = '' }: Failed): boolean {
  const at = /"InstructionError":\[(\d+),/.exec(detail)?.[1];
  return state === 'failed' && guarded !== undefined && at !== undefined && Number(at) >= guarded.from;
}

/** Whether a stage may be signed again after its failed signatures. */
export function maySignAgain(rows: readonly Failed[]): boolean {
  const failed = rows.filter(({ state }) => state === 'failed');
  return failed.length <= MAX_AGAIN && failed.every(failedByGuard);
}
