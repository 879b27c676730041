/** Amounts by asset, in base units. SOL and wrapped SOL are one asset (T18). */
import type { Asset } from '../../programs/acts.ts';

export type Amounts = Map<Asset, bigint>;

/** Adds an amount to one asset; zero amounts create no entry. */
export function add(amounts: Amounts, asset: Asset, amount: bigint): void {
  if (amount !== 0n) amounts.set(asset, (amounts.get(asset) ?? 0n) + amount);
}

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

/** Parses decimal amounts into a map by asset. */
export const amountsOf = (stated: readonly { readonly asset: Asset; readonly amount: string }[]): Amounts =>
  new Map(stated.map(({ asset, amount }) => [asset, BigInt(amount)]));

/** Returns the distinct assets of several maps, sorted. */
export function assetsOf(...maps: readonly ReadonlyMap<Asset, bigint>[]): Asset[] {
  const assets = new Set<Asset>();
  for (const map of maps) for (const asset of map.keys()) assets.add(asset);
  return [...assets].sort();
}
