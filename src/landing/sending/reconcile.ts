/**
 * The start of work for a wallet: whatever earlier processes left open is looked up first. Nothing here signs, and
 * nothing waits: what is still in flight is followed while the work goes on (C-BUNDLE-10).
 */
import type { JournalRow, Lease } from '../../ledger/types.ts';
import type { LandingDeps } from '../ports.ts';
import { judge } from './track.ts';

/** What was found, by what has to be done about it. */
export interface Reconciled {
  /** Landed, or failed on chain: to be followed to finality and settled. */
  readonly landed: readonly JournalRow[];
  /** May still land: the same bytes are sent on. */
  readonly inFlight: readonly JournalRow[];
}

/**
 * Looks at every open row of a wallet on this chain. Rows of embedded chains that are gone are closed, reservations
 * that were never signed are given back, and what is proven dead is released.
 */
export async function reconcile(deps: LandingDeps, lease: Lease): Promise<Reconciled> {
  const { ledger, chain, mode } = deps;
  const network = await chain.genesisHash();
  if (mode === 'sandbox') await ledger.closeChainGone(network);
  await ledger.releaseOrphans(lease);
  const rows = await ledger.openRows({ wallet: lease.wallet, network });
  const landed: JournalRow[] = [];
  const inFlight: JournalRow[] = [];
  if (rows.length === 0) return { landed, inFlight };
  const { value: statuses } = await chain.statuses(rows.map((row) => row.signature));
  for (const [i, row] of rows.entries()) {
    const status = statuses[i];
    if (row.state === 'confirmed' || row.state === 'failed') {
      landed.push(row);
    } else if (status !== undefined && status.commitment !== 'processed' && deps.secondChain === undefined) {
      const { slot, error } = status;
      if (error === null) await ledger.journalMove(row.signature, 'confirmed', { slot });
      else await ledger.journalMove(row.signature, 'failed', { slot, detail: error });
      landed.push({ ...row, slot });
    } else if (row.state === 'expired') {
      // Proven dead before, and the process ended before it could give back what was reserved.
      await ledger.release({ signature: row.signature });
    } else if (row.state === 'finalized' || row.state === 'chain_gone') {
      landed.push(row);
    } else if ((await judge(deps, row)) === 'expired') {
      await ledger.journalMove(row.signature, 'expired', { lease });
      await ledger.release({ signature: row.signature });
    } else {
      inFlight.push(row);
    }
  }
  return { landed, inFlight };
}
