/** Balance changes of a wallet by landed transactions, in base units, as recorded by the chain. */
import { SOL_DECIMALS } from '../../base/format.ts';
import type { Moves } from '../../ledger/moves.ts';
import type { ActualUse } from '../../ledger/types.ts';
import { add } from '../../policy/decide/amounts.ts';
import { assetOf } from '../../policy/decide/decisionContext.ts';
import type { Asset, DecisionInputs } from '../../policy/decide/types.ts';
import { tokenAccountOf } from '../../programs/token/accounts.ts';
import type { LandedTransaction } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';

/**
 * Returns a landed transaction's changes to a wallet, for its history: the network fee, the change of its own
 * lamports without the fee, and of every token it owns. Wrapped SOL counts as a token here, so that the sum of an
 * asset's changes equals the change of its balance.
 */
export function movesOf(landed: LandedTransaction, wallet: Address): Moves {
  const fee = landed.accounts[0] === wallet ? landed.feeLamports : 0n;
  const changes = new Map<string, { units: bigint; decimals: number }>();
  const add = (asset: string, units: bigint, decimals: number) =>
    changes.set(asset, { units: (changes.get(asset)?.units ?? 0n) + units, decimals });
  landed.accounts.forEach((address, i) => {
    if (address !== wallet) return;
    const paid = i === 0 ? fee : 0n;
    add('SOL', (landed.lamportsAfter[i] ?? 0n) - (landed.lamportsBefore[i] ?? 0n) + paid, SOL_DECIMALS);
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

/** Returns the changes of a wallet's assets without network fees; wrapped SOL counts as SOL. */
export function changesOf(wallet: Address, ...landed: readonly LandedTransaction[]): Map<string, bigint> {
  const total = new Map<string, bigint>();
  for (const { asset, units } of landed.flatMap((each) => movesOf(each, wallet).changes))
    add(total, assetOf(asset), units);
  return total;
}

/**
 * Returns the asset changes of a successful simulation, comparable with `changesOf` of the landed transaction; empty
 * without such a simulation.
 */
export function simulatedChanges(
  wallet: Address,
  simulation: DecisionInputs['simulation'],
  { accounts, feeLamports }: LandedTransaction,
): Map<Asset, bigint> {
  const total = new Map<Asset, bigint>();
  if (simulation.status !== 'done' || simulation.error !== null) return total;
  for (const [state, sign] of [
    [simulation.before, -1n],
    [simulation.after, 1n],
  ] as const) {
    for (const account of state) {
      const token = tokenAccountOf(account);
      if (account.address === wallet) add(total, 'SOL', sign * BigInt(account.lamports));
      else if (token?.owner === wallet) add(total, assetOf(token.mint), sign * token.amount);
    }
  }
  if (accounts[0] === wallet) add(total, 'SOL', feeLamports);
  return total;
}

/**
 * Returns the amounts that left a wallet, by asset and never negative, network fee included; the largest of several
 * views of a transaction. Rent in accounts the wallet owns counts as spent, as in the policy's limits.
 */
export function actualUses(
  wallet: Address,
  ...views: readonly (LandedTransaction | undefined)[]
): ActualUse[] {
  const most = new Map<Asset, bigint>();
  for (const landed of views.filter((view) => view !== undefined)) {
    const changes = changesOf(wallet, landed);
    changes.set('SOL', (changes.get('SOL') ?? 0n) - movesOf(landed, wallet).feeLamports);
    for (const [asset, change] of changes) {
      const left = change < 0n ? -change : 0n;
      if (left >= (most.get(asset) ?? 0n)) most.set(asset, left);
    }
  }
  return [...most].map(([asset, amount]) => ({ asset, amount }));
}
