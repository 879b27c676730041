/** Terms of pools from all bytes of their parameters: fees of every mode, compared with the public clients. */

import * as anchor from '@coral-xyz/anchor';
import {
  encodeFeeMarketCapSchedulerParams,
  encodeFeeRateLimiterParams,
  encodeFeeTimeSchedulerParams,
  getDynamicFeeNumerator,
  getFeeMarketCapMinBaseFeeNumerator,
  getFeeTimeMinBaseFeeNumerator,
} from '@meteora-ag/cp-amm-sdk';
import { describe, expect, it } from 'vitest';
import type { PoolParameters } from '../../src/programs/dammV2/instructions.ts';
import { termsOfPool } from '../../src/programs/poolTerms/pool.ts';
import { feePercent, feeWords, priceOf } from '../../src/programs/poolTerms/terms.ts';

const ONE = 1n << 64n;
const POOL: PoolParameters = {
  poolFees: { baseFee: { data: new Uint8Array(27) }, compoundingFeeBps: 0, padding: 0, dynamicFee: null },
  sqrtMinPrice: 1n,
  liquidity: 7n,
  activationType: 0,
  sqrtPrice: ONE,
  sqrtMaxPrice: ONE << 32n,
  collectFeeMode: 1,
  hasAlphaVault: false,
  activationPoint: null,
};
const pool = (data: Uint8Array, change: object = {}) =>
  termsOfPool({
    ...POOL,
    poolFees: { ...POOL.poolFees, baseFee: { data: Uint8Array.from(data) }, ...change },
  });
const n = (value: number) => new anchor.BN(value);
const units = (value: { toString(): string }) => BigInt(value.toString());

describe('the fee of a pool', () => {
  it('is one number if constant', () => {
    const { fee } = pool(encodeFeeTimeSchedulerParams(n(20_000_000), 0, n(0), n(0), 0));
    expect(fee).toEqual({
      course: 'flat',
      first: 20_000_000n,
      highest: 20_000_000n,
      lowest: 20_000_000n,
      endsAfter: 0n,
      isDynamic: false,
    });
  });

  it.each([
    [0, 20, 5_000_000],
    [1, 20, 500],
    [1, 1, 9_750],
    [1, 65_535, 3],
  ])("that falls with time, mode %i, ends at the public client's value", (mode, periods, reduction) => {
    const { fee } = pool(encodeFeeTimeSchedulerParams(n(200_000_000), periods, n(7), n(reduction), mode));
    const least = getFeeTimeMinBaseFeeNumerator(n(200_000_000), periods, n(reduction), mode);
    expect(fee).toMatchObject({ course: 'time', first: 200_000_000n, highest: 200_000_000n });
    expect([fee.lowest, fee.endsAfter]).toEqual([units(least), 7n * BigInt(periods)]);
  });

  it.each([
    [3, 100, 150_000],
    [4, 30, 400],
  ])("that falls with the price, mode %i, has the public client's floor", (mode, periods, reduction) => {
    const { fee } = pool(
      encodeFeeMarketCapSchedulerParams(n(20_000_000), periods, 200, 86_400, n(reduction), mode),
    );
    const least = getFeeMarketCapMinBaseFeeNumerator(n(20_000_000), periods, n(reduction), mode);
    expect(fee).toMatchObject({ course: 'price', first: 20_000_000n, lowest: units(least) });
    expect(fee.endsAfter).toBe(86_400n);
  });

  it('that rises with trade size has the highest fee of its limit', () => {
    const { fee } = pool(encodeFeeRateLimiterParams(n(10_000_000), 100, 600, 9_000, n(1_000)));
    expect(fee).toMatchObject({
      course: 'size',
      first: 10_000_000n,
      lowest: 10_000_000n,
      highest: 900_000_000n,
      endsAfter: 600n,
    });
  });

  it("that follows volatility has the public client's maximum", () => {
    const moving = { binStep: 1, maxVolatilityAccumulator: 14_460_000, variableFeeControl: 956 };
    const { fee } = pool(encodeFeeTimeSchedulerParams(n(10_000_000), 0, n(0), n(0), 0), {
      dynamicFee: moving,
    });
    const most = getDynamicFeeNumerator(n(14_460_000), n(1), n(956));
    expect(fee).toMatchObject({ isDynamic: true, first: 10_000_000n });
    expect(fee.highest).toBe(10_000_000n + units(most));
  });

  it('of an unknown mode or side is unknown, with the highest possible fee', () => {
    const data = Uint8Array.from(encodeFeeTimeSchedulerParams(n(1), 0, n(0), n(0), 0));
    const odd = pool(data.with(26, 9));
    expect(odd.fee).toMatchObject({ course: 'unknown', highest: 990_000_000n });
    expect(odd.unknown).toEqual([{ term: 'feeMode', value: 9 }]);
    const side = termsOfPool({
      ...POOL,
      poolFees: { ...POOL.poolFees, baseFee: { data } },
      collectFeeMode: 3,
    });
    expect([side.side, side.unknown]).toEqual(['unknown', [{ term: 'feeAsset', value: 3 }]]);
  });

  const sized = (most: number, window: number, more: number, size: number) =>
    pool(encodeFeeRateLimiterParams(n(10_000_000), more, window, most, n(size))).fee;
  it.each([
    ['without a limit', sized(0, 0, 0, 0), 'flat', 10_000_000n],
    ['with a limit above the highest fee', sized(9_950, 600, 100, 1_000), 'size', 990_000_000n],
    ['with a step alone', sized(0, 0, 100, 0), 'size', 0n],
    ['with a size alone', sized(0, 0, 0, 1_000), 'size', 0n],
    ['with a limit alone', sized(9_000, 0, 0, 0), 'size', 900_000_000n],
  ])('by trade size, %s', (_, fee, course, highest) => {
    expect([fee.course, fee.highest]).toEqual([course, highest]);
  });

  it.each([
    ['linear, to less than nothing', 0, 10, 3_000_000, 0n],
    ['by all of it', 1, 3, 10_000, 0n],
    ['by more than all of it', 1, 1, 20_000, 0n],
    ['by all of it, never', 1, 0, 20_000, 20_000_000n],
  ])('never falls below zero: %s', (_, mode, periods, reduction, lowest) => {
    const { fee } = pool(encodeFeeTimeSchedulerParams(n(20_000_000), periods, n(7), n(reduction), mode));
    expect(fee.lowest).toBe(lowest);
  });

  it.each([
    [2, 100_000, 10, 4n],
    [1, 100_000, 10, 1n],
    [1, 100_001, 10, 2n],
    [1, 1, 1, 1n],
  ])('rounds the volatility part up: %i, %i, %i', (binStep, most, control, parts) => {
    const dynamicFee = { binStep, maxVolatilityAccumulator: most, variableFeeControl: control };
    const flat = encodeFeeTimeSchedulerParams(n(10_000_000), 0, n(0), n(0), 0);
    expect(pool(flat, { dynamicFee }).fee.highest).toBe(10_000_000n + parts);
  });

  it('is a percentage, with minimum and maximum if they differ', () => {
    const { fee } = pool(encodeFeeTimeSchedulerParams(n(20_000_000), 0, n(0), n(0), 0));
    expect([feePercent(2_500_000n), feeWords(fee)]).toEqual(['0.25%', '2%']);
    for (const percent of ['2%', '1%', '5%'])
      expect(feeWords({ ...fee, lowest: 10_000_000n, highest: 50_000_000n })).toContain(percent);
  });
});

describe('the terms of a pool', () => {
  it('have another digest for another byte, and the same at another time', () => {
    const { digest } = termsOfPool(POOL);
    for (const change of [{ sqrtPrice: ONE + 1n }, { collectFeeMode: 0 }, { liquidity: 1n }])
      expect(termsOfPool({ ...POOL, ...change }).digest).not.toBe(digest);
    expect(termsOfPool({ ...POOL, activationPoint: 5n })).toMatchObject({ digest, isOpenToAll: false });
  });

  it('state who may trade and what fees are charged on', () => {
    const open = (change: object) => termsOfPool({ ...POOL, ...change }).isOpenToAll;
    expect([open({}), open({ hasAlphaVault: true })]).toEqual([true, false]);
    const sides = [0, 1, 2].map((collectFeeMode) => termsOfPool({ ...POOL, collectFeeMode }).side);
    expect(sides).toEqual(['both', 'quote', 'compounding']);
  });

  it('convert a price from its square root', () => {
    expect([priceOf(ONE, 7n), priceOf(3n * ONE, 7n), priceOf(ONE / 2n, 8n)]).toEqual([7n, 63n, 2n]);
  });
});
