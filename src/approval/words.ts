/**
 * Names and amounts of a plan as a person reads them. Templates only: nothing here repeats text from outside, and amounts
 * are never rounded.
 */
import { decimal, SOL_DECIMALS, shortAddress } from '../base/words.ts';

/** Stands beside every value that was asked for and not read from bytes (T73). */
export const UNVERIFIED = 'requested, not verified';

/** Shown in place of "no other address gains control" where that was not read. */
export const CONTROL_UNREAD =
  'It is not known whether another address gains control: this calls a program whose instructions cannot be read.';

const ROLES: Readonly<Record<string, string>> = {
  claimer: 'earns a share of the fees',
  admin: 'can change who earns',
  partner: 'earns as partner',
  feeClaimer: 'receives the fee position',
  tip: 'gets a tip',
  payment: 'is paid',
};

/** What a wallet named in the plan gets or may do. */
export const roleWords = (role: string): string => ROLES[role] ?? 'is named';

/** The name of an asset: SOL (native and wrapped as one), or a token by its address. */
export const assetName = (asset: string): string =>
  asset === 'SOL' ? 'SOL' : `token ${shortAddress(asset)}`;

/**
 * An amount as a number and what it counts. A mint whose decimals are not known is counted in base units, and the
 * unit says so.
 */
export function amountParts(
  units: bigint,
  asset: string,
  decimals: ReadonlyMap<string, number>,
): { readonly number: string; readonly unit: string } {
  const known = asset === 'SOL' ? SOL_DECIMALS : decimals.get(asset);
  if (known !== undefined) return { number: decimal(units, known), unit: assetName(asset) };
  return { number: decimal(units), unit: `base units of ${assetName(asset)}` };
}

/** The same in one text: `0.5 SOL`. */
export function amountWords(units: bigint, asset: string, decimals: ReadonlyMap<string, number>): string {
  const { number, unit } = amountParts(units, asset, decimals);
  return `${number} ${unit}`;
}
