/** Amounts and tokens as a person reads them, never rounded. */
import { decimal, SOL_DECIMALS, shortAddress } from '../../base/format.ts';

/** What is known of a token for writing amounts of it. A symbol is text from outside, cleaned. */
export interface TokenUnit {
  readonly decimals?: number;
  readonly symbol?: string;
}

/** The name of an asset: SOL (native and wrapped as one), or a token by its symbol, quoted, and its address. */
export function assetName(asset: string, { symbol }: TokenUnit = {}): string {
  if (asset === 'SOL') return 'SOL';
  return symbol === undefined ? `token ${shortAddress(asset)}` : `“${symbol}” ${shortAddress(asset)}`;
}

/**
 * An amount as a number and what it counts. A mint whose decimals are not known is counted in base units, and the
 * unit says so.
 */
export function amountParts(
  units: bigint,
  asset: string,
  tokens: ReadonlyMap<string, TokenUnit>,
): { readonly number: string; readonly unit: string } {
  const token = tokens.get(asset);
  const known = asset === 'SOL' ? SOL_DECIMALS : token?.decimals;
  const name = assetName(asset, token);
  return known === undefined
    ? { number: decimal(units), unit: `base ${units === 1n ? 'unit' : 'units'} of ${name}` }
    : { number: decimal(units, known), unit: name };
}

/** The same in one text: `0.5 SOL`. */
export function amountWords(units: bigint, asset: string, tokens: ReadonlyMap<string, TokenUnit>): string {
  const { number, unit } = amountParts(units, asset, tokens);
  return `${number} ${unit}`;
}
