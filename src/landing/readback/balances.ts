/** What landed transactions did to a wallet's balances. */
import type { LandedTransaction } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** Base units by which a wallet's assets changed, the network fee it paid apart; wrapped SOL counts as SOL. */
export function changesOf(landed: LandedTransaction, wallet: Address): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => changes.set(asset, (changes.get(asset) ?? 0n) + amount);
  landed.accounts.forEach((address, i) => {
    if (address !== wallet) return;
    const fee = i === 0 ? landed.feeLamports : 0n;
    add('SOL', (landed.lamportsAfter[i] ?? 0n) - (landed.lamportsBefore[i] ?? 0n) + fee);
  });
  for (const [balances, sign] of [
    [landed.tokensBefore, -1n],
    [landed.tokensAfter, 1n],
  ] as const) {
    for (const { owner, mint, amount } of balances) {
      if (owner === wallet) add(mint === WSOL_MINT ? 'SOL' : mint, sign * amount);
    }
  }
  return changes;
}

/** The changes of several transactions together. */
export function changesTogether(landed: readonly LandedTransaction[], wallet: Address): Map<string, bigint> {
  const total = new Map<string, bigint>();
  for (const transaction of landed) {
    for (const [asset, change] of changesOf(transaction, wallet)) {
      total.set(asset, (total.get(asset) ?? 0n) + change);
    }
  }
  return total;
}
