/** EVM amounts in whole units, in addition to base units. */
import { decimalText } from '../../src/base/format.ts';

/** The service's description of a quote. */
type Quote = { decimals?: number | null | undefined } | null | undefined;

/** Converts base units to whole units; `undefined` for other texts or unknown decimals. */
export const toWholeUnits = (units: unknown, decimals: number | null | undefined): string | undefined =>
  typeof units === 'string' && /^\d+$/.test(units) && typeof decimals === 'number'
    ? decimalText(BigInt(units), decimals)
    : undefined;

/** Names of quote amounts, and of the same amounts in whole units. */
const IN_QUOTE: Readonly<Record<string, string>> = {
  claimedWei: 'claimed',
  claimableWei: 'claimable',
  pendingWei: 'pending',
  pendingEstimateWei: 'pendingEstimate',
};

/** Adds amounts in whole units of the quote to a row. */
export function inQuote<T extends object>(row: T, quote: Quote): T & Record<string, unknown> {
  const whole = Object.entries(IN_QUOTE).flatMap(([wei, name]) => {
    const amount = toWholeUnits(Object.hasOwn(row, wei) ? Reflect.get(row, wei) : undefined, quote?.decimals);
    return amount === undefined ? [] : [[name, amount] as const];
  });
  return { ...row, ...Object.fromEntries(whole) };
}
