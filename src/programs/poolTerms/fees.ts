/** Trade fees by fee mode, with the arithmetic of Meteora's programs. */
import type { FeeCourse, FeeSide, TradeFee, UnknownTerm } from './terms.ts';

/** Maximum fee of the programs. */
export const MAX_FEE = 990_000_000n;
const BASIS_POINTS = 10_000n;
const BASIS_POINT_FEE = 100_000n;
/** Divisor of the dynamic fee. */
const DYNAMIC_SCALE = 100_000_000_000n;

/** Raw numbers of a base fee, interpreted by mode. */
export interface FeeNumbers {
  readonly cliff: bigint;
  readonly mode: number;
  /** Number of periods, or basis points added per size step. */
  readonly steps: bigint;
  /** Length of a period, or duration of the rate limiter (with the maximum fee in basis points in the high 32 bits). */
  readonly pace: bigint;
  /** Reduction per period, absolute or in basis points of the fee, or the size that pays only the base fee. */
  readonly change: bigint;
}

/** Parameters of the dynamic fee, which depends on volatility. */
export interface DynamicFee {
  readonly binStep: number;
  readonly maxVolatilityAccumulator: number;
  readonly variableFeeControl: number;
}

const [LINEAR, EXPONENTIAL, SIZE, PRICE_LINEAR, PRICE_EXPONENTIAL] = [0, 1, 2, 3, 4];
const low = (value: bigint): bigint => value & 0xffff_ffffn;
const high = (value: bigint): bigint => value >> 32n;
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** Returns the range of a trade fee over a pool's life. `limitInPace`: whether `pace` contains the rate limiter's maximum fee. */
export function tradeFee(
  { cliff, mode, steps, pace, change }: FeeNumbers,
  dynamic: DynamicFee | null | undefined,
  limitInPace = true,
): TradeFee {
  const moving = dynamic == null ? 0n : dynamicFee(dynamic, BigInt(dynamic.maxVolatilityAccumulator));
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
    case PRICE_EXPONENTIAL: {
      const fee = of('price', reduced(cliff, mode === PRICE_LINEAR, steps, change), cliff, high(pace));
      const root = BASIS_POINTS + steps * low(pace);
      return fee.course === 'price' ? { ...fee, lowestAtBps: (root * root) / BASIS_POINTS } : fee;
    }
    case SIZE: {
      const isNone = steps === 0n && pace === 0n && change === 0n;
      const limit = limitInPace ? high(pace) * BASIS_POINT_FEE : MAX_FEE;
      return of('size', cliff, isNone ? cliff : limit, limitInPace ? low(pace) : pace);
    }
    default:
      return of('unknown', 0n, MAX_FEE, 0n);
  }
}

/** Returns the fee after all periods of a linear or exponential reduction. */
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

/** Returns the dynamic part of a fee at a volatility, rounded up. */
export function dynamicFee(
  { binStep, variableFeeControl }: Pick<DynamicFee, 'binStep' | 'variableFeeControl'>,
  volatility: bigint,
): bigint {
  const moved = volatility * BigInt(binStep);
  return (moved * moved * BigInt(variableFeeControl) + DYNAMIC_SCALE - 1n) / DYNAMIC_SCALE;
}

/** Returns the base fee at a time after activation; `undefined` for other modes than schedules by time. */
export function scheduledFee(
  { cliff, mode, steps, pace, change }: FeeNumbers,
  elapsed: bigint,
): bigint | undefined {
  if (mode !== LINEAR && mode !== EXPONENTIAL) return undefined;
  if (pace === 0n) return cliff;
  const period = smaller(elapsed / pace, steps);
  if (mode === LINEAR) return cliff - period * change;
  let fee = cliff;
  for (let i = 0n; i < period; i++) fee = (fee * (BASIS_POINTS - change)) / BASIS_POINTS;
  return fee;
}

/** Fee sides by number, which differ between curves and pools. */
export const CURVE_SIDES: readonly FeeSide[] = ['quote', 'both'];
export const MIGRATED_SIDES: readonly FeeSide[] = ['quote', 'both', 'compounding'];
export const POOL_SIDES: readonly FeeSide[] = ['both', 'quote', 'compounding'];

/** Collects enum values that no public interface names. */
export class Unknowns {
  readonly list: UnknownTerm[] = [];

  /** Returns the name of a number, or `unknown`. */
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
