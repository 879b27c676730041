/**
 * Settles landed transactions: follows them to `finalized`, then replaces the reserved amounts by the changes the
 * chain shows. A failed transaction costs its fee.
 */

import type { Moves } from '../../ledger/moves.ts';
import type { JournalRow, Ledger } from '../../ledger/types.ts';
import { heldNote } from '../../plan/notes.ts';
import { storedQuote } from '../deciding/quotes.ts';
import type { ExecutionDeps, Timing } from '../ports.ts';
import { actualUses, movesOf } from '../readback/balances.ts';
import { judgedError } from './guardFailure.ts';
import { isFailureProven } from './landed.ts';
import { judge } from './track.ts';

/**
 * Follows a landed row to `finalized` and settles it. Resolves `true` when settled or left to the principal that judges
 * it, `false` when it was dropped with a fork and has to be tracked again (F30). Rejects when stopped.
 */
export async function settleAtFinality(
  deps: ExecutionDeps,
  timing: Timing,
  row: JournalRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { ledger, chain, clock } = deps;
  let missing = 0;
  for (;;) {
    try {
      const { slot, value } = await chain.statuses([row.signature]);
      const status = value[0];
      // A lagging view may not know the signature yet; a view clearly past its slot means that it was dropped.
      const gone =
        status === undefined &&
        (slot > (row.slot ?? 0) + DROPPED_AFTER_SLOTS || (await judge(deps, row)) === 'expired');
      missing = gone ? missing + 1 : 0;
      if (missing > 3) return false;
      if (status?.commitment === 'finalized') {
        const landed = await chain.landed(row.signature);
        const isProven =
          status.error === null || row.state === 'failed' || (await isFailureProven(deps, row));
        // An RPC may wrongly say "finalized": it counts only together with the transaction's effects (F80).
        if (landed !== undefined && isProven) {
          const moves = movesOf(landed, row.wallet);
          const { slot, error } = status;
          // With two RPCs the larger amounts count: one alone could free a limit.
          const second = await deps.secondChain?.landed(row.signature).catch(() => undefined);
          const settled = { actual: actualUses(row.wallet, landed, second), moves };
          if (error === null) await recordHolding(ledger, row, moves);
          const detail = error === null ? undefined : await judgedError(deps, row, error, landed);
          if (error !== null && detail === undefined) return true;
          await ledger.journalMove(row.signature, error === null ? 'finalized' : 'failed', {
            ...{ slot, settled },
            ...(detail === undefined ? {} : { detail }),
          });
          return true;
        }
      }
    } catch {
      if (signal.aborted) throw signal.reason;
      // The RPC is unavailable; amounts stay reserved until it answers.
    }
    await clock.sleep(Math.max(timing.pollMs, 200), signal);
  }
}

const DROPPED_AFTER_SLOTS = 2;

/** Records the token that a finalized row bought or launched. */
async function recordHolding(
  ledger: Ledger,
  { planId, stageId, network, wallet }: JournalRow,
  { changes }: Moves,
): Promise<void> {
  const plan = (await ledger.rows('plans', { planId }))[0];
  if (plan === undefined) return;
  const { fields } = plan.request;
  const launches = plan.stages.some(({ id, kind }) => id === stageId && kind === 'launch');
  const bought = (await storedQuote(ledger, plan))?.quote.outputMint;
  if (launches || changes.some(({ asset, units }) => asset === bought && units > 0n))
    await ledger.setNote(heldNote(network, wallet, launches ? fields.tokenMint : bought), 'yes');
}
