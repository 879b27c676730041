/**
 * Output of a swap in a DBC curve or a DAMM v2 pool, computed from its account: price, price impact and fee. Used as a
 * second price beside a quote; may differ from the program by a few base units of rounding.
 */
import type { Address } from '../../transaction/types.ts';
import type { Pool } from '../dammV2/accounts.ts';
import type { PoolConfig, VirtualPool } from '../dbc/accounts.ts';
import { numbersOf } from './curve.ts';
import { type DynamicFee, dynamicFee, type FeeNumbers, MAX_FEE, scheduledFee } from './fees.ts';

/** A swap of an exact input, in base units. */
export interface ExactIn {
  readonly input: Address;
  readonly output: Address;
  readonly amountIn: bigint;
}

/** The time of a swap: slot, and seconds since the epoch. */
export interface Moment {
  readonly slot: bigint;
  readonly seconds: bigint;
}

/** Liquidity between two square root prices, in units of 2^-64. */
interface Segment {
  readonly lower: bigint;
  readonly upper: bigint;
  readonly liquidity: bigint;
}

const BY_TIME = 1;
const [BOTH_TOKENS, , COMPOUNDING] = [0, 1, 2];
const OUTPUT_TOKEN = 1;
/** Denominator of fees, and the maximum fee of older pools. */
const [FEE_DENOMINATOR, MAX_FEE_BEFORE] = [1_000_000_000n, 500_000_000n];

/** Returns the output on a curve in base units, or `undefined` if it does not trade this pair now or its fee is unsupported. */
export function curveOutput(
  pool: VirtualPool,
  config: PoolConfig,
  { input, output, amountIn }: ExactIn,
  now: Moment,
): bigint | undefined {
  const isBuy = input === config.quoteMint && output === pool.baseMint;
  const isSale = input === pool.baseMint && output === config.quoteMint;
  if ((!isBuy && !isSale) || pool.isMigrated !== 0 || pool.sqrtPrice >= config.migrationSqrtPrice)
    return undefined;
  const fee = feeAt(
    numbersOf(config.poolFees.baseFee),
    config.poolFees.dynamicFee,
    pool.volatilityTracker.volatilityAccumulator,
    config.activationType === BY_TIME ? now.seconds : now.slot,
    pool.activationPoint,
    MAX_FEE,
  );
  const segments = config.curve.map(({ sqrtPrice, liquidity }, i) => ({
    lower: config.curve[i - 1]?.sqrtPrice ?? config.sqrtStartPrice,
    upper: sqrtPrice,
    liquidity,
  }));
  return traded(fee, isBuy && config.collectFeeMode !== OUTPUT_TOKEN, amountIn, (amount) =>
    along(segments, pool.sqrtPrice, amount, isBuy),
  );
}

/** Returns the output in a pool in base units, or `undefined` if it does not trade this pair now or its fee is unsupported. */
export function poolOutput(
  pool: Pool,
  { input, output, amountIn }: ExactIn,
  now: Moment,
): bigint | undefined {
  const isBuy = input === pool.tokenBMint && output === pool.tokenAMint;
  const isSale = input === pool.tokenAMint && output === pool.tokenBMint;
  if ((!isBuy && !isSale) || pool.poolStatus !== 0) return undefined;
  const { baseFee, dynamicFee: dynamic } = pool.poolFees;
  const fee = feeAt(
    dammBaseFee(baseFee.baseFeeInfo.data),
    dynamic,
    dynamic.volatilityAccumulator,
    pool.activationType === BY_TIME ? now.seconds : now.slot,
    pool.activationPoint,
    pool.feeVersion === 0 ? MAX_FEE_BEFORE : MAX_FEE,
  );
  const one = { lower: pool.sqrtMinPrice, upper: pool.sqrtMaxPrice, liquidity: pool.liquidity };
  return traded(fee, isBuy && pool.collectFeeMode !== BOTH_TOKENS, amountIn, (amount) =>
    pool.collectFeeMode === COMPOUNDING
      ? byProduct(pool, amount, isBuy)
      : along([one], pool.sqrtPrice, amount, isBuy),
  );
}

/** Returns the fee now, at most `highest`; `undefined` before activation and for other modes than schedules by time. */
function feeAt(
  base: FeeNumbers,
  dynamic: Omit<DynamicFee, 'maxVolatilityAccumulator'> & { readonly initialized: number },
  volatility: bigint,
  now: bigint,
  activation: bigint,
  highest: bigint,
): bigint | undefined {
  const scheduled = now < activation ? undefined : scheduledFee(base, now - activation);
  if (scheduled === undefined) return undefined;
  const total = scheduled + (dynamic.initialized === 0 ? 0n : dynamicFee(dynamic, volatility));
  return total < highest ? total : highest;
}

/** Returns an amount less the fee, which is rounded up. */
const afterFee = (amount: bigint, fee: bigint): bigint =>
  amount - (amount * fee + FEE_DENOMINATOR - 1n) / FEE_DENOMINATOR;

/** Returns the output of a swap, with the fee deducted from the input or the output. */
function traded(
  fee: bigint | undefined,
  isOnInput: boolean,
  amountIn: bigint,
  swap: (amount: bigint) => bigint | undefined,
): bigint | undefined {
  if (fee === undefined) return undefined;
  const out = swap(isOnInput ? afterFee(amountIn, fee) : amountIn);
  return out === undefined || isOnInput ? out : afterFee(out, fee);
}

/** Decodes a scheduler fee from a pool account. */
function dammBaseFee(data: Uint8Array): FeeNumbers {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    cliff: view.getBigUint64(0, true),
    mode: view.getUint8(8),
    steps: BigInt(view.getUint16(14, true)),
    pace: view.getBigUint64(16, true),
    change: view.getBigUint64(24, true),
  };
}

/**
 * Moves the price up (quote in) or down (base in) and returns the output. If the liquidity does not suffice, returns the
 * output of the part that is traded, a lower bound; `undefined` if nothing can be traded.
 */
function along(
  segments: readonly Segment[],
  from: bigint,
  amount: bigint,
  isUp: boolean,
): bigint | undefined {
  let [price, left, out] = [from, amount, 0n];
  for (const { lower, upper, liquidity } of isUp ? segments : segments.toReversed()) {
    const end = isUp ? upper : lower;
    if (liquidity === 0n || (isUp ? end <= price : end >= price)) continue;
    // Guards against division by zero.
    if (price === 0n || end === 0n) return undefined;
    const takes = isUp ? quoteBetween(liquidity, price, end) : baseBetween(liquidity, end, price);
    const isLast = left <= takes;
    const next = isLast ? moved(liquidity, price, left, isUp) : end;
    out += isUp ? baseBetween(liquidity, price, next) : quoteBetween(liquidity, next, price);
    if (isLast) return out;
    left -= takes;
    price = next;
  }
  return out === 0n ? undefined : out;
}

const moved = (liquidity: bigint, price: bigint, amount: bigint, isUp: boolean): bigint =>
  isUp ? price + (amount << 128n) / liquidity : (liquidity * price) / (liquidity + amount * price);
const quoteBetween = (liquidity: bigint, low: bigint, high: bigint): bigint =>
  (liquidity * (high - low)) >> 128n;
const baseBetween = (liquidity: bigint, low: bigint, high: bigint): bigint =>
  (liquidity * (high - low)) / (low * high);

/** Returns the output of a compounding pool, which trades by constant product. */
function byProduct({ tokenAAmount: a, tokenBAmount: b }: Pool, amount: bigint, isBuy: boolean): bigint {
  const [enters, leaves] = isBuy ? [b, a] : [a, b];
  return (leaves * amount) / (enters + amount);
}
