/**
 * Terms of curves, from the arguments of a config and from the resulting account: fees of every mode, before and after
 * migration, and the other choices.
 */
import { altered, read } from '../../sandbox/attacks/service/drafts.ts';
import type { TransactionErrorJson } from '../../sandbox/chain/errors.ts';
import { createCurveConfig } from '../../sandbox/programs/dbc.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import type { ConfigParameters } from '../../src/programs/dbc/instructions.ts';
import { termsOfCurve, termsOfCurveArgs } from '../../src/programs/poolTerms/curve.ts';
import type { PoolTerms } from '../../src/programs/poolTerms/terms.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import { Scene } from '../sandbox/programs/scene.ts';
import { CURVE } from '../sandbox/programs/worlds.ts';

type Change = (args: ConfigParameters) => Partial<ConfigParameters>;

const base =
  (change: Partial<ConfigParameters['poolFees']['baseFee']>): Change =>
  ({ poolFees }) => ({ poolFees: { ...poolFees, baseFee: { ...poolFees.baseFee, ...change } } });

/** Post-migration fee of 3 %, chosen by the terms. */
const chosen =
  (
    mode: number,
    scheduler: readonly [number, number, number, bigint],
    change: Partial<ConfigParameters> = {},
  ): Change =>
  ({ migratedPoolFee }) => ({
    migrationFeeOption: 6,
    migratedPoolFee: { ...migratedPoolFee, poolFeeBps: 300 },
    migratedPoolBaseFeeMode: mode,
    migratedPoolMarketCapFeeSchedulerParams: {
      numberOfPeriod: scheduler[0],
      sqrtPriceStepBps: scheduler[1],
      schedulerExpirationDuration: scheduler[2],
      reductionFactor: scheduler[3],
    },
    ...change,
  });

const TERMS: Readonly<Record<string, Change>> = {
  'a flat fee': () => ({}),
  'a fee that falls evenly with time': base({
    ...{ cliffFeeNumerator: 200_000_000n, firstFactor: 20, secondFactor: 7n, thirdFactor: 5_000_000n },
    baseFeeMode: 0,
  }),
  'a fee that falls by a part with time': base({
    ...{
      cliffFeeNumerator: 200_000_000n,
      firstFactor: 20,
      secondFactor: 7n,
      thirdFactor: 500n,
      baseFeeMode: 1,
    },
  }),
  'a fee that rises with size': base({
    ...{ cliffFeeNumerator: 10_000_000n, firstFactor: 100, secondFactor: 600n, thirdFactor: 1_000_000_000n },
    baseFeeMode: 2,
  }),
  'a fee that follows volatility': ({ poolFees }) => ({
    poolFees: {
      ...poolFees,
      dynamicFee: {
        ...{ binStep: 1, binStepU128: 1_844_674_407_370_955n, filterPeriod: 10, decayPeriod: 120 },
        ...{ reductionFactor: 5_000, maxVolatilityAccumulator: 14_460_000, variableFeeControl: 956 },
      },
    },
  }),
  'a chosen fee after migration': chosen(0, [0, 0, 0, 0n]),
  'a fee after migration that falls evenly with the price': chosen(3, [100, 201, 86_400, 100_000n]),
  'a fee after migration that falls by a part with the price': chosen(4, [30, 201, 86_401, 400n]),
  'a fee after migration in both tokens that follows volatility': (args) => ({
    ...chosen(0, [0, 0, 0, 0n])(args),
    migratedPoolFee: { collectFeeMode: 1, dynamicFee: 1, poolFeeBps: 300 },
  }),
  'a fee after migration that compounds': (args) => ({
    ...chosen(0, [0, 0, 0, 0n])(args),
    migratedPoolFee: { collectFeeMode: 2, dynamicFee: 0, poolFeeBps: 300 },
    compoundingFeeBps: 5_000,
  }),
  'a supply that is fixed, held back and paid out in part': () => ({
    tokenSupply: { preMigrationTokenSupply: 10n ** 17n, postMigrationTokenSupply: 10n ** 17n },
    lockedVesting: {
      ...{ amountPerPeriod: 1_000n, cliffDurationFromMigrationTime: 5n, frequency: 1n, numberOfPeriod: 3n },
      cliffUnlockAmount: 77n,
    },
    migrationFee: { feePercentage: 20, creatorFeePercentage: 10 },
  }),
  'liquidity that vests': () => ({
    partnerLiquidityPercentage: 0,
    partnerPermanentLockedLiquidityPercentage: 30,
    partnerLiquidityVestingInfo: {
      ...{ vestingPercentage: 20, bpsPerPeriod: 1_000, numberOfPeriods: 10, frequency: 86_400 },
      cliffDurationFromMigrationTime: 0,
    },
  }),
  'Token-2022, fees in both tokens, and a creator who mints more': () => ({
    ...{ tokenType: 1, collectFeeMode: 1, tokenUpdateAuthority: 3 },
  }),
};

/** Outcome of making a config with named terms, and the terms in its arguments and account. */
export interface Compared {
  readonly name: string;
  readonly err: TransactionErrorJson | null;
  readonly asked: Omit<PoolTerms, 'digest'>;
  readonly made: Omit<PoolTerms, 'digest'> | undefined;
}

/** Makes a config with the terms of each name. */
export async function compareTerms(programs: ReadonlyMap<Address, Uint8Array>): Promise<Compared[]> {
  const scene = await Scene.start(programs);
  const [payer, claimer] = [scene.rich('creator'), scene.rich('claimer')];
  return Object.entries(TERMS).map(([name, change]) => {
    const config = scene.key(`config with ${name}`);
    const accounts = {
      ...{ config: config.address, feeClaimer: claimer.address, leftoverReceiver: claimer.address },
      ...{ quoteMint: WSOL_MINT, payer: payer.address },
    };
    const plain = read(createCurveConfig(accounts, CURVE));
    if (plain.kind !== 'dbc.createConfig') throw new Error('a config is read as one');
    const args = { ...plain.args, ...change(plain.args) };
    const { err } = scene.land([payer, config], altered(plain, { args }));
    const account = scene.chain.getAccount(config.address);
    const fields = account === null ? null : readAs(poolConfig, account);
    const made = fields === null || typeof fields === 'string' ? undefined : termsOfCurve(fields);
    return { name, err, asked: withoutDigest(termsOfCurveArgs(args)), made: made && withoutDigest(made) };
  });
}

/** Omits the digest: arguments and account differ in bytes. */
function withoutDigest(terms: PoolTerms): Omit<PoolTerms, 'digest'> {
  const { digest, ...rest } = terms;
  return rest;
}
