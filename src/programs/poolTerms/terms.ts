/**
 * Terms of pools and curves. Instruction arguments and accounts decode to the same terms. As in Meteora's programs, fees are
 * in parts of 1,000,000,000, and prices are square roots in units of 2^-64.
 */
import { sha256Text } from '../../base/canonicalJson.ts';
import { decimal, secondsWords } from '../../base/format.ts';
import type { Address } from '../../transaction/types.ts';

export const BASIS_POINT = 100_000n;

/** The variable that a trade fee depends on: none, time, price, or trade size. */
export type FeeCourse = 'flat' | 'time' | 'price' | 'size' | 'unknown';

/** The fee of a trade over the life of a pool. */
export interface TradeFee {
  readonly course: FeeCourse;
  /** Fee of the first trade. */
  readonly first: bigint;
  /** Maximum fee, including the dynamic part. */
  readonly highest: bigint;
  readonly lowest: bigint;
  /** Length of the schedule in seconds or slots; 0 for a flat fee. */
  readonly endsAfter: bigint;
  /** Price at which a fee by price is lowest, in basis points of the first price. */
  readonly lowestAtBps?: bigint;
  /** Whether a part of the fee depends on volatility. */
  readonly isDynamic: boolean;
}

/** Token in which fees are charged: the quote, the output of each trade, or both with a compounded part. */
export type FeeSide = 'quote' | 'both' | 'compounding' | 'unknown';

/** Terms of a pool. */
export interface PoolTerms {
  /** SHA-256 of all parameters except the activation point. */
  readonly digest: string;
  readonly fee: TradeFee;
  readonly side: FeeSide;
  /** Share of the fees that is compounded as liquidity. */
  readonly compoundingBps: number;
  /** Square root of the opening price, in quote base units per base unit. */
  readonly openingRoot: bigint;
  /** Square root of the pool's maximum price; absent for a curve. */
  readonly topRoot?: bigint;
  /** Slot or time at which trading opens; `null`: with the pool. */
  readonly activationPoint: bigint | null;
  /** Whether anyone may trade as soon as the pool exists. */
  readonly isOpenToAll: boolean;
  /** Non-refundable lamports for the creation of a pool. */
  readonly creationFee: bigint;
  readonly curve?: CurveTerms;
  /** Enum values that no published interface names. */
  readonly unknown: readonly UnknownTerm[];
}

export interface UnknownTerm {
  readonly term: string;
  readonly value: number;
}

/** Terms of a curve, which mints the token and migrates to a pool. Shares are in percent, amounts in base units. */
export interface CurveTerms {
  readonly decimals: number;
  readonly standard: 'Token' | 'Token-2022' | 'unknown';
  /** Whether the terms fix the supply; otherwise the curve's prices determine it. */
  readonly isSupplyFixed: boolean;
  /** Total supply before any burn. */
  readonly supply: bigint;
  /** Unsold supply in basis points of the supply after migration; absent unless the supply is fixed. */
  readonly leftoverBps?: bigint;
  /** Base units that vest to the creator of the pool. */
  readonly heldBack: bigint;
  /** Seconds from the migration until half of the held-back supply is released; absent if none is held back. */
  readonly halfReleasedAfter?: bigint;
  /** Quote base units that complete the curve. */
  readonly threshold: bigint;
  /** Share of the sold supply that is sold for the first tenth of the threshold. */
  readonly soldEarlyBps: bigint;
  readonly isFirstSwapCheap: boolean;
  /** The pool after the curve. */
  readonly migration: {
    readonly target: 'DAMM v1' | 'DAMM v2' | 'unknown';
    readonly fee: TradeFee;
    readonly side: FeeSide;
    readonly compoundingBps: number;
    /** Share of the proceeds that does not go into the pool. */
    readonly paidOutPercent: number;
  };
  /** Liquidity that its holder can withdraw, immediately or by vesting; the rest is permanently locked. */
  readonly claimerUnlocked: number;
  readonly claimerVesting: number;
  readonly creatorUnlocked: number;
  readonly creatorVesting: number;
  /** Permanently locked liquidity whose fees go to the creator of the pool. */
  readonly creatorLocked: number;
  /** Share of the curve's fees for the creator of the pool. */
  readonly creatorFeePercent: number;
  /** Update authority of the token after the launch. */
  readonly updater: 'none' | 'creator' | 'claimer' | 'unknown';
  readonly mayMintMore: boolean;
}

/** Terms of a config, with its receivers. */
export interface CurveConfig {
  readonly terms: PoolTerms;
  readonly leftoverReceiver: Address;
  readonly feeClaimer: Address;
}

/** Returns the price of an amount of base units at a square root price, in quote base units. */
export const priceOf = (root: bigint, units: bigint): bigint => (root * root * units) >> 128n;

/** Returns the lower-case hex SHA-256 of decoded parameters. */
export const digestOf = (parameters: object): string =>
  sha256Text(
    JSON.stringify(parameters, (_, each: unknown) =>
      typeof each === 'bigint'
        ? `${each}`
        : each instanceof Uint8Array
          ? Buffer.from(each).toString('hex')
          : each,
    ),
  );

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
