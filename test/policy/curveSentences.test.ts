/**
 * What a person reads about the terms of a curve, each term at the number from which on it is said, and what of the supply
 * is left over; as arguments of a config, as an account, and in a decision about recorded stages (T63).
 */
import { describe, expect, it } from 'vitest';
import { asRecord } from '../../src/base/record.ts';
import {
  curveGives,
  leftoverBps,
  MOST_LEFT_BPS,
} from '../../src/policy/decide/operations/launch/curveGives.ts';
import { readOf } from './recorded/operands.ts';
import { stage } from './recorded/stages.ts';

/** The honest terms of the service, as a config writes them. */
const honest = readOf(stage('curve config'), 'dbc.createConfig').named.args;
const fees = asRecord(honest.poolFees);
const said = (change: object) => curveGives({ ...honest, ...change });

describe('a person reads of the terms of a curve', () => {
  it('nothing where they are neutral', () => {
    expect(curveGives(honest)).toEqual([]);
  });

  it.each([
    ['partnerLiquidityPercentage', 1, "The fee earner can take 1% of the pool's liquidity out."],
    ['creatorLiquidityPercentage', 1, "The pool's creator can take 1% of its liquidity out."],
    [
      'partnerLiquidityVestingInfo',
      { vestingPercentage: 1 },
      "The fee earner can take 1% of the pool's liquidity out as time passes.",
    ],
    [
      'creatorLiquidityVestingInfo',
      { vestingPercentage: 1 },
      "The pool's creator can take 1% of its liquidity out as time passes.",
    ],
    [
      'creatorPermanentLockedLiquidityPercentage',
      1,
      "Once the curve is full, 1% of the fees go to the pool's creator and not to those who share.",
    ],
    [
      'creatorTradingFeePercentage',
      1,
      "Of the curve's fees 1% go to the pool's creator and not to those who share.",
    ],
    [
      'migrationFee',
      { feePercentage: 1 },
      'Once the curve is full, 1% of what it took is paid out and does not go into the pool.',
    ],
    [
      'lockedVesting',
      { amountPerPeriod: 1n, cliffUnlockAmount: 0n },
      'A part of the supply is held back and paid out as time passes.',
    ],
    [
      'lockedVesting',
      { amountPerPeriod: 0n, cliffUnlockAmount: 1n },
      'A part of the supply is held back and paid out as time passes.',
    ],
    ['tokenUpdateAuthority', 0, "The pool's creator can change the token's name, at any time."],
    ['tokenUpdateAuthority', 2, "The fee earner can change the token's name, at any time."],
    [
      'tokenUpdateAuthority',
      3,
      "The pool's creator can make more of the token, and change its name, at any time.",
    ],
    [
      'tokenUpdateAuthority',
      4,
      'The fee earner can make more of the token, and change its name, at any time.',
    ],
    ['poolCreationFee', 1n, 'Opening the pool costs 0.000000001 SOL more, which do not come back.'],
  ])('%s %o', (name, value, sentence) => {
    expect(said({ [name]: value })).toEqual([sentence]);
  });

  it.each([
    ['migrationFeePercentage', 'migrationFee', 1, 'Once the curve is full, 1% of what it took'],
    ['lockedVestingConfig', 'lockedVesting', { cliffUnlockAmount: '1' }, 'A part of the supply is held back'],
  ])('the same of an account, which calls it %s', (name, argument, value, sentence) => {
    expect(said({ [argument]: undefined, [name]: value }).join()).toContain(sentence);
  });

  it('that the fee of a trade can rise, from the first mode on that takes more of larger trades', () => {
    const mode = (baseFeeMode: number) =>
      said({ poolFees: { ...fees, baseFee: { ...asRecord(fees.baseFee), baseFeeMode } } });
    expect([mode(0), mode(1)]).toEqual([[], []]);
    expect(mode(2)).toEqual(['The fee of a trade can rise above the first one.']);
  });

  it('that the fee moves with the price, where an argument is there or the flag of an account is set', () => {
    const moving = (dynamicFee: unknown) => said({ poolFees: { ...fees, dynamicFee } });
    for (const none of [undefined, null, { initialized: 0 }]) expect(moving(none)).toEqual([]);
    for (const some of [{ binStep: 1 }, { initialized: 1 }])
      expect(moving(some)).toEqual(['The fee of a trade rises while the price moves fast.']);
  });

  it('how much of the supply is never sold, above a quarter of it and not at a quarter', () => {
    // With no curve and nothing put into a pool all of it is left over but what is held back.
    const left = (bps: bigint) =>
      said({
        curve: [],
        sqrtStartPrice: 0n,
        tokenSupply: { preMigrationTokenSupply: 10_000n, postMigrationTokenSupply: 10_000n },
        lockedVesting: { cliffUnlockAmount: 10_000n - bps },
      });
    const HELD = 'A part of the supply is held back and paid out as time passes.';
    expect(left(MOST_LEFT_BPS)).toEqual([HELD]);
    expect(left(MOST_LEFT_BPS + 1n)).toEqual([
      'About 25.01% of the supply is never sold by the curve.',
      HELD,
    ]);
  });
});

describe('what is left of a supply', () => {
  const ONE = 1n << 64n;
  /** A curve whose price goes from 1 to 4 (square roots 1 and 2), and sells half of its liquidity on the way. */
  const simple = {
    tokenSupply: { preMigrationTokenSupply: 1_000_000n, postMigrationTokenSupply: 1_000_000n },
    sqrtStartPrice: ONE,
    migrationQuoteThreshold: 100_000n,
    curve: [{ sqrtPrice: 2n * ONE, liquidity: 100_000n * ONE }],
    migrationFee: { feePercentage: 0 },
  };
  const left = (change: object = {}) => leftoverBps({ ...simple, ...change });

  it('is what the curve does not sell until it is full, and the pool does not get then', () => {
    // 100,000 is taken up to the price 4, where 50,000 tokens are sold and the pool gets 100,000 / 4 = 25,000.
    expect(left()).toBe(9_250n);
    // Half of that is taken at the square root 1.5, where 33,333 are sold and the pool gets 50,000 / 2.25 = 22,222.
    expect(left({ migrationQuoteThreshold: 50_000n })).toBe(9_444n);
    // What the curve took and pays out does not go into the pool.
    expect(left({ migrationFee: { feePercentage: 100 } })).toBe(9_500n);
    expect(left({ migrationFee: { feePercentage: 120 } })).toBe(9_500n);
    expect(left({ migrationFee: undefined, migrationFeePercentage: 40 })).toBe(9_350n);
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
    expect(left({ curve: undefined })).toBe(9_000n);
    expect(left({ sqrtStartPrice: 0n })).toBe(10_000n);
  });

  it('is less what is held back or burnt, and never less than none', () => {
    expect(
      left({ lockedVesting: { cliffUnlockAmount: 1_000n, amountPerPeriod: 100n, numberOfPeriod: 90n } }),
    ).toBe(9_150n);
    expect(left({ lockedVestingConfig: { cliffUnlockAmount: '10000' } })).toBe(9_150n);
    const supply = (preMigrationTokenSupply: bigint, postMigrationTokenSupply: bigint) => ({
      tokenSupply: { preMigrationTokenSupply, postMigrationTokenSupply },
    });
    expect(left(supply(1_000_000n, 900_000n))).toBe(9_166n);
    expect(left(supply(900_000n, 1_000_000n))).toBe(8_250n);
    expect(left(supply(75_000n, 75_000n))).toBe(0n);
    expect(left(supply(74_000n, 74_000n))).toBe(0n);
    expect(left(supply(75_100n, 75_100n))).toBe(13n);
  });

  it('is not known where no supply is fixed', () => {
    for (const [preMigrationTokenSupply, postMigrationTokenSupply] of [
      [0n, 1n],
      [1n, 0n],
    ])
      expect(left({ tokenSupply: { preMigrationTokenSupply, postMigrationTokenSupply } })).toBeUndefined();
    expect(left({ tokenSupply: null })).toBeUndefined();
    const account = { preMigrationTokenSupply: '1000000', postMigrationTokenSupply: '1000000' };
    expect(left({ tokenSupply: undefined, ...account })).toBe(9_250n);
    for (const odd of ['1e6', '-1', '1 ', `1${'0'.repeat(39)}`])
      expect(left({ tokenSupply: undefined, ...account, preMigrationTokenSupply: odd })).toBeUndefined();
  });
});
