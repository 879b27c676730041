/** Amounts of the EVM chain in whole units beside their base units. */
import { decimalText } from '../../src/base/format.ts';

/** What the service says of the currency amounts are in. */
type Quote = { decimals?: number | null | undefined } | null | undefined;

/** Base units as whole units; `undefined` where they are no number or the decimals are not known. */
export const inWhole = (units: unknown, decimals: number | null | undefined): string | undefined =>
  typeof units === 'string' && /^\d+$/.test(units) && typeof decimals === 'number'
    ? decimalText(BigInt(units), decimals)
    : undefined;

/** Names of amounts in the quote, and what they are called in whole units. */
const IN_QUOTE: Readonly<Record<string, string>> = {
  claimedWei: 'claimed',
  claimableWei: 'claimable',
  pendingWei: 'pending',
  pendingEstimateWei: 'pendingEstimate',
};

/** A row with its amounts in whole units of the quote as well. */
export function inQuote<T extends object>(row: T, quote: Quote): T & Record<string, unknown> {
  const whole = Object.entries(IN_QUOTE).flatMap(([wei, name]) => {
    const amount = inWhole(Object.hasOwn(row, wei) ? Reflect.get(row, wei) : undefined, quote?.decimals);
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return { ...row, ...Object.fromEntries(whole) };
}
