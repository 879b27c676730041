import { decimal } from '../../base/format.ts';
import type { TradeFee } from './terms.ts';

/** Decimals of a fee as a percentage; fees are in parts of 1,000,000,000. */
const FEE_DECIMALS = 7;

/** Formats a fee as a percentage: `2%`. */
export const feePercent = (fee: bigint): string => `${decimal(fee, FEE_DECIMALS)}%`;

/** Formats a trade fee over the life of a pool: `2%`, or `10% (0.25% to 10% later)`. */
export const feeWords = ({ first, lowest, highest }: TradeFee): string =>
  lowest === highest
    ? feePercent(first)
    : `${feePercent(first)} (${feePercent(lowest)} to ${feePercent(highest)} later)`;
