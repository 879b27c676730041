/**
 * Looks up what earlier processes left open when work for a wallet starts. Nothing is signed or waited for here:
 * signatures in flight are followed while the work continues (C-BUNDLE-10).
 */
import type { JournalRow, JournalState, Lease } from '../../ledger/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import { landedStatuses, recordLanding } from './landed.ts';
import { judge } from './track.ts';

/** Open rows, by the action they need. */
export interface Reconciled {
  /** Landed, or failed on chain: to be followed to finality and settled. */
  readonly landed: readonly JournalRow[];
  /** May still land: the same bytes are resent. */
  readonly inFlight: readonly JournalRow[];
}

/**
 * Checks every open row of a wallet on this chain. Closes rows of embedded chains that are gone, and releases
 * reservations that were never signed or are proven dead.
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

/** States of unsettled rows that need no lookup. */
const ON_CHAIN: readonly JournalState[] = ['confirmed', 'failed', 'finalized', 'chain_gone'];
