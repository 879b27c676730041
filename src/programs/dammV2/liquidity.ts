/** Initial deposits of a pool, computed like the program does. */

export interface PoolNumbers {
  readonly sqrtMinPrice: bigint;
  readonly sqrtMaxPrice: bigint;
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
  readonly collectFeeMode: number;
}

/** Square root prices are in units of 2^-64, so products with liquidity are scaled by 2^128. */
const SCALE = 128n;
/** Fee mode of compounding pools, whose liquidity covers all prices. */
const COMPOUNDING = 2;

const upward = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

/**
 * Returns the base units of both tokens that are deposited, rounded up like the program does. Empty for compounding pools
 * and for prices that the program refuses.
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
