/** Amounts by asset, in base units. SOL and wrapped SOL are one asset (T18). */
import type { Asset } from './types.ts';

export type Amounts = Map<Asset, bigint>;

/** Adds to one asset; amounts of zero leave no trace. */
export function add(amounts: Amounts, asset: Asset, amount: bigint): void {
  if (amount !== 0n) amounts.set(asset, (amounts.get(asset) ?? 0n) + amount);
}

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

/** Every asset of several maps, once, in a stable order. */
export function assetsOf(...maps: readonly ReadonlyMap<Asset, bigint>[]): Asset[] {
  return [...new Set(maps.flatMap((map) => [...map.keys()]))].sort();
}
