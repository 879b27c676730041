/**
 * Looks up what earlier processes left open when work for a wallet starts. Nothing is signed or waited for here:
 * signatures in flight are followed while the work continues (C-BUNDLE-10).
 */
import { newHolder } from '../../ledger/sqlite/leases.ts';
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
  const { ledger, chain, mode, principal } = deps;
  const network = await chain.genesisHash();
  const { wallet } = lease;
  const open = mode === 'sandbox' ? await ledger.rows('journal', { open: true }) : undefined;
  // A principal sees the open rows of others by wallet alone.
  const rows =
    open === undefined || principal !== undefined
      ? await ledger.rows('journal', { open: true, wallet, network })
      : open.filter((row) => row.wallet === wallet && row.network === network);
  await closeGone(ledger, wallet, network, open ?? []);
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

/** Closes the open sandbox rows of embedded chains that are gone, unless a living process, this one included, holds their wallet. */
async function closeGone(
  ledger: Ledger,
  own: string,
  network: string,
  open: readonly JournalRow[],
): Promise<void> {
  for (const { mode, network: of, wallet, signature } of open) {
    if (mode !== 'sandbox' || of === network || wallet === own) continue;
    const lease = await ledger.lease({ wallet, holder: newHolder() }, CLOSING_MS);
    if (lease === undefined) continue;
    try {
      // The row may have been settled before the wallet was leased.
      const isOpen = (await ledger.rows('journal', { open: true, wallet, network: of })).some(
        (row) => row.signature === signature,
      );
      const detail = 'The embedded chain is gone.';
      if (isOpen) await ledger.journalMove(signature, 'chain_gone', { lease, detail });
    } finally {
      await ledger.lease(lease, 0);
    }
  }
}

/** States of unsettled rows that need no lookup. */
const ON_CHAIN: readonly JournalState[] = ['confirmed', 'failed', 'finalized', 'chain_gone'];
