/**
 * What a swap would bring in a DBC curve or a DAMM v2 pool, from the pool's account alone: its price, the impact of the
 * trade and its fee. A second price beside a quote; the program's rounding may differ by a few base units.
 */
import type { Address } from '../../transaction/types.ts';
import type { Pool } from '../dammV2/accounts.ts';
import type { PoolConfig, VirtualPool } from '../dbc/accounts.ts';
import { afterFee, type BaseFee, type DynamicFee, feeNumerator } from './fees.ts';

/** A swap of an exact amount in, base units. */
export interface ExactIn {
  readonly input: Address;
  readonly output: Address;
  readonly amountIn: bigint;
}

/** The moment a fee is computed for: a slot, and seconds since the epoch. */
export interface Moment {
  readonly slot: bigint;
  readonly seconds: bigint;
}

/** Liquidity between two square roots of prices, which count in units of 2^-64. */
interface Segment {
  readonly lower: bigint;
  readonly upper: bigint;
  readonly liquidity: bigint;
}

const BY_TIME = 1;
const [BOTH_TOKENS, , COMPOUNDING] = [0, 1, 2];
const OUTPUT_TOKEN = 1;
const [HIGHEST_FEE, HIGHEST_FEE_BEFORE] = [990_000_000n, 500_000_000n];

/** Base units a swap on the curve brings; `undefined` where the curve does not trade this pair now or its fee is not known. */
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
  const { baseFee, dynamicFee } = config.poolFees;
  const fee = feeAt(
    {
      cliff: baseFee.cliffFeeNumerator,
      mode: baseFee.baseFeeMode,
      periods: BigInt(baseFee.firstFactor),
      frequency: baseFee.secondFactor,
      reduction: baseFee.thirdFactor,
    },
    dynamicOf(dynamicFee, pool.volatilityTracker.volatilityAccumulator),
    config.activationType === BY_TIME ? now.seconds : now.slot,
    pool.activationPoint,
    HIGHEST_FEE,
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

/** Base units a swap in the pool brings; `undefined` where it does not trade this pair now or its fee is not known. */
export function poolOutput(
  pool: Pool,
  { input, output, amountIn }: ExactIn,
  now: Moment,
): bigint | undefined {
  const isBuy = input === pool.tokenBMint && output === pool.tokenAMint;
  const isSale = input === pool.tokenAMint && output === pool.tokenBMint;
  if ((!isBuy && !isSale) || pool.poolStatus !== 0) return undefined;
  const { baseFee, dynamicFee } = pool.poolFees;
  const fee = feeAt(
    dammBaseFee(baseFee.baseFeeInfo.data),
    dynamicOf(dynamicFee, dynamicFee.volatilityAccumulator),
    pool.activationType === BY_TIME ? now.seconds : now.slot,
    pool.activationPoint,
    pool.feeVersion === 0 ? HIGHEST_FEE_BEFORE : HIGHEST_FEE,
  );
  const one = { lower: pool.sqrtMinPrice, upper: pool.sqrtMaxPrice, liquidity: pool.liquidity };
  return traded(fee, isBuy && pool.collectFeeMode !== BOTH_TOKENS, amountIn, (amount) =>
    pool.collectFeeMode === COMPOUNDING
      ? byProduct(pool, amount, isBuy)
      : along([one], pool.sqrtPrice, amount, isBuy),
  );
}

function feeAt(
  base: BaseFee,
  dynamic: DynamicFee,
  now: bigint,
  activation: bigint,
  highest: bigint,
): bigint | undefined {
  return now < activation ? undefined : feeNumerator(base, dynamic, now - activation, highest);
}

/** An amount traded, with the fee taken from what goes in or from what comes out. */
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

const dynamicOf = (
  {
    initialized,
    binStep,
    variableFeeControl,
  }: { readonly initialized: number; readonly binStep: number; readonly variableFeeControl: number },
  volatility: bigint,
): DynamicFee => ({
  isOn: initialized !== 0,
  volatility,
  binStep: BigInt(binStep),
  control: BigInt(variableFeeControl),
});

/** The fee of a scheduler as a pool keeps it. */
function dammBaseFee(data: Uint8Array): BaseFee {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    cliff: view.getBigUint64(0, true),
    mode: view.getUint8(8),
    periods: BigInt(view.getUint16(14, true)),
    frequency: view.getBigUint64(16, true),
    reduction: view.getBigUint64(24, true),
  };
}

/**
 * Moves the price up (quote goes in) or down (base goes in). Where the liquidity does not take it all, it is what the part
 * that is taken brings: the whole is worth at least that. `undefined` where it takes nothing.
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
    // No pool has a price of zero.
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

/** A pool that keeps its fees as liquidity trades by the product of its reserves. */
function byProduct({ tokenAAmount: a, tokenBAmount: b }: Pool, amount: bigint, isBuy: boolean): bigint {
  const [enters, leaves] = isBuy ? [b, a] : [a, b];
  return (leaves * amount) / (enters + amount);
}
