/** Account layouts of Meteora DAMM v2. */
import { address, bytes, fixedList, struct, u8, u16, u32, u64, u128 } from '../../transaction/codecs.ts';
import { type AccountLayout, defineAccount } from '../account.ts';
import { accountDiscriminator } from '../anchor.ts';
import { DAMM_V2_PROGRAM } from './addresses.ts';

const program = DAMM_V2_PROGRAM;

/** A pool: its mints and vaults, fees, price and liquidity. */
export const pool = defineAccount('dammV2.pool', {
  program,
  discriminator: accountDiscriminator('Pool'),
  length: 1112,
  fields: {
    poolFees: struct({
      baseFee: struct({ baseFeeInfo: struct({ data: bytes(32) }), padding1: u64 }),
      protocolFeePercent: u8,
      padding0: u8,
      referralFeePercent: u8,
      padding1: bytes(3),
      compoundingFeeBps: u16,
      dynamicFee: struct({
        initialized: u8,
        padding: bytes(7),
        maxVolatilityAccumulator: u32,
        variableFeeControl: u32,
        binStep: u16,
        filterPeriod: u16,
        decayPeriod: u16,
        reductionFactor: u16,
        lastUpdateTimestamp: u64,
        binStepU128: u128,
        sqrtPriceReference: u128,
        volatilityAccumulator: u128,
        volatilityReference: u128,
      }),
      initSqrtPrice: u128,
    }),
    tokenAMint: address,
    tokenBMint: address,
    tokenAVault: address,
    tokenBVault: address,
    whitelistedVault: address,
    padding0: bytes(32),
    liquidity: u128,
    padding1: u128,
    protocolAFee: u64,
    protocolBFee: u64,
    deadLiquidityFeeCheckpoint: u64,
    padding2: bytes(8),
    sqrtMinPrice: u128,
    sqrtMaxPrice: u128,
    sqrtPrice: u128,
    activationPoint: u64,
    activationType: u8,
    poolStatus: u8,
    tokenAFlag: u8,
    tokenBFlag: u8,
    collectFeeMode: u8,
    poolType: u8,
    feeVersion: u8,
    padding3: u8,
    feeAPerLiquidity: bytes(32),
    feeBPerLiquidity: bytes(32),
    permanentLockLiquidity: u128,
    metrics: struct({
      totalLpAFee: u128,
      totalLpBFee: u128,
      totalProtocolAFee: u64,
      totalProtocolBFee: u64,
      padding0: fixedList(u64, 2),
      totalPosition: u64,
      padding: u64,
    }),
    creator: address,
    tokenAAmount: u64,
    tokenBAmount: u64,
    layoutVersion: u8,
    padding4: bytes(7),
    padding5: fixedList(u64, 3),
    rewardInfos: fixedList(
      struct({
        initialized: u8,
        rewardTokenFlag: u8,
        padding0: bytes(6),
        deadLiquidityRewardCheckpoint: u64,
        mint: address,
        vault: address,
        funder: address,
        rewardDuration: u64,
        rewardDurationEnd: u64,
        rewardRate: u128,
        rewardPerTokenStored: bytes(32),
        lastUpdateTime: u64,
        cumulativeSecondsWithEmptyLiquidityReward: u64,
      }),
      2,
    ),
  },
});

/** Fields of a pool account. */
export type Pool = typeof pool extends AccountLayout<string, infer F> ? F : never;

/** A position: liquidity in a pool, owned by the holder of its NFT. */
export const position = defineAccount('dammV2.position', {
  program,
  discriminator: accountDiscriminator('Position'),
  length: 408,
  fields: {
    pool: address,
    nftMint: address,
    feeAPerTokenCheckpoint: bytes(32),
    feeBPerTokenCheckpoint: bytes(32),
    feeAPending: u64,
    feeBPending: u64,
    unlockedLiquidity: u128,
    vestedLiquidity: u128,
    permanentLockedLiquidity: u128,
    metrics: struct({ totalClaimedAFee: u64, totalClaimedBFee: u64 }),
    rewardInfos: fixedList(
      struct({ rewardPerTokenCheckpoint: bytes(32), rewardPendings: u64, totalClaimedRewards: u64 }),
      2,
    ),
    innerVesting: struct({
      cliffPoint: u64,
      periodFrequency: u64,
      cliffUnlockLiquidity: u128,
      liquidityPerPeriod: u128,
      totalReleasedLiquidity: u128,
      numberOfPeriod: u16,
      padding: bytes(14),
    }),
    delegatePermission: u32,
    padding: bytes(12),
  },
});
