/** Formats amounts and tokens exactly, without rounding. */
import { decimal, SOL_DECIMALS, shortAddress } from '../../base/format.ts';

/** Data for formatting amounts of a token. The symbol is untrusted text, cleaned. */
export interface TokenUnit {
  readonly decimals?: number;
  readonly symbol?: string;
}

/** Returns the name of an asset: SOL (native and wrapped as one), or a token's quoted symbol and address. */
export function assetName(asset: string, { symbol }: TokenUnit = {}): string {
  if (asset === 'SOL') return 'SOL';
  return symbol === undefined ? `token ${shortAddress(asset)}` : `“${symbol}” ${shortAddress(asset)}`;
}

/** Returns an amount as number and unit. Mints with unknown decimals are counted in base units, as the unit says. */
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

/** Formats an amount: `0.5 SOL`. */
export function amountWords(units: bigint, asset: string, tokens: ReadonlyMap<string, TokenUnit>): string {
  const { number, unit } = amountParts(units, asset, tokens);
  return `${number} ${unit}`;
}

/** States that a token's amounts are shown without the factor of its issuer. */
export const otherAmounts = (token: string): string =>
  `Wallets show other amounts of ${token} than are stated here: its issuer sets a factor or an interest rate.`;
