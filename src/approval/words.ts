/**
 * Names and amounts of a plan as a person reads them. Templates only: nothing here repeats text from outside, and amounts
 * are never rounded.
 */
import { decimal, SOL_DECIMALS, shortAddress } from '../base/words.ts';

/** Stands beside every value that was asked for and not read from bytes (T73). */
export const UNVERIFIED = 'requested, not verified';

/** Shown in place of "no other address gains control" where that was not read. */
export const CONTROL_UNREAD = 'Not known: a program that cannot be read may give control to another address.';

const ROLES: Readonly<Record<string, string>> = {
  claimer: 'earns a share of the fees',
  admin: 'can change who earns',
  partner: 'earns as partner',
  feeClaimer: 'receives the fee position',
  recipient: 'is paid',
  tip: 'gets a tip',
  payment: 'is paid',
  refund: 'gets a refund of the network fee',
};

/** What a wallet named in the plan gets or may do. */
export const roleWords = (role: string): string => ROLES[role] ?? 'is named';

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
    ? { number: decimal(units), unit: `base units of ${name}` }
    : { number: decimal(units, known), unit: name };
}

/** The same in one text: `0.5 SOL`. */
export function amountWords(units: bigint, asset: string, tokens: ReadonlyMap<string, TokenUnit>): string {
  const { number, unit } = amountParts(units, asset, tokens);
  return `${number} ${unit}`;
}
