/** What a config type means on the bonding curve. The contract fixes fee, threshold and supply; the rest is the sandbox's own. */

import { LAUNCH_DECIMALS } from '../../../contract/constants.ts';
import { CONFIG_TYPE_IDS, CONFIG_TYPES, DEFAULT_CONFIG_TYPE } from '../../../contract/index.ts';
import type { CurveConfig } from '../../programs/dbc.ts';

/** Whole tokens launched when the config type does not fix the supply. */
const SUPPLY = 1_000_000_000n;
/** A fee of one basis point, of 1,000,000,000. */
const BASIS_POINT = 100_000n;
/** How much higher the square root of the price is when the curve is complete, and where the curve ends. */
const [GROWTH, END] = [4n, 5n];

export const configTypeOf = (id: string) =>
  CONFIG_TYPES[CONFIG_TYPE_IDS.find((each) => each === id) ?? DEFAULT_CONFIG_TYPE];

/** Base units of a token of this type. */
export const supplyOf = (configType: string): bigint =>
  BigInt(configTypeOf(configType).supply ?? SUPPLY) * 10n ** BigInt(LAUNCH_DECIMALS);

/** The largest number whose square is at most `value`. */
export function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/**
 * One stretch of even liquidity from a start price to its sixteenfold. Until the threshold `t` is paid, the curve sells
 * t / (GROWTH × start²), and t / (GROWTH × start)² go into the pool after it; the start price is such that both and a
 * quarter of the first in reserve make a little less than the supply.
 */
export function curveTerms(configType: string, threshold: bigint, firstSwapWithMinFee: boolean): CurveConfig {
  const type = configTypeOf(configType);
  const supply = supplyOf(configType);
  const slack = { of: 100n, taken: 102n };
  const parts = 5n * GROWTH + 4n; // of 4 × GROWTH²
  const start = squareRoot(
    ((threshold * parts * slack.taken) << 128n) / (4n * GROWTH * GROWTH * supply * slack.of),
  );
  return {
    baseFee: {
      cliff: BigInt(type.feeBpsBefore) * BASIS_POINT,
      periods: 0,
      frequency: 0n,
      reduction: 0n,
      mode: 0,
    },
    collectFeeMode: 0,
    migrationOption: 1,
    activationType: 1,
    tokenDecimals: LAUNCH_DECIMALS,
    liquidity: { partner: 0, partnerLocked: 100, creator: 0, creatorLocked: 0 },
    threshold,
    startPrice: start,
    migrationFeeOption: 2,
    supply: { before: supply, after: supply },
    creatorFeePercent: 0,
    updateAuthority: 1,
    migrationFee: { percent: 0, creatorPercent: 0 },
    migratedPool: { collectFeeMode: 0, dynamicFee: 0, feeBps: 0, baseFeeMode: 0, compoundingBps: 0 },
    poolCreationFee: 0n,
    firstSwapWithMinFee,
    curve: [{ price: END * start, liquidity: (threshold << 128n) / ((GROWTH - 1n) * start) }],
  };
}
