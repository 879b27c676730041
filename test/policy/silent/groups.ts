/**
 * Arguments that are valid only together: changes that programs refuse for a single value. Written from the layouts and
 * the published meaning of the bytes.
 */
import { type AccountBytes, isOfType } from '../../../src/programs/account.ts';
import { poolConfig } from '../../../src/programs/dbc/accounts.ts';
import {
  type EncodedInstruction,
  type Named,
  readLayout,
  writeLayout,
} from '../../../src/programs/layout.ts';
import { Reader, Writer } from '../../../src/transaction/bytes.ts';
import { layoutOf, put, type Rewritten } from './places.ts';

type Args = Readonly<Record<string, unknown>>;
type Group = readonly [what: string, args: (args: Args) => Args];

const fields = (value: unknown): Args => Object(value);

/** Encodes consecutive numbers, each with its length in bytes. */
function row(...numbers: readonly (readonly [value: bigint, bytes: number])[]): Uint8Array {
  return Uint8Array.from(
    numbers.flatMap(([value, bytes]) =>
      Array.from({ length: bytes }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn)),
    ),
  );
}

/** Fee numerators are billionths. */
const PERCENT = 10_000_000n;
/** First fee, the three factors, mode: fees that fall over time or rise with the amount. `null` keeps the first fee. */
const FEES: readonly (readonly [string, bigint | null, bigint, bigint, bigint, bigint])[] = [
  ['40 %', 40n * PERCENT, 0n, 0n, 0n, 0n],
  ['a quarter of a percent', PERCENT / 4n, 0n, 0n, 0n, 0n],
  ['a fee that falls a little', null, 9n, 1n, PERCENT / 10n, 0n],
  ['a fee that falls at once', null, 1n, 1n, (PERCENT * 3n) / 4n, 0n],
  ['a fee that falls exponentially', null, 10n, 1n, 3_000n, 1n],
  ['a fee that rises with the amount', null, 100n, 1_000n, 1_000_000n, 2n],
];

/** Pool fees: 8, 2, 8, 8 bytes and the mode; the limiter splits the second factor into duration and maximum fee. */
const poolFees: readonly (readonly [string, (was: Uint8Array) => Uint8Array])[] = FEES.map(
  ([label, first, a, b, c, mode]) => [
    label,
    (was) => {
      const pace = mode === 2n ? b | (9_900n << 32n) : b;
      const data = row([first ?? 0n, 8], [a, 2], [pace, 8], [c, 8], [mode, 1]);
      return first === null ? put(data, 0, was.slice(0, 8)) : data;
    },
  ],
);

const DYNAMIC = {
  binStep: 1,
  binStepU128: 1_844_674_407_370_955n,
  filterPeriod: 10,
  decayPeriod: 120,
  reductionFactor: 5_000,
  maxVolatilityAccumulator: 14_460_000,
  variableFeeControl: 956,
};
const withFees = (args: Args, fees: Args): Args => ({
  ...args,
  poolFees: { ...fields(args.poolFees), ...fees },
});
const dynamic: Group = ['a dynamic fee', (args) => withFees(args, { dynamicFee: DYNAMIC })];

const poolGroups: readonly Group[] = [
  ...poolFees.map(
    ([label, data]): Group => [
      label,
      (args) => {
        const { data: was } = fields(fields(args.poolFees).baseFee);
        return was instanceof Uint8Array ? withFees(args, { baseFee: { data: data(was) } }) : args;
      },
    ],
  ),
  dynamic,
  ...[0, 1, 2].map((mode): Group => [`fee side ${mode}`, (args) => ({ ...args, collectFeeMode: mode })]),
];

const times = (value: unknown, factor: bigint) => BigInt(String(value)) * factor;

/** Curve fees: the config and the arguments that create it use the same names. */
const curveFees: readonly Group[] = FEES.map(([label, first, factor, secondFactor, thirdFactor, mode]) => [
  label,
  (args) => {
    const was = fields(fields(args.poolFees).baseFee);
    const fee = { firstFactor: Number(factor), secondFactor, thirdFactor, baseFeeMode: Number(mode) };
    const cliff = first === null ? {} : { cliffFeeNumerator: first };
    return withFees(args, { baseFee: { ...was, ...fee, ...cliff } });
  },
]);
const HELD = { amountPerPeriod: 1_000_000n, cliffDurationFromMigrationTime: 0n, frequency: 1n };
const RELEASED = { ...HELD, numberOfPeriod: 10n, cliffUnlockAmount: 0n };
const FALLING = { numberOfPeriod: 10, sqrtPriceStepBps: 100, schedulerExpirationDuration: 1_000 };
const freely = (dynamicFee: number, poolFeeBps: number) => ({
  migrationFeeOption: 6,
  migratedPoolFee: { collectFeeMode: 0, dynamicFee, poolFeeBps },
  compoundingFeeBps: 0,
});

const curveGroups: readonly Group[] = [
  ...curveFees,
  dynamic,
  ['ten times the supply', (args) => ({ ...args, tokenSupply: scaled(args.tokenSupply, 10n) })],
  ['fees in both tokens', (args) => ({ ...args, collectFeeMode: 1 })],
  ['another fee after graduation', (args) => ({ ...args, ...freely(1, 400) })],
  ...[1, 3, 4].map(
    (mode): Group => [
      `a fee after graduation that falls, ${mode}`,
      (args) => ({
        ...args,
        ...freely(0, 200),
        migratedPoolBaseFeeMode: mode,
        migratedPoolMarketCapFeeSchedulerParams: {
          ...FALLING,
          reductionFactor: mode === 3 ? PERCENT / 10n : 500n,
        },
      }),
    ],
  ),
  ['unlocked liquidity', unlocked],
  ['tokens released later to the creator', (args) => ({ ...args, lockedVesting: RELEASED })],
  [
    'more of the supply into the pool',
    (args) => ({ ...args, migrationQuoteThreshold: times(args.migrationQuoteThreshold, 2n) }),
  ],
  [
    'a fee on graduation',
    (args) => ({ ...args, migrationFee: { feePercentage: 50, creatorFeePercentage: 0 } }),
  ],
];

/** Swaps locked and unlocked liquidity. */
function unlocked(args: Args): Args {
  const changed: Record<string, unknown> = { ...args };
  for (const of of ['partner', 'creator']) {
    changed[`${of}LiquidityPercentage`] = args[`${of}PermanentLockedLiquidityPercentage`];
    changed[`${of}PermanentLockedLiquidityPercentage`] = args[`${of}LiquidityPercentage`];
  }
  return changed;
}

const settings = (of: Args, changed: Args): Args => ({ ...fields(of), ...changed });
const LATER = {
  isInitialized: 1,
  vestingPercentage: 50,
  bpsPerPeriod: 100,
  numberOfPeriods: 50,
  frequency: 1,
};

/** The same for a config on the chain. */
const configGroups: readonly Group[] = [
  ...curveFees,
  [
    'a dynamic fee',
    (config) =>
      withFees(config, {
        dynamicFee: settings(fields(fields(config.poolFees).dynamicFee), { ...DYNAMIC, initialized: 1 }),
      }),
  ],
  ['unlocked liquidity', unlocked],
  ...['partner', 'creator'].map(
    (of): Group => [
      `liquidity released later to the ${of}`,
      (config) => ({
        ...config,
        [`${of}LiquidityVestingInfo`]: settings(fields(config[`${of}LiquidityVestingInfo`]), LATER),
        partnerPermanentLockedLiquidityPercentage: 50,
      }),
    ],
  ),
  [
    'tokens released later to the creator',
    (config) => ({ ...config, lockedVestingConfig: settings(fields(config.lockedVestingConfig), RELEASED) }),
  ],
  [
    'another fee after graduation',
    (config) => ({ ...config, migrationFeeOption: 6, migratedPoolFeeBps: 400 }),
  ],
];

function scaled(supply: unknown, factor: bigint): unknown {
  if (supply === null) return { preMigrationTokenSupply: 10n ** 18n, postMigrationTokenSupply: 10n ** 18n };
  return Object.fromEntries(
    Object.entries(fields(supply)).map(([name, value]) => [name, times(value, factor)]),
  );
}

const GROUPS: Readonly<Record<string, readonly Group[]>> = {
  'dammV2.initializeCustomizablePool': poolGroups,
  'dbc.createConfig': curveGroups,
};

/** Returns the data of an instruction with each group of its arguments changed. */
export function groupsOf(one: EncodedInstruction): Rewritten[] {
  const layout = layoutOf(one);
  const groups = GROUPS[layout?.kind ?? ''];
  if (layout === undefined || groups === undefined) return [];
  const { programAddress: program, accounts, data } = one;
  const named = readLayout(layout, { program, accounts, data, index: 0 });
  if (typeof named === 'string') return [];
  const write = (args: Named['args']) => {
    const changed = writeLayout(layout, { program, accounts: named.accounts, rest: named.rest, args });
    return changed.data;
  };
  return groups.map(([label, change]) => [label, write(change(named.args))]);
}

/** Returns the data of a curve config with each group of its fields changed; empty for any other account. */
export function groupsOfAccount(account: AccountBytes): Rewritten[] {
  if (!isOfType(poolConfig, account)) return [];
  const { discriminator, codec } = poolConfig;
  const config = codec.read(new Reader(account.data, discriminator.length));
  return configGroups.map(([label, change]) => {
    const writer = new Writer();
    writer.push(discriminator);
    // The fields stay the same; only values are replaced.
    codec.write(writer, change(config) as typeof config);
    return [label, writer.finish()];
  });
}
