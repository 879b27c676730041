/**
 * What a landed transaction really took: followed to `finalized`, then the reserved amounts are replaced by the
 * difference the chain shows. A transaction that failed took its fee.
 */

import { SOL_DECIMALS } from '../../base/words.ts';
import type { ActualUse } from '../../ledger/limits.ts';
import type { Moves } from '../../ledger/moves.ts';
import type { JournalRow } from '../../ledger/types.ts';
import type { LandedTransaction } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { LandingDeps, Timing } from '../ports.ts';
import { judge } from './track.ts';

/**
 * What left a wallet, by asset, base units, never less than nothing. Lamports of the wallet and of every wrapped
 * SOL account it owns are one asset; rent that stays in an account it owns counts as gone, as the policy counted it.
 */
export function actualUses(landed: LandedTransaction, wallet: Address): ActualUse[] {
  const changes = new Map<string, bigint>([['SOL', 0n]]);
  const add = (asset: string, amount: bigint) => changes.set(asset, (changes.get(asset) ?? 0n) + amount);
  landed.accounts.forEach((address, i) => {
    if (address !== wallet) return;
    add('SOL', (landed.lamportsAfter[i] ?? 0n) - (landed.lamportsBefore[i] ?? 0n));
  });
  const owned = (sign: bigint) => (balance: LandedTransaction['tokensBefore'][number]) => {
    if (balance.owner !== wallet) return;
    add(balance.mint === WSOL_MINT ? 'SOL' : balance.mint, sign * balance.amount);
  };
  landed.tokensBefore.forEach(owned(-1n));
  landed.tokensAfter.forEach(owned(1n));
  return [...changes].map(([asset, change]) => ({ asset, amount: change < 0n ? -change : 0n }));
}

/**
 * Everything a landed transaction did to a wallet, for its history: what the network took, the change of the wallet's own
 * lamports without it, and of every token it owns. Wrapped SOL is a token here, so that the sum of all changes of an
 * asset is the change of its balance on the chain.
 */
export function movesOf(landed: LandedTransaction, wallet: Address): Moves {
  const fee = landed.accounts[0] === wallet ? landed.feeLamports : 0n;
  const changes = new Map<string, { units: bigint; decimals: number }>();
  const add = (asset: string, units: bigint, decimals: number) =>
    changes.set(asset, { units: (changes.get(asset)?.units ?? 0n) + units, decimals });
  landed.accounts.forEach((address, i) => {
    if (address !== wallet) return;
    add('SOL', (landed.lamportsAfter[i] ?? 0n) - (landed.lamportsBefore[i] ?? 0n) + fee, SOL_DECIMALS);
  });
  for (const [balances, sign] of [
    [landed.tokensBefore, -1n],
    [landed.tokensAfter, 1n],
  ] as const) {
    for (const { owner, mint, amount, decimals = 0 } of balances) {
      if (owner === wallet) add(mint, sign * amount, decimals);
    }
  }
  return {
    slot: landed.slot,
    ...(landed.time === undefined ? {} : { time: landed.time }),
    feeLamports: fee,
    changes: [...changes]
      .filter(([, { units }]) => units !== 0n)
      .map(([asset, change]) => ({ asset, ...change })),
  };
}

/**
 * Follows a landed row to `finalized` and settles it. Resolves `true` when that is done, `false` when it fell out
 * of a fork and has to be tracked again (F30). Rejects when told to stop.
 */
export async function settleAtFinality(
  deps: LandingDeps,
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
      // A lagging view may not know it yet; a view clearly past its slot that does not know it means that it was dropped.
      const gone =
        status === undefined &&
        (slot > (row.slot ?? 0) + DROPPED_AFTER_SLOTS || (await judge(deps, row)) === 'expired');
      missing = gone ? missing + 1 : 0;
      if (missing > 3) return false;
      if (status?.commitment === 'finalized') {
        const landed = await chain.landed(row.signature);
        // An RPC may say "finalized" wrongly: it counts only together with the transaction's effects (F80).
        if (landed !== undefined) {
          await ledger.settle(row.signature, actualUses(landed, row.wallet), movesOf(landed, row.wallet));
          const state = status.error === null ? 'finalized' : 'failed';
          const change =
            status.error === null ? { slot: status.slot } : { slot: status.slot, detail: status.error };
          await ledger.journalMove(row.signature, state, change);
          return true;
        }
      }
    } catch {
      if (signal.aborted) throw signal.reason;
      // The RPC is not there now; what was reserved stays reserved until it is.
    }
    await clock.sleep(Math.max(timing.pollMs, 200), signal);
  }
}

const DROPPED_AFTER_SLOTS = 2;
