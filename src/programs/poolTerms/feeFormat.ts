import { decimal, secondsWords } from '../../base/format.ts';
import type { TradeFee } from './terms.ts';

/** Decimals of a fee as a percentage; fees are in parts of 1,000,000,000. */
const FEE_DECIMALS = 7;

/** Formats a fee as a percentage: `2%`. */
export const feePercent = (fee: bigint): string => `${decimal(fee, FEE_DECIMALS)}%`;

/** Formats the time or price at which a fee is lowest; empty if the fee depends on neither. */
export function lowestWords({
  course,
  endsAfter,
  lowestAtBps = 0n,
}: Pick<TradeFee, 'course' | 'endsAfter' | 'lowestAtBps'>): string {
  if (course === 'time') return `, the lowest after ${decimal(endsAfter)} seconds or slots`;
  if (course !== 'price') return '';
  const times = decimal(lowestAtBps / 100n, 2);
  return `, the lowest at ${times} times the first price or after ${secondsWords(Number(endsAfter))}`;
}

/** Formats a trade fee over the life of a pool: `2%`, or `10% (0.25% to 10% later, the lowest after 7 seconds or slots)`. */
export const feeWords = (fee: TradeFee): string =>
  fee.lowest === fee.highest
    ? feePercent(fee.first)
    : `${feePercent(fee.first)} (${feePercent(fee.lowest)} to ${feePercent(fee.highest)} later${lowestWords(fee)})`;
