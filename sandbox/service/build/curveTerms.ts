/** Curve parameters of a config type; those outside the contract are the sandbox's own. */

import { LAUNCH_DECIMALS } from '../../../src/contract/constants.ts';
import { CONFIG_TYPE_IDS, CONFIG_TYPES, DEFAULT_CONFIG_TYPE } from '../../../src/contract/index.ts';
import type { ConfigParameters } from '../../../src/programs/dbc/instructions.ts';
import { flatFee, NOTHING_LOCKED, PLAIN_CURVE } from '../../programs/dbc.ts';

/** Whole tokens of config types without a fixed supply. */
const SUPPLY = 1_000_000_000n;
/** A fee of one basis point, of 1,000,000,000. */
const BASIS_POINT = 100_000n;
/** Factors of the square root of the price: at completion, and at the end of the curve. */
const [GROWTH, END] = [4n, 5n];

/** Enum values of the program: custom migration fee, compounding fees, fee scheduler by price. */
const [CHOSEN_FEE, COMPOUNDING, BY_PRICE] = [6, 2, 3];
/** Steps of the fee scheduler. */
const FALLS = 100;

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
export function curveTerms(
  configType: string,
  threshold: bigint,
  enableFirstSwapWithMinFee: boolean,
  isInSol = true,
): ConfigParameters {
  const { feeBpsBefore, feeBpsAfter, feeFloorBpsAfter, ...type } = configTypeOf(configType);
  const all = supplyOf(configType);
  const held = (all * BigInt(type.lockedPercent ?? 0)) / 100n;
  const supply = all - held;
  const compoundingFeeBps = isInSol ? type.compoundingPercent * 100 : 0;
  const slack = { of: 100n, taken: 102n };
  const parts = 5n * GROWTH + 4n; // of 4 × GROWTH²
  const start = squareRoot(
    ((threshold * parts * slack.taken) << 128n) / (4n * GROWTH * GROWTH * supply * slack.of),
  );
  return {
    ...PLAIN_CURVE,
    poolFees: flatFee(BigInt(feeBpsBefore) * BASIS_POINT),
    tokenDecimal: LAUNCH_DECIMALS,
    partnerLiquidityPercentage: 0,
    partnerPermanentLockedLiquidityPercentage: 100,
    creatorLiquidityPercentage: 0,
    creatorPermanentLockedLiquidityPercentage: 0,
    migrationQuoteThreshold: threshold,
    sqrtStartPrice: start,
    lockedVesting:
      held === 0n
        ? NOTHING_LOCKED
        : {
            ...NOTHING_LOCKED,
            cliffDurationFromMigrationTime: 365n * 86_400n,
            amountPerPeriod: 1n,
            frequency: 1n,
            numberOfPeriod: 1n,
            cliffUnlockAmount: held - 1n,
          },
    migrationFeeOption: CHOSEN_FEE,
    tokenSupply: { preMigrationTokenSupply: all, postMigrationTokenSupply: all },
    creatorTradingFeePercentage: 0,
    migratedPoolFee: {
      collectFeeMode: compoundingFeeBps === 0 ? 0 : COMPOUNDING,
      dynamicFee: 0,
      poolFeeBps: feeBpsAfter,
    },
    compoundingFeeBps,
    ...(feeFloorBpsAfter === undefined
      ? {}
      : {
          migratedPoolBaseFeeMode: BY_PRICE,
          migratedPoolMarketCapFeeSchedulerParams: {
            numberOfPeriod: FALLS,
            sqrtPriceStepBps: 100,
            schedulerExpirationDuration: 365 * 86_400,
            reductionFactor: (BigInt(feeBpsAfter - feeFloorBpsAfter) * BASIS_POINT) / BigInt(FALLS),
          },
        }),
    enableFirstSwapWithMinFee,
    curve: [{ sqrtPrice: END * start, liquidity: (threshold << 128n) / ((GROWTH - 1n) * start) }],
  };
}
