/**
 * Looks up what earlier processes left open when work for a wallet starts. Nothing is signed or waited for here:
 * signatures in flight are followed while the work continues (C-BUNDLE-10).
 */
import type { JournalRow, JournalState, Lease, Ledger } from '../../ledger/types.ts';
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
  const { wallet } = lease;
  const isSandbox = mode === 'sandbox';
  const open = await ledger.rows('journal', { open: true, ...(isSandbox ? {} : { wallet, network }) });
  const rows = open.filter((row) => row.wallet === wallet && row.network === network);
  if (isSandbox) await closeGone(ledger, lease, network, open);
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

const CLOSING_MS = 10_000;

/** Closes the open sandbox rows of embedded chains that are gone, unless a living process holds their wallet. */
async function closeGone(
  ledger: Ledger,
  { wallet, holder }: Lease,
  network: string,
  open: readonly JournalRow[],
): Promise<void> {
  for (const row of open) {
    if (row.mode !== 'sandbox' || row.network === network || row.wallet === wallet) continue;
    const lease = await ledger.lease({ wallet: row.wallet, holder }, CLOSING_MS);
    if (lease === undefined) continue;
    await ledger.journalMove(row.signature, 'chain_gone', { lease, detail: 'The embedded chain is gone.' });
    await ledger.lease(lease, 0);
  }
}

/** States of unsettled rows that need no lookup. */
const ON_CHAIN: readonly JournalState[] = ['confirmed', 'failed', 'finalized', 'chain_gone'];
