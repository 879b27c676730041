/** Terms of a DBC curve, from the arguments that make its config or from the config's account. */
import type { PoolConfig } from '../dbc/accounts.ts';
import type { ConfigParameters } from '../dbc/instructions.ts';
import { digestOf } from './digest.ts';
import { CURVE_SIDES, type FeeNumbers, MIGRATED_SIDES, tradeFee, Unknowns } from './fees.ts';
import { BASIS_POINT, type PoolTerms, type TradeFee } from './terms.ts';

/** Fees after migration by number, in basis points; the number after them: as the terms choose. */
const MIGRATED_BPS = [25, 30, 100, 200, 400, 600];
const CHOSEN = MIGRATED_BPS.length;
/** The numbers of who may change a launched token, and from which on that key can make more of it. */
const UPDATERS = ['creator', 'none', 'claimer', 'creator', 'claimer'] as const;
const FIRST_MINTER = 3;
const ALL_BPS = 10_000n;
/** How much a curve sells early is counted at this part of its threshold. */
const EARLY = 10n;
/** A fee after migration that follows volatility rises by at most a fifth: to so many fifths. */
const DYNAMIC_PARTS = 6n;

/** What a part of the fees after migration is decoded from. */
interface MigratedFee extends FeeNumbers {
  readonly option: number;
  readonly collectMode: number;
  readonly dynamic: number;
  readonly compoundingBps: number;
}

type Names = 'amountPerPeriod' | 'numberOfPeriod' | 'cliffUnlockAmount';

/** What arguments and account say alike, the account's flags and names put into those of the arguments. */
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

interface BaseFee {
  readonly cliffFeeNumerator: bigint;
  readonly firstFactor: number;
  readonly secondFactor: bigint;
  readonly thirdFactor: bigint;
  readonly baseFeeMode: number;
}

const numbersOf = ({ cliffFeeNumerator, firstFactor, secondFactor, thirdFactor, baseFeeMode }: BaseFee) => ({
  cliff: cliffFeeNumerator,
  mode: baseFeeMode,
  steps: BigInt(firstFactor),
  pace: secondFactor,
  change: thirdFactor,
});

/** Terms in the arguments that make a config. */
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
      pace: BigInt(scheduler.schedulerExpirationDuration) << 32n,
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

/** Terms in the account of a config. */
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
      pace: BigInt(view.getUint32(4, true)) << 32n,
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
  const { sold, price } = soldUntil(numbers, numbers.migrationQuoteThreshold);
  const pooled = pooledAt(numbers, price);
  const early = soldUntil(numbers, numbers.migrationQuoteThreshold / EARLY).sold;
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

/** The fee after migration: one of the program's own, which is flat, or the one the terms choose. */
function migratedFee(migrated: MigratedFee, side: PoolTerms['side'], unknowns: Unknowns) {
  const { option, collectMode, dynamic, compoundingBps } = migrated;
  const fixed = MIGRATED_BPS[option];
  if (fixed !== undefined) {
    const flat = { ...migrated, cliff: BigInt(fixed) * BASIS_POINT, mode: 0, steps: 0n };
    return { fee: tradeFee(flat, undefined), side, compoundingBps: 0 };
  }
  if (option !== CHOSEN) unknowns.name('migratedFee', [], option);
  const base = unknowns.fee('migratedFeeMode', migrated.mode, tradeFee(migrated, undefined));
  const highest = (base.highest * DYNAMIC_PARTS) / 5n;
  return {
    fee: dynamic === 0 ? base : { ...base, highest, isDynamic: true },
    side: unknowns.name('migratedFeeAsset', MIGRATED_SIDES, collectMode),
    compoundingBps,
  };
}

/** What no buyer and no pool gets, in basis points of the supply that stays. */
function leftover({ before, after }: { before: bigint; after: bigint }, used: bigint): bigint {
  const left = before - used - (before > after ? before - after : 0n);
  return left <= 0n || after === 0n ? 0n : (left * ALL_BPS) / after;
}

/** Base units that the curve sells for the first `rest` units of the quote, and the square root of the price then. */
function soldUntil(
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

/** Base units put into the pool when the curve is complete. */
function pooledAt({ migrationQuoteThreshold, paidOutPercent }: Numbers, price: bigint): bigint {
  const quote = (migrationQuoteThreshold * BigInt(100 - Math.min(paidOutPercent, 100))) / 100n;
  return price === 0n ? 0n : (quote << 128n) / (price * price);
}
