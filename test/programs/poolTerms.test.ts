/**
 * Terms of curves and pools from all bytes of their parameters: fees of every mode as the public clients of the programs
 * count them, what a curve leaves over, and the same terms from arguments and account.
 */

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
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import type { ConfigParameters } from '../../src/programs/dbc/instructions.ts';
import { termsOfCurve, termsOfCurveArgs } from '../../src/programs/poolTerms/curve.ts';
import { type PoolParameters, termsOfPool } from '../../src/programs/poolTerms/pool.ts';
import { readOf } from '../policy/recorded/operands.ts';
import { stage } from '../policy/recorded/stages.ts';

// The arguments were read as those of this kind.
const honest = readOf(stage('curve config'), 'dbc.createConfig').named.args as unknown as ConfigParameters;
const curve = (change: Partial<ConfigParameters>) => termsOfCurveArgs({ ...honest, ...change });

const ONE = 1n << 64n;
const POOL: PoolParameters & Readonly<Record<string, unknown>> = {
  poolFees: { baseFee: { data: new Uint8Array(27) }, compoundingFeeBps: 0, dynamicFee: null },
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
  it('that does not move is one number', () => {
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
  ])('that falls with time, mode %i, ends where the public client ends it', (mode, periods, reduction) => {
    const { fee } = pool(encodeFeeTimeSchedulerParams(n(200_000_000), periods, n(7), n(reduction), mode));
    const least = getFeeTimeMinBaseFeeNumerator(n(200_000_000), periods, n(reduction), mode);
    expect(fee).toMatchObject({ course: 'time', first: 200_000_000n, highest: 200_000_000n });
    expect([fee.lowest, fee.endsAfter]).toEqual([units(least), 7n * BigInt(periods)]);
  });

  it.each([
    [3, 100, 150_000],
    [4, 30, 400],
  ])('that falls with the price, mode %i, has the floor of the public client', (mode, periods, reduction) => {
    const { fee } = pool(
      encodeFeeMarketCapSchedulerParams(n(20_000_000), periods, 200, 86_400, n(reduction), mode),
    );
    const least = getFeeMarketCapMinBaseFeeNumerator(n(20_000_000), periods, n(reduction), mode);
    expect(fee).toMatchObject({ course: 'price', first: 20_000_000n, lowest: units(least) });
    expect(fee.endsAfter).toBe(86_400n);
  });

  it('that rises with the size of a trade has the highest fee of its limit', () => {
    const { fee } = pool(encodeFeeRateLimiterParams(n(10_000_000), 100, 600, 9_000, n(1_000)));
    expect(fee).toMatchObject({
      course: 'size',
      first: 10_000_000n,
      lowest: 10_000_000n,
      highest: 900_000_000n,
      endsAfter: 600n,
    });
  });

  it('that follows volatility is as high as the public client counts it at most', () => {
    const moving = { binStep: 1, maxVolatilityAccumulator: 14_460_000, variableFeeControl: 956 };
    const { fee } = pool(encodeFeeTimeSchedulerParams(n(10_000_000), 0, n(0), n(0), 0), {
      dynamicFee: moving,
    });
    const most = getDynamicFeeNumerator(n(14_460_000), n(1), n(956));
    expect(fee).toMatchObject({ isDynamic: true, first: 10_000_000n });
    expect(fee.highest).toBe(10_000_000n + units(most));
  });

  it('of a mode or side that nobody published is unknown, and as high as a fee can be', () => {
    const data = Uint8Array.from(encodeFeeTimeSchedulerParams(n(1), 0, n(0), n(0), 0));
    const odd = pool(data.with(26, 9));
    expect(odd.fee).toMatchObject({ course: 'unknown', highest: 990_000_000n });
    expect(odd.unknown).toHaveLength(1);
    const side = termsOfPool({
      ...POOL,
      poolFees: { ...POOL.poolFees, baseFee: { data } },
      collectFeeMode: 3,
    });
    expect([side.side, side.unknown.map(({ value }) => value)]).toEqual(['unknown', [3]]);
  });
});

describe('the terms of a pool', () => {
  it('have another digest for another byte, and the same one at another time', () => {
    const { digest } = termsOfPool(POOL);
    for (const change of [{ sqrtPrice: ONE + 1n }, { collectFeeMode: 0 }, { liquidity: 1n }])
      expect(termsOfPool({ ...POOL, ...change }).digest).not.toBe(digest);
    expect(termsOfPool({ ...POOL, activationPoint: 5n })).toMatchObject({ digest, isOpenToAll: false });
  });
});

describe('the terms of a curve', () => {
  it('are the same from the arguments of a config and from the account the program makes of them', () => {
    const launch = stage('bare curve launch');
    const account = launch.accounts.find(({ address }) => address === launch.plan.request.configKey);
    if (account === undefined) throw new Error('no config');
    const fields = readAs(poolConfig, { owner: account.owner, data: Buffer.from(account.data, 'base64') });
    if (fields === null || typeof fields === 'string') throw new Error('not read');
    const { digest, ...read } = termsOfCurve(fields);
    const { digest: other, ...written } = curve({});
    expect(read).toEqual(written);
    expect([digest, other]).not.toContain(undefined);
    expect(read.unknown).toEqual([]);
    expect(termsOfCurve({ ...fields, fixedTokenSupplyFlag: 2 }).unknown).toHaveLength(1);
  });

  it('say the fee after migration: one of the program, the chosen one, or none that is known', () => {
    const migrated = (change: Partial<ConfigParameters>) => curve(change).curve?.migration;
    for (const [option, percent] of [25n, 30n, 100n, 200n, 400n, 600n].entries())
      expect(migrated({ migrationFeeOption: option })?.fee).toMatchObject({
        course: 'flat',
        first: percent * 100_000n,
      });
    const chosen = { collectFeeMode: 1, dynamicFee: 1, poolFeeBps: 300 };
    expect(migrated({ migrationFeeOption: 6, migratedPoolFee: chosen })).toMatchObject({
      fee: { first: 30_000_000n, highest: 36_000_000n, isDynamic: true },
      side: 'both',
    });
    expect(curve({ migrationFeeOption: 7 }).unknown).toHaveLength(1);
    expect(migrated({ migrationOption: 0 })?.target).toBe('DAMM v1');
  });

  it('name numbers that nobody published instead of leaving them out', () => {
    for (const change of [
      { collectFeeMode: 2 },
      { migrationOption: 2 },
      { tokenType: 2 },
      { tokenUpdateAuthority: 5 },
      { migratedPoolBaseFeeMode: 5 },
      { migratedPoolFee: { ...honest.migratedPoolFee, collectFeeMode: 3 } },
    ])
      expect(curve(change).unknown).toHaveLength(1);
    expect(curve({}).unknown).toEqual([]);
  });
});

describe('what is left of a supply', () => {
  const whole = (before: bigint, after = before) => ({
    tokenSupply: { preMigrationTokenSupply: before, postMigrationTokenSupply: after },
  });
  const held = (change: object) => ({ lockedVesting: { ...honest.lockedVesting, ...change } });
  const paid = (feePercentage: number) => ({ migrationFee: { feePercentage, creatorFeePercentage: 0 } });
  /** A curve whose price goes from 1 to 4 (square roots 1 and 2), and sells half of its liquidity on the way. */
  const simple: Partial<ConfigParameters> = {
    ...whole(1_000_000n),
    sqrtStartPrice: ONE,
    migrationQuoteThreshold: 100_000n,
    curve: [{ sqrtPrice: 2n * ONE, liquidity: 100_000n * ONE }],
  };
  const left = (change: Partial<ConfigParameters> = {}) => curve({ ...simple, ...change }).curve?.leftoverBps;

  it('is what the curve does not sell until it is full, and the pool does not get then', () => {
    // 100,000 is taken up to the price 4, where 50,000 tokens are sold and the pool gets 100,000 / 4 = 25,000.
    expect(left()).toBe(9_250n);
    // Half of that is taken at the square root 1.5, where 33,333 are sold and the pool gets 50,000 / 2.25 = 22,222.
    expect(left({ migrationQuoteThreshold: 50_000n })).toBe(9_444n);
    // What the curve took and pays out does not go into the pool.
    expect([left(paid(100)), left(paid(120)), left(paid(40))]).toEqual([9_500n, 9_500n, 9_350n]);
  });

  it('follows every part of the curve in turn, until as much is taken as is asked for', () => {
    const parts = [
      { sqrtPrice: 2n * ONE, liquidity: 100_000n * ONE },
      { sqrtPrice: 4n * ONE, liquidity: 200_000n * ONE },
    ];
    // 50,000 and then 200,000 * (1/2 - 1/4) = 50,000 are sold for 500,000; the pool gets 500,000 / 16 = 31,250.
    expect(left({ curve: parts, migrationQuoteThreshold: 500_000n })).toBe(8_687n);
    // The second part is not begun: full at the end of the first.
    expect(left({ curve: parts })).toBe(9_250n);
    // Up to the square root 3: 200,000 * (1/2 - 1/3) = 33,333 more; the pool gets 300,000 / 9 = 33,333.
    expect(left({ curve: parts, migrationQuoteThreshold: 300_000n })).toBe(8_833n);
  });

  it('ends with the first part of a curve that sells nothing', () => {
    const more = { sqrtPrice: 4n * ONE, liquidity: 200_000n * ONE };
    const first = { sqrtPrice: 2n * ONE, liquidity: 100_000n * ONE };
    // 50,000 are sold; the pool gets 500,000 / 4 = 125,000.
    for (const nothing of [
      { sqrtPrice: 3n * ONE, liquidity: 0n },
      { sqrtPrice: 2n * ONE, liquidity: 9n * ONE },
      { sqrtPrice: ONE, liquidity: 9n * ONE },
    ])
      expect(left({ curve: [first, nothing, more], migrationQuoteThreshold: 500_000n })).toBe(8_250n);
    expect(left({ curve: [] })).toBe(9_000n);
    expect(left({ sqrtStartPrice: 0n })).toBe(10_000n);
  });

  it('is less what is held back or burnt, and never less than none', () => {
    expect(left(held({ cliffUnlockAmount: 1_000n, amountPerPeriod: 100n, numberOfPeriod: 90n }))).toBe(
      9_150n,
    );
    expect(left(whole(1_000_000n, 900_000n))).toBe(9_166n);
    expect(left(whole(900_000n, 1_000_000n))).toBe(8_250n);
    expect(left(whole(75_000n))).toBe(0n);
    expect(left(whole(74_000n))).toBe(0n);
    expect(left(whole(75_100n))).toBe(13n);
  });

  it('is not known where no supply is fixed; what there will be follows from the curve', () => {
    const made = curve({ ...simple, tokenSupply: null }).curve;
    // 50,000 are sold, a quarter of it is in reserve, 25,000 go into the pool.
    expect(made).toMatchObject({ isSupplyFixed: false, supply: 87_500n });
    expect(made).not.toHaveProperty('leftoverBps');
  });
});
