/** Account layouts of Meteora's dynamic bonding curve (DBC). */
import { address, bytes, fixedList, struct, u8, u16, u32, u64, u128 } from '../../transaction/codecs.ts';
import { type AccountLayout, defineAccount } from '../account.ts';
import { accountDiscriminator } from '../anchor.ts';
import { DBC_PROGRAM } from './addresses.ts';

const program = DBC_PROGRAM;

const vesting = struct({
  isInitialized: u8,
  vestingPercentage: u8,
  padding: bytes(2),
  bpsPerPeriod: u16,
  numberOfPeriods: u16,
  frequency: u32,
  cliffDurationFromMigrationTime: u32,
});

/** A config, shared by its pools: fee claimer, fees, prices, migration. */
export const poolConfig = defineAccount('dbc.poolConfig', {
  program,
  discriminator: accountDiscriminator('PoolConfig'),
  length: 1048,
  fields: {
    quoteMint: address,
    feeClaimer: address,
    leftoverReceiver: address,
    poolFees: struct({
      baseFee: struct({
        cliffFeeNumerator: u64,
        secondFactor: u64,
        thirdFactor: u64,
        firstFactor: u16,
        baseFeeMode: u8,
        padding0: bytes(5),
      }),
      dynamicFee: struct({
        initialized: u8,
        padding: bytes(7),
        maxVolatilityAccumulator: u32,
        variableFeeControl: u32,
        binStep: u16,
        filterPeriod: u16,
        decayPeriod: u16,
        reductionFactor: u16,
        padding2: bytes(8),
        binStepU128: u128,
      }),
    }),
    partnerLiquidityVestingInfo: vesting,
    creatorLiquidityVestingInfo: vesting,
    padding0: bytes(14),
    padding1: u16,
    collectFeeMode: u8,
    migrationOption: u8,
    activationType: u8,
    tokenDecimal: u8,
    version: u8,
    tokenType: u8,
    quoteTokenFlag: u8,
    partnerPermanentLockedLiquidityPercentage: u8,
    partnerLiquidityPercentage: u8,
    creatorPermanentLockedLiquidityPercentage: u8,
    creatorLiquidityPercentage: u8,
    migrationFeeOption: u8,
    fixedTokenSupplyFlag: u8,
    creatorTradingFeePercentage: u8,
    tokenUpdateAuthority: u8,
    migrationFeePercentage: u8,
    creatorMigrationFeePercentage: u8,
    padding2: bytes(7),
    swapBaseAmount: u64,
    migrationQuoteThreshold: u64,
    migrationBaseThreshold: u64,
    migrationSqrtPrice: u128,
    lockedVestingConfig: struct({
      amountPerPeriod: u64,
      cliffDurationFromMigrationTime: u64,
      frequency: u64,
      numberOfPeriod: u64,
      cliffUnlockAmount: u64,
      padding: u64,
    }),
    preMigrationTokenSupply: u64,
    postMigrationTokenSupply: u64,
    migratedCollectFeeMode: u8,
    migratedDynamicFee: u8,
    migratedPoolFeeBps: u16,
    migratedPoolBaseFeeMode: u8,
    enableFirstSwapWithMinFee: u8,
    migratedCompoundingFeeBps: u16,
    poolCreationFee: u64,
    migratedPoolBaseFeeBytes: bytes(16),
    sqrtStartPrice: u128,
    curve: fixedList(struct({ sqrtPrice: u128, liquidity: u128 }), 20),
  },
});

/** Fields of the account. */
export type PoolConfig = typeof poolConfig extends AccountLayout<string, infer F> ? F : never;

/** A pool: its creator, mint, vaults and accrued fees. */
export const virtualPool = defineAccount('dbc.virtualPool', {
  program,
  discriminator: accountDiscriminator('VirtualPool'),
  length: 424,
  fields: {
    volatilityTracker: struct({
      lastUpdateTimestamp: u64,
      padding: bytes(8),
      sqrtPriceReference: u128,
      volatilityAccumulator: u128,
      volatilityReference: u128,
    }),
    config: address,
    creator: address,
    baseMint: address,
    baseVault: address,
    quoteVault: address,
    baseReserve: u64,
    quoteReserve: u64,
    protocolBaseFee: u64,
    protocolQuoteFee: u64,
    partnerBaseFee: u64,
    partnerQuoteFee: u64,
    sqrtPrice: u128,
    activationPoint: u64,
    poolType: u8,
    isMigrated: u8,
    isPartnerWithdrawSurplus: u8,
    isProtocolWithdrawSurplus: u8,
    migrationProgress: u8,
    isWithdrawLeftover: u8,
    isCreatorWithdrawSurplus: u8,
    migrationFeeWithdrawStatus: u8,
    metrics: struct({
      totalProtocolBaseFee: u64,
      totalProtocolQuoteFee: u64,
      totalTradingBaseFee: u64,
      totalTradingQuoteFee: u64,
    }),
    finishCurveTimestamp: u64,
    creatorBaseFee: u64,
    creatorQuoteFee: u64,
    legacyCreationFeeBits: u8,
    creationFeeBits: u8,
    hasSwap: u8,
    padding0: bytes(5),
    protocolLiquidityMigrationFeeBps: u16,
    padding1: bytes(6),
    protocolMigrationBaseFeeAmount: u64,
    protocolMigrationQuoteFeeAmount: u64,
    padding2: fixedList(u64, 3),
  },
});

/** Fields of the account. */
export type VirtualPool = typeof virtualPool extends AccountLayout<string, infer F> ? F : never;
