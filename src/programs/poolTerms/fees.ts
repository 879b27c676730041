/** The fee of a trade by its mode, with the arithmetic of Meteora's programs. */
import type { FeeCourse, FeeSide, TradeFee, UnknownTerm } from './terms.ts';

/** No fee is higher, whatever a schedule says. */
const MAX_FEE = 990_000_000n;
const BASIS_POINTS = 10_000n;
const BASIS_POINT_FEE = 100_000n;
/** The fee that follows volatility is divided by this. */
const DYNAMIC_SCALE = 100_000_000_000n;

/** A base fee as its bytes divide into numbers; what they mean depends on the mode. */
export interface FeeNumbers {
  readonly cliff: bigint;
  readonly mode: number;
  /** Periods, or basis points a step of size adds. */
  readonly steps: bigint;
  /** Length of a period; or of the limit, with the highest fee in basis points above it. */
  readonly pace: bigint;
  /** Taken off in each period: parts, or basis points of the fee; or the size that pays no more. */
  readonly change: bigint;
}

/** The fee that follows volatility, where there is one. */
export interface DynamicFee {
  readonly binStep: number;
  readonly maxVolatilityAccumulator: number;
  readonly variableFeeControl: number;
}

const [LINEAR, EXPONENTIAL, SIZE, PRICE_LINEAR, PRICE_EXPONENTIAL] = [0, 1, 2, 3, 4];
const low = (value: bigint): bigint => value & 0xffff_ffffn;
const high = (value: bigint): bigint => value >> 32n;
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The fee of a trade over a pool's life. `limitInPace`: the highest fee of a rate limiter stands in `pace`. */
export function tradeFee(
  { cliff, mode, steps, pace, change }: FeeNumbers,
  dynamic: DynamicFee | null | undefined,
  limitInPace = true,
): TradeFee {
  const moving = dynamic == null ? 0n : dynamicFee(dynamic);
  const of = (course: FeeCourse, lowest: bigint, highest: bigint, endsAfter: bigint): TradeFee => {
    const isFlat = lowest === highest;
    return {
      course: isFlat ? 'flat' : course,
      first: cliff,
      highest: smaller(MAX_FEE, highest + moving),
      lowest,
      endsAfter: isFlat ? 0n : endsAfter,
      isDynamic: dynamic != null,
    };
  };
  switch (mode) {
    case LINEAR:
    case EXPONENTIAL:
      return of('time', reduced(cliff, mode === LINEAR, steps, change), cliff, steps * pace);
    case PRICE_LINEAR:
    case PRICE_EXPONENTIAL:
      return of('price', reduced(cliff, mode === PRICE_LINEAR, steps, change), cliff, high(pace));
    case SIZE: {
      const isNone = steps === 0n && pace === 0n && change === 0n;
      const limit = limitInPace ? high(pace) * BASIS_POINT_FEE : MAX_FEE;
      return of('size', cliff, isNone ? cliff : limit, limitInPace ? low(pace) : pace);
    }
    default:
      return of('unknown', 0n, MAX_FEE, 0n);
  }
}

/** The fee after all periods: by a part of the first one, or of the one before, in each. */
function reduced(cliff: bigint, isLinear: boolean, periods: bigint, change: bigint): bigint {
  if (isLinear) return cliff > periods * change ? cliff - periods * change : 0n;
  const one = 1n << 64n;
  let [base, factor] = [one - (smaller(change, BASIS_POINTS) << 64n) / BASIS_POINTS, one];
  for (let left = periods; left > 0n; left >>= 1n) {
    if (left & 1n) factor = (factor * base) >> 64n;
    base = (base * base) >> 64n;
  }
  return (cliff * factor) >> 64n;
}

function dynamicFee({ binStep, maxVolatilityAccumulator, variableFeeControl }: DynamicFee): bigint {
  const most = BigInt(maxVolatilityAccumulator) * BigInt(binStep);
  return (most * most * BigInt(variableFeeControl) + DYNAMIC_SCALE - 1n) / DYNAMIC_SCALE;
}

/** Sides by number: a curve takes the quote at 0, a pool at 1. */
export const CURVE_SIDES: readonly FeeSide[] = ['quote', 'both'];
export const MIGRATED_SIDES: readonly FeeSide[] = ['quote', 'both', 'compounding'];
export const POOL_SIDES: readonly FeeSide[] = ['both', 'quote', 'compounding'];

/** Collects numbers that no interface names. */
export class Unknowns {
  readonly list: UnknownTerm[] = [];

  /** The name of a number, or `unknown`. */
  name<T extends string>(term: string, names: readonly T[], value: number): T | 'unknown' {
    const found = names[value];
    if (found === undefined) this.list.push({ term, value });
    return found ?? 'unknown';
  }

  fee(term: string, mode: number, fee: TradeFee): TradeFee {
    if (fee.course === 'unknown') this.list.push({ term, value: mode });
    return fee;
  }
}
