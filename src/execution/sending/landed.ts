/**
 * What counts as landed: what our RPC shows at `confirmed`, and a second one, where there is one, as well (F35). And how
 * that, or the proof that it never will, is written down.
 */
import type { JournalRow, Ledger } from '../../ledger/types.ts';
import type { Chain, SignatureStatus } from '../../rpc/types.ts';
import type { ExecutionDeps } from '../ports.ts';

export type Landed = Pick<SignatureStatus, 'slot' | 'error'>;

/**
 * The landings of some signatures, each `undefined` until every RPC that is asked shows it and, for a failure, until it
 * is proven.
 */
export async function landedStatuses(
  deps: Pick<ExecutionDeps, 'chain' | 'secondChain' | 'mode'>,
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
 * Whether a failure that one RPC reports may free its intent. An RPC can report a failure of bytes that never landed and
 * still land: the failure counts once a second RPC reports it too, or once the bytes cannot land any more; never where a
 * second RPC shows that they landed.
 */
export async function isFailureProven(
  { chain, secondChain, mode }: Pick<ExecutionDeps, 'chain' | 'secondChain' | 'mode'>,
  { signature, deadHeight }: JournalRow,
): Promise<boolean> {
  // The embedded chain is this program's own.
  if (mode === 'sandbox') return true;
  const second = await secondChain?.statuses([signature]).catch(() => undefined);
  const status = second?.value[0];
  if (status !== undefined && status.commitment !== 'processed') return status.error !== null;
  const { blockHeight } = await chain.head('finalized');
  return Number.isSafeInteger(blockHeight) && blockHeight > deadHeight;
}

/** One RPC may lie about a landing, so both must know of it. A second RPC that cannot be asked is left out. */
export async function secondRpcHas(second: Chain, signature: string): Promise<boolean> {
  try {
    const { value } = await second.statuses([signature]);
    return value[0] !== undefined && value[0].commitment !== 'processed';
  } catch {
    return true;
  }
}

/** Writes down a landing: `confirmed`, or `failed` with the chain's error. Returns the row as it is then. */
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
