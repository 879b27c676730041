/** What a pool's first liquidity costs, from the numbers it is made with: the program's own arithmetic. */

export interface PoolNumbers {
  readonly sqrtMinPrice: bigint;
  readonly sqrtMaxPrice: bigint;
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
  readonly collectFeeMode: number;
}

/** Square roots of prices are counted in units of 2^-64, so amounts come out multiplied by 2^128. */
const SCALE = 128n;
/** Pools that keep their fees as liquidity spread it over all prices. */
const COMPOUNDING = 2;

const upward = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

/**
 * Base units of both tokens that go into the pool, rounded up as the program does. Nothing for pools that
 * spread their liquidity over all prices, and for prices the program refuses.
 */
export function depositsOf(numbers: PoolNumbers): { readonly mostA?: bigint; readonly mostB?: bigint } {
  const { sqrtMinPrice, sqrtMaxPrice, sqrtPrice, liquidity, collectFeeMode } = numbers;
  if (collectFeeMode === COMPOUNDING) return {};
  if (sqrtMinPrice > sqrtPrice || sqrtPrice > sqrtMaxPrice || sqrtPrice === 0n) return {};
  return {
    mostA: upward(liquidity * (sqrtMaxPrice - sqrtPrice), sqrtPrice * sqrtMaxPrice),
    mostB: upward(liquidity * (sqrtPrice - sqrtMinPrice), 1n << SCALE),
  };
}
