/** Terms of curves: equal from arguments and account for every number, and the leftover supply of a curve. */
import { describe, expect, it } from 'vitest';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import type { ConfigParameters } from '../../src/programs/dbc/instructions.ts';
import { termsOfCurve, termsOfCurveArgs } from '../../src/programs/poolTerms/curve.ts';
import { readOf } from '../policy/recorded/operands.ts';
import { stage } from '../policy/recorded/stages.ts';

// The arguments were decoded as this kind.
const honest = readOf(stage('curve config'), 'dbc.createConfig').named.args as unknown as ConfigParameters;
const curve = (change: Partial<ConfigParameters>) => termsOfCurveArgs({ ...honest, ...change });

const ONE = 1n << 64n;

describe('curve terms', () => {
  const launch = stage('bare curve launch');
  const account = launch.accounts.find(({ address }) => address === launch.plan.request.configKey);
  if (account === undefined) throw new Error('no config');
  const fields = readAs(poolConfig, { owner: account.owner, data: Buffer.from(account.data, 'base64') });
  if (typeof fields === 'string') throw new Error('not read');

  it('are the same from the arguments of a config and from the account it creates', () => {
    const { digest, ...read } = termsOfCurve(fields);
    const { digest: other, ...written } = curve({});
    expect(read).toEqual(written);
    expect([digest, other]).not.toContain(undefined);
    expect(read.unknown).toEqual([]);
    expect(termsOfCurve({ ...fields, fixedTokenSupplyFlag: 2 }).unknown).toEqual([
      { term: 'fixedSupply', value: 2 },
    ]);
    expect(read.isOpenToAll).toBe(true);
  });

  it('are the same from both with moving fees and vested liquidity', () => {
    const scheduler = Buffer.alloc(16);
    scheduler.writeUInt16LE(300, 0);
    scheduler.writeUInt32LE(86_400, 4);
    scheduler.writeBigUInt64LE(40n, 8);
    const moving = { binStep: 1, maxVolatilityAccumulator: 14_460_000, variableFeeControl: 956 };
    const { poolFees, partnerLiquidityVestingInfo: partner, creatorLiquidityVestingInfo: creator } = fields;
    const baseFee = { ...poolFees.baseFee, secondFactor: 600n, baseFeeMode: 2 };
    const { digest, ...read } = termsOfCurve({
      ...{ ...fields, migrationFeeOption: 6, migratedPoolFeeBps: 300, migratedPoolBaseFeeMode: 4 },
      migratedPoolBaseFeeBytes: scheduler,
      poolFees: { ...poolFees, baseFee, dynamicFee: { ...poolFees.dynamicFee, ...moving, initialized: 1 } },
      partnerLiquidityVestingInfo: { ...partner, isInitialized: 1, vestingPercentage: 7 },
      creatorLiquidityVestingInfo: { ...creator, isInitialized: 0, vestingPercentage: 9 },
      ...{ enableFirstSwapWithMinFee: 1, fixedTokenSupplyFlag: 0 },
    });
    const { digest: other, ...written } = curve({
      ...{ migrationFeeOption: 6, migratedPoolBaseFeeMode: 4 },
      migratedPoolFee: { ...honest.migratedPoolFee, poolFeeBps: 300 },
      migratedPoolMarketCapFeeSchedulerParams: {
        ...honest.migratedPoolMarketCapFeeSchedulerParams,
        ...{ numberOfPeriod: 300, schedulerExpirationDuration: 86_400, reductionFactor: 40n },
      },
      poolFees: {
        ...honest.poolFees,
        baseFee: { ...honest.poolFees.baseFee, secondFactor: 600n, baseFeeMode: 2 },
        dynamicFee: { ...fields.poolFees.dynamicFee, ...moving },
      },
      partnerLiquidityVestingInfo: { ...honest.partnerLiquidityVestingInfo, vestingPercentage: 7 },
      creatorLiquidityVestingInfo: { ...honest.creatorLiquidityVestingInfo, vestingPercentage: 0 },
      ...{ enableFirstSwapWithMinFee: true, tokenSupply: null },
    });
    expect(read).toEqual(written);
    expect(digest).not.toBe(other);
    expect(read.fee).toMatchObject({ isDynamic: true, highest: 990_000_000n });
    expect(read.curve).toMatchObject({
      ...{ claimerVesting: 7, creatorVesting: 0, isFirstSwapCheap: true, isSupplyFixed: false },
      migration: { fee: { course: 'price', endsAfter: 86_400n, isDynamic: false } },
    });
    expect(curve({}).curve).toMatchObject({ isSupplyFixed: true, isFirstSwapCheap: false });
  });

  it("include the token's update and mint authority and its standard", () => {
    const decodedTerms = [0, 1, 2, 3, 4].map((tokenUpdateAuthority) => curve({ tokenUpdateAuthority }).curve);
    expect(decodedTerms.map((each) => [each?.updater, each?.mayMintMore])).toEqual([
      ['creator', false],
      ['none', false],
      ['claimer', false],
      ['creator', true],
      ['claimer', true],
    ]);
    expect([0, 1].map((tokenType) => curve({ tokenType }).curve?.standard)).toEqual(['Token', 'Token-2022']);
    expect([0, 1].map((collectFeeMode) => curve({ collectFeeMode }).side)).toEqual(['quote', 'both']);
  });

  it('include the fee after migration: a program default, the chosen one, or unknown', () => {
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
    const sides = [0, 1, 2].map((collectFeeMode) =>
      migrated({ migrationFeeOption: 6, migratedPoolFee: { ...chosen, collectFeeMode } }),
    );
    expect(sides.map((each) => each?.side)).toEqual(['quote', 'both', 'compounding']);
    expect(curve({ migrationFeeOption: 7 }).unknown).toEqual([{ term: 'migratedFee', value: 7 }]);
    expect(migrated({ migrationOption: 0 })?.target).toBe('DAMM v1');
  });

  it('name unknown numbers instead of omitting them', () => {
    for (const [term, value, change] of [
      ['feeAsset', 2, { collectFeeMode: 2 }],
      ['migrationPool', 2, { migrationOption: 2 }],
      ['tokenStandard', 2, { tokenType: 2 }],
      ['tokenUpdater', 5, { tokenUpdateAuthority: 5 }],
      [
        'feeMode',
        5,
        { poolFees: { ...honest.poolFees, baseFee: { ...honest.poolFees.baseFee, baseFeeMode: 5 } } },
      ],
      ['migratedFeeMode', 5, { migrationFeeOption: 6, migratedPoolBaseFeeMode: 5 }],
      [
        'migratedFeeAsset',
        3,
        { migrationFeeOption: 6, migratedPoolFee: { ...honest.migratedPoolFee, collectFeeMode: 3 } },
      ],
    ] as const)
      expect(curve(change).unknown).toEqual([{ term, value }]);
    expect(curve({}).unknown).toEqual([]);
  });
});

describe('the remaining supply', () => {
  const whole = (before: bigint, after = before) => ({
    tokenSupply: { preMigrationTokenSupply: before, postMigrationTokenSupply: after },
  });
  const held = (change: object) => ({ lockedVesting: { ...honest.lockedVesting, ...change } });
  const paid = (feePercentage: number) => ({ migrationFee: { feePercentage, creatorFeePercentage: 0 } });
  /** A curve from price 1 to 4 (square roots 1 and 2) that sells half of its liquidity on the way. */
  const simple: Partial<ConfigParameters> = {
    ...whole(1_000_000n),
    sqrtStartPrice: ONE,
    migrationQuoteThreshold: 100_000n,
    curve: [{ sqrtPrice: 2n * ONE, liquidity: 100_000n * ONE }],
  };
  const left = (change: Partial<ConfigParameters> = {}) => curve({ ...simple, ...change }).curve?.leftoverBps;

  it('is what the curve does not sell before completion and the pool does not receive', () => {
    // 100,000 is raised up to the price 4, where 50,000 tokens are sold and the pool gets 100,000 / 4 = 25,000.
    expect(left()).toBe(9_250n);
    // Half of that is raised at the square root 1.5, where 33,333 are sold and the pool gets 50,000 / 2.25 = 22,222.
    expect(left({ migrationQuoteThreshold: 50_000n })).toBe(9_444n);
    // The part of the proceeds that the curve pays out does not go into the pool.
    expect([left(paid(100)), left(paid(120)), left(paid(40))]).toEqual([9_500n, 9_500n, 9_350n]);
  });

  it('follows every segment of the curve until the requested amount is taken', () => {
    const parts = [
      { sqrtPrice: 2n * ONE, liquidity: 100_000n * ONE },
      { sqrtPrice: 4n * ONE, liquidity: 200_000n * ONE },
    ];
    // 50,000 and then 200,000 * (1/2 - 1/4) = 50,000 are sold for 500,000; the pool gets 500,000 / 16 = 31,250.
    expect(left({ curve: parts, migrationQuoteThreshold: 500_000n })).toBe(8_687n);
    // The second part does not start: the curve is full at the end of the first.
    expect(left({ curve: parts })).toBe(9_250n);
    // Up to the square root 3: 200,000 * (1/2 - 1/3) = 33,333 more; the pool gets 300,000 / 9 = 33,333.
    expect(left({ curve: parts, migrationQuoteThreshold: 300_000n })).toBe(8_833n);
  });

  it('ends with the first segment that sells nothing', () => {
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

  it('excludes held-back and burnt amounts, and is never negative', () => {
    expect(left(held({ cliffUnlockAmount: 1_000n, amountPerPeriod: 100n, numberOfPeriod: 90n }))).toBe(
      9_150n,
    );
    expect(left(whole(1_000_000n, 900_000n))).toBe(9_166n);
    expect(left(whole(900_000n, 1_000_000n))).toBe(8_250n);
    expect(left(whole(75_000n))).toBe(0n);
    expect(left(whole(74_000n))).toBe(0n);
    expect(left(whole(75_100n))).toBe(13n);
    expect(left(whole(75_100n, 0n))).toBe(0n);
  });

  it('is unknown without a fixed supply; the future supply follows from the curve', () => {
    const made = curve({ ...simple, tokenSupply: null }).curve;
    // 50,000 are sold, a quarter of it is in reserve, 25,000 go into the pool.
    expect(made).toMatchObject({ isSupplyFixed: false, supply: 87_500n });
    expect(made).not.toHaveProperty('leftoverBps');
    const more = curve({ ...simple, tokenSupply: null, ...held({ cliffUnlockAmount: 1_000n }) }).curve;
    expect(more?.supply).toBe(88_500n);
  });

  it('counts the purchase of a tenth of the threshold', () => {
    // 10,000 is raised at the square root 1.1, where 9,090 of 50,000 are sold.
    expect(curve(simple).curve?.soldEarlyBps).toBe(1_818n);
    expect(curve({ ...simple, curve: [] }).curve?.soldEarlyBps).toBe(10_000n);
  });
});
