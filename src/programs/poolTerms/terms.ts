/**
 * The terms of a pool, and of a curve that leads to one, decoded from all bytes of their parameters by the mode these
 * bytes name. Arguments of an instruction and accounts of the chain lead to the same value. Fees are counted in parts of
 * 1,000,000,000, prices as square roots in units of 2^-64, both as Meteora's programs do.
 */
import type { Address } from '../../transaction/types.ts';

export const BASIS_POINT = 100_000n;

/** Why the fee of a trade changes: never, with time, with the price, with the size of the trade. */
export type FeeCourse = 'flat' | 'time' | 'price' | 'size' | 'unknown';

/** The fee of a trade over the life of a pool. */
export interface TradeFee {
  readonly course: FeeCourse;
  /** Of the first trade. */
  readonly first: bigint;
  /** The highest, the part that follows volatility included. */
  readonly highest: bigint;
  readonly lowest: bigint;
  /** Seconds or slots after the opening until the schedule has ended; 0 for a flat fee. */
  readonly endsAfter: bigint;
  /** A part of it follows volatility. */
  readonly isDynamic: boolean;
}

/** What a fee is taken of: the quote alone, whatever a trade brings, or both sides with a part kept as liquidity. */
export type FeeSide = 'quote' | 'both' | 'compounding' | 'unknown';

/** Terms every pool has. */
export interface PoolTerms {
  /** SHA-256 of all parameters, the activation time apart. */
  readonly digest: string;
  readonly fee: TradeFee;
  readonly side: FeeSide;
  /** Part of the fees that is kept as liquidity. */
  readonly compoundingBps: number;
  /** Square root of the price of the first base unit, in base units of the quote. */
  readonly openingRoot: bigint;
  /** The same of the highest price at which a pool trades; absent for a curve. */
  readonly topRoot?: bigint;
  /** Slot or time from which on trade is open; `null`: with the pool. */
  readonly activationPoint: bigint | null;
  /** Anyone may trade from the moment the pool is open. */
  readonly isOpenToAll: boolean;
  /** Lamports for the opening of a pool, which do not come back. */
  readonly creationFee: bigint;
  readonly curve?: CurveTerms;
  /** Modes and options of numbers that no published interface names. */
  readonly unknown: readonly UnknownTerm[];
}

export interface UnknownTerm {
  readonly term: string;
  readonly value: number;
}

/** Terms of a curve, which makes the token and turns into a pool. Shares are percent; amounts are base units. */
export interface CurveTerms {
  readonly decimals: number;
  readonly standard: 'Token' | 'Token-2022' | 'unknown';
  /** Fixed by the terms; otherwise the program makes `supply` by the curve's prices. */
  readonly isSupplyFixed: boolean;
  /** All of the token there will be, before anything is burned. */
  readonly supply: bigint;
  /** Neither sold, nor put into the pool, nor held back; of the supply that stays. Absent where the program fixes it. */
  readonly leftoverBps?: bigint;
  /** Held back at first and released to the creator of the pool as time passes. */
  readonly heldBack: bigint;
  /** Quote units that complete the curve. */
  readonly threshold: bigint;
  /** Sold for the first tenth of these, of all that is sold until then. */
  readonly soldEarlyBps: bigint;
  readonly isFirstSwapCheap: boolean;
  /** What the curve turns into. */
  readonly migration: {
    readonly target: 'DAMM v1' | 'DAMM v2' | 'unknown';
    readonly fee: TradeFee;
    readonly side: FeeSide;
    readonly compoundingBps: number;
    /** Part of what the curve took that does not go into the pool. */
    readonly paidOutPercent: number;
  };
  /** Liquidity of the pool that its holder can take out, at once or as time passes; the rest is locked for good. */
  readonly claimerUnlocked: number;
  readonly claimerVesting: number;
  readonly creatorUnlocked: number;
  readonly creatorVesting: number;
  /** Locked for good, its fees for the creator of the pool. */
  readonly creatorLocked: number;
  /** Part of the curve's fees for the creator of the pool. */
  readonly creatorFeePercent: number;
  /** Who may change the token after the launch. */
  readonly updater: 'none' | 'creator' | 'claimer' | 'unknown';
  readonly mayMintMore: boolean;
}

/** Terms with the key that gets what a curve does not sell. */
export interface CurveConfig {
  readonly terms: PoolTerms;
  readonly leftoverReceiver: Address;
  readonly feeClaimer: Address;
}

/** Price of an amount of base units at a square root, in base units of the quote. */
export const priceOf = (root: bigint, units: bigint): bigint => (root * root * units) >> 128n;
