/**
 * Determines which signatures landed: shown by our RPC at `confirmed`, and by the second RPC if there is one (F35).
 * Records landed and expired signatures.
 */
import type { JournalRow, Ledger } from '../../ledger/types.ts';
import type { Chain, SignatureStatus } from '../../rpc/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import { isYoung } from './verdict.ts';

export type Landed = Pick<SignatureStatus, 'slot' | 'error'>;

type Proving = Pick<ExecutionDeps, 'chain' | 'secondChain' | 'ledger' | 'mode'>;

/**
 * Returns the landed status of each signature, `undefined` until every RPC shows it and, for a failure, until it is
 * proven.
 */
export async function landedStatuses(
  deps: Proving,
  rows: readonly JournalRow[],
): Promise<(Landed | undefined)[]> {
  const { chain, secondChain } = deps;
  const { value } = await chain.statuses(rows.map(({ signature }) => signature));
  return Promise.all(
    rows.map(async (row, i) => {
      const status = value[i];
      if (status === undefined || status.commitment === 'processed') return undefined;
      if (status.error !== null) return (await isFailureProven(deps, row)) ? status : undefined;
      return secondChain === undefined || (await secondRpcHas(secondChain, row.signature))
        ? status
        : undefined;
    }),
  );
}

/**
 * Returns whether a failure reported by one RPC may free its intent. An RPC can report a failure of bytes that never
 * landed and still can: the failure counts once a second RPC reports it too, or once the bytes cannot land any more;
 * never if a second RPC shows success.
 */
export async function isFailureProven(
  { chain, secondChain, ledger, mode }: Proving,
  row: JournalRow,
): Promise<boolean> {
  // The embedded chain is part of this program.
  if (mode === 'sandbox') return true;
  const second = await secondChain?.statuses([row.signature]).catch(() => undefined);
  const status = second?.value[0];
  if (status !== undefined && status.commitment !== 'processed') return status.error !== null;
  const { blockHeight } = await chain.head('finalized');
  const isOver = Number.isSafeInteger(blockHeight) && blockHeight > row.deadHeight;
  return isOver && !isYoung(row, await ledger.time());
}

/**
 * Returns whether the second RPC shows the signature, since one RPC may report a false success. An unavailable second
 * RPC is ignored.
 */
export async function secondRpcHas(second: Chain, signature: string): Promise<boolean> {
  try {
    const { value } = await second.statuses([signature]);
    return value[0] !== undefined && value[0].commitment !== 'processed';
  } catch {
    return true;
  }
}

/** Records a landed transaction: `confirmed`, or `failed` with the chain's error. Returns the updated row. */
export async function recordLanding(
  ledger: Pick<Ledger, 'journalMove'>,
  row: JournalRow,
  { slot, error }: Landed,
): Promise<JournalRow> {
  const state = error === null ? 'confirmed' : 'failed';
  const change = error === null ? { slot } : { slot, detail: error };
  await ledger.journalMove(row.signature, state, change);
  return { ...row, state, ...change };
}
