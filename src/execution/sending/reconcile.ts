/**
 * The start of work for a wallet: whatever earlier processes left open is looked up first. Nothing here signs, and
 * nothing waits: what is still in flight is followed while the work goes on (C-BUNDLE-10).
 */
import type { JournalRow, JournalState, Lease } from '../../ledger/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import { landedStatuses, recordLanding } from './landed.ts';
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
export async function reconcile(deps: ExecutionDeps, lease: Lease): Promise<Reconciled> {
  const { ledger, chain, mode } = deps;
  const network = await chain.genesisHash();
  const rows = await ledger.takeOver(lease, { network, mode });
  const landed: JournalRow[] = [];
  const inFlight: JournalRow[] = [];
  if (rows.length === 0) return { landed, inFlight };
  const found = await landedStatuses(deps, rows);
  for (const [i, row] of rows.entries()) {
    const shown = found[i];
    if (ON_CHAIN.includes(row.state)) {
      landed.push(row);
    } else if (shown !== undefined) {
      landed.push(await recordLanding(ledger, row, shown));
    } else if ((await judge(deps, row)) === 'expired') {
      await ledger.journalMove(row.signature, 'expired', { lease });
    } else {
      inFlight.push(row);
    }
  }
  return { landed, inFlight };
}

/** States of rows that are not settled yet, and are looked up no more. */
const ON_CHAIN: readonly JournalState[] = ['confirmed', 'failed', 'finalized', 'chain_gone'];
