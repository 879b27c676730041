/** Terms of a DBC curve, from the arguments or the account of its config. */
import type { PoolConfig } from '../dbc/accounts.ts';
import type { ConfigParameters } from '../dbc/instructions.ts';
import { CURVE_SIDES, type FeeNumbers, MIGRATED_SIDES, tradeFee, Unknowns } from './fees.ts';
import { BASIS_POINT, digestOf, type PoolTerms, type TradeFee } from './terms.ts';

/** Fees after migration by option number, in basis points. The next number selects a fee in the terms. */
const MIGRATED_BPS = [25, 30, 100, 200, 400, 600];
const CUSTOM_FEE = MIGRATED_BPS.length;
/** Token update authorities by number. From `FIRST_MINTER` on, the authority can also mint. */
const UPDATERS = ['creator', 'none', 'claimer', 'creator', 'claimer'] as const;
const FIRST_MINTER = 3;
const ALL_BPS = 10_000n;
/** The supply sold early is measured at this fraction of the curve's threshold. */
const EARLY = 10n;
/** A dynamic fee after migration is at most six fifths of the base fee. */
const MAX_DYNAMIC_FIFTHS = 6n;

/** Raw parameters of the fee after migration. */
interface MigratedFee extends FeeNumbers {
  readonly option: number;
  readonly collectMode: number;
  readonly dynamic: number;
  readonly compoundingBps: number;
}

type Names =
  | 'amountPerPeriod'
  | 'cliffDurationFromMigrationTime'
  | 'frequency'
  | 'numberOfPeriod'
  | 'cliffUnlockAmount';

/** Parameters that arguments and account have in common, named and typed as in the arguments. */
interface Numbers
  extends Pick<
    PoolConfig,
    | 'collectFeeMode'
    | 'migrationOption'
    | 'tokenType'
    | 'tokenDecimal'
    | 'partnerLiquidityPercentage'
    | 'creatorLiquidityPercentage'
    | 'creatorPermanentLockedLiquidityPercentage'
    | 'creatorTradingFeePercentage'
    | 'migrationQuoteThreshold'
    | 'sqrtStartPrice'
    | 'tokenUpdateAuthority'
    | 'poolCreationFee'
    | 'curve'
  > {
  readonly fee: TradeFee;
  readonly feeMode: number;
  readonly migrated: MigratedFee;
  readonly paidOutPercent: number;
  readonly held: Readonly<Record<Names, bigint>>;
  /** 1: the supply is `fixed`; 0: it follows from the curve. */
  readonly supplyFlag: number;
  readonly fixed: { readonly before: bigint; readonly after: bigint } | undefined;
  readonly claimerVesting: number;
  readonly creatorVesting: number;
  readonly isFirstSwapCheap: boolean;
}

/** Returns the numbers of a curve's base fee. */
export const numbersOf = ({
  cliffFeeNumerator,
  firstFactor,
  secondFactor,
  thirdFactor,
  baseFeeMode,
}: ConfigParameters['poolFees']['baseFee']): FeeNumbers => ({
  cliff: cliffFeeNumerator,
  mode: baseFeeMode,
  steps: BigInt(firstFactor),
  pace: secondFactor,
  change: thirdFactor,
});

/** Returns the terms in the arguments of a config. */
export function termsOfCurveArgs(args: ConfigParameters): PoolTerms {
  const { poolFees, migratedPoolFee, migratedPoolMarketCapFeeSchedulerParams: scheduler } = args;
  return termsOf(digestOf(args), {
    ...args,
    fee: tradeFee(numbersOf(poolFees.baseFee), poolFees.dynamicFee, false),
    feeMode: poolFees.baseFee.baseFeeMode,
    migrated: {
      option: args.migrationFeeOption,
      collectMode: migratedPoolFee.collectFeeMode,
      dynamic: migratedPoolFee.dynamicFee,
      compoundingBps: args.compoundingFeeBps,
      cliff: BigInt(migratedPoolFee.poolFeeBps) * BASIS_POINT,
      mode: args.migratedPoolBaseFeeMode,
      steps: BigInt(scheduler.numberOfPeriod),
      pace: (BigInt(scheduler.schedulerExpirationDuration) << 32n) | BigInt(scheduler.sqrtPriceStepBps),
      change: scheduler.reductionFactor,
    },
    paidOutPercent: args.migrationFee.feePercentage,
    held: args.lockedVesting,
    supplyFlag: args.tokenSupply ? 1 : 0,
    fixed:
      (args.tokenSupply && {
        before: args.tokenSupply.preMigrationTokenSupply,
        after: args.tokenSupply.postMigrationTokenSupply,
      }) ||
      undefined,
    claimerVesting: args.partnerLiquidityVestingInfo.vestingPercentage,
    creatorVesting: args.creatorLiquidityVestingInfo.vestingPercentage,
    isFirstSwapCheap: args.enableFirstSwapWithMinFee,
  });
}

/** Returns the terms in the account of a config. */
export function termsOfCurve(config: PoolConfig): PoolTerms {
  const { feeClaimer, leftoverReceiver, quoteMint, ...fields } = config;
  const { poolFees, migratedPoolBaseFeeBytes: scheduler } = config;
  const view = new DataView(scheduler.buffer, scheduler.byteOffset, scheduler.byteLength);
  return termsOf(digestOf(fields), {
    ...config,
    fee: tradeFee(
      numbersOf(poolFees.baseFee),
      poolFees.dynamicFee.initialized === 0 ? null : poolFees.dynamicFee,
      false,
    ),
    feeMode: poolFees.baseFee.baseFeeMode,
    migrated: {
      option: config.migrationFeeOption,
      collectMode: config.migratedCollectFeeMode,
      dynamic: config.migratedDynamicFee,
      compoundingBps: config.migratedCompoundingFeeBps,
      cliff: BigInt(config.migratedPoolFeeBps) * BASIS_POINT,
      mode: config.migratedPoolBaseFeeMode,
      steps: BigInt(view.getUint16(0, true)),
      pace: (BigInt(view.getUint32(4, true)) << 32n) | BigInt(view.getUint16(2, true)),
      change: view.getBigUint64(8, true),
    },
    paidOutPercent: config.migrationFeePercentage,
    held: config.lockedVestingConfig,
    supplyFlag: config.fixedTokenSupplyFlag,
    fixed:
      config.fixedTokenSupplyFlag === 0
        ? undefined
        : { before: config.preMigrationTokenSupply, after: config.postMigrationTokenSupply },
    claimerVesting: vestingIn(config.partnerLiquidityVestingInfo),
    creatorVesting: vestingIn(config.creatorLiquidityVestingInfo),
    isFirstSwapCheap: config.enableFirstSwapWithMinFee !== 0,
  });
}

const vestingIn = ({
  isInitialized,
  vestingPercentage,
}: PoolConfig['partnerLiquidityVestingInfo']): number => (isInitialized === 0 ? 0 : vestingPercentage);

function termsOf(digest: string, numbers: Numbers): PoolTerms {
  const { migrated, tokenUpdateAuthority, held, fixed } = numbers;
  const unknowns = new Unknowns();
  const side = unknowns.name('feeAsset', CURVE_SIDES, numbers.collectFeeMode);
  unknowns.name('fixedSupply', ['no', 'yes'], numbers.supplyFlag);
  const heldBack = held.cliffUnlockAmount + held.amountPerPeriod * held.numberOfPeriod;
  const { sold, price } = soldFor(numbers, numbers.migrationQuoteThreshold);
  const pooled = migratedUnits(numbers, price);
  const early = soldFor(numbers, numbers.migrationQuoteThreshold / EARLY).sold;
  const supply = fixed?.before ?? sold + sold / 4n + pooled + heldBack;
  return {
    digest,
    fee: unknowns.fee('feeMode', numbers.feeMode, numbers.fee),
    side,
    compoundingBps: 0,
    openingRoot: numbers.sqrtStartPrice,
    activationPoint: null,
    isOpenToAll: true,
    creationFee: numbers.poolCreationFee,
    curve: {
      decimals: numbers.tokenDecimal,
      standard: unknowns.name('tokenStandard', ['Token', 'Token-2022'], numbers.tokenType),
      isSupplyFixed: fixed !== undefined,
      supply,
      ...(fixed === undefined ? {} : { leftoverBps: leftover(fixed, sold + pooled + heldBack) }),
      heldBack,
      ...(heldBack === 0n ? {} : { halfReleasedAfter: halfReleasedAfter(held, heldBack) }),
      threshold: numbers.migrationQuoteThreshold,
      soldEarlyBps: sold === 0n ? ALL_BPS : (early * ALL_BPS) / sold,
      isFirstSwapCheap: numbers.isFirstSwapCheap,
      migration: {
        target: unknowns.name('migrationPool', ['DAMM v1', 'DAMM v2'], numbers.migrationOption),
        ...migratedFee(migrated, side, unknowns),
        paidOutPercent: numbers.paidOutPercent,
      },
      claimerUnlocked: numbers.partnerLiquidityPercentage,
      claimerVesting: numbers.claimerVesting,
      creatorUnlocked: numbers.creatorLiquidityPercentage,
      creatorVesting: numbers.creatorVesting,
      creatorLocked: numbers.creatorPermanentLockedLiquidityPercentage,
      creatorFeePercent: numbers.creatorTradingFeePercentage,
      updater: unknowns.name('tokenUpdater', UPDATERS, tokenUpdateAuthority),
      mayMintMore: tokenUpdateAuthority >= FIRST_MINTER,
    },
    unknown: unknowns.list,
  };
}

/** Returns the seconds from the migration until half of the held-back supply is released. */
function halfReleasedAfter(
  { amountPerPeriod, cliffDurationFromMigrationTime, frequency, cliffUnlockAmount }: Numbers['held'],
  heldBack: bigint,
): bigint {
  const left = (heldBack + 1n) / 2n - cliffUnlockAmount;
  if (left <= 0n || amountPerPeriod === 0n) return cliffDurationFromMigrationTime;
  return cliffDurationFromMigrationTime + ((left + amountPerPeriod - 1n) / amountPerPeriod) * frequency;
}

/** Returns the fee after migration: a flat fee by option number, or the custom fee of the terms. */
function migratedFee(migrated: MigratedFee, side: PoolTerms['side'], unknowns: Unknowns) {
  const { option, collectMode, dynamic, compoundingBps } = migrated;
  const fixed = MIGRATED_BPS[option];
  if (fixed !== undefined) {
    const flat = { ...migrated, cliff: BigInt(fixed) * BASIS_POINT, mode: 0, steps: 0n };
    return { fee: tradeFee(flat, undefined), side, compoundingBps: 0 };
  }
  if (option !== CUSTOM_FEE) unknowns.name('migratedFee', [], option);
  const base = unknowns.fee('migratedFeeMode', migrated.mode, tradeFee(migrated, undefined));
  const highest = (base.highest * MAX_DYNAMIC_FIFTHS) / 5n;
  return {
    fee: dynamic === 0 ? base : { ...base, highest, isDynamic: true },
    side: unknowns.name('migratedFeeAsset', MIGRATED_SIDES, collectMode),
    compoundingBps,
  };
}

/** Returns the unsold supply that is not burned, in basis points of the supply after migration. */
function leftover({ before, after }: { before: bigint; after: bigint }, used: bigint): bigint {
  const left = before - used - (before > after ? before - after : 0n);
  return left <= 0n || after === 0n ? 0n : (left * ALL_BPS) / after;
}

/** Returns the base units that the curve sells for the first `rest` quote units, and the square root price after them. */
function soldFor(
  { sqrtStartPrice, curve }: Numbers,
  rest: bigint,
): { readonly sold: bigint; readonly price: bigint } {
  let [price, sold] = [sqrtStartPrice, 0n];
  for (const { sqrtPrice: top, liquidity } of curve) {
    if (price === 0n || liquidity === 0n || top <= price) break;
    const takes = (liquidity * (top - price)) >> 128n;
    const next = takes < rest ? top : price + (rest << 128n) / liquidity;
    sold += (liquidity * (next - price)) / (price * next);
    rest -= takes < rest ? takes : rest;
    price = next;
  }
  return { sold, price };
}

/** Returns the base units that migrate into the pool at the final square root price. */
function migratedUnits({ migrationQuoteThreshold, paidOutPercent }: Numbers, price: bigint): bigint {
  const quote = (migrationQuoteThreshold * BigInt(100 - Math.min(paidOutPercent, 100))) / 100n;
  return price === 0n ? 0n : (quote << 128n) / (price * price);
}
