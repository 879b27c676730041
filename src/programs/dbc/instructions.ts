/**
 * Instruction layouts of Meteora's dynamic bonding curve: configs, pools that mint their token, swaps and fee claims. From
 * the public interface, version 0.2.1.
 */
import {
  bool,
  bytes,
  list32,
  oneOf,
  option,
  struct,
  text32,
  u8,
  u16,
  u32,
  u64,
  u128,
} from '../../transaction/codecs.ts';
import {
  SYSTEM_PROGRAM,
  SYSVAR_INSTRUCTIONS,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_PROGRAMS,
} from '../../transaction/programs.ts';
import { anchorLayout, anchorNames } from '../anchor.ts';
import { larger, smaller, text } from '../derived.ts';
import type { ArgsOf } from '../layout.ts';
import { derived, fixed, oneAmong } from '../roles.ts';
import { METADATA_PROGRAM } from '../tokenMetadata/addresses.ts';
import { DBC_POOL_AUTHORITY, DBC_PROGRAM } from './addresses.ts';

const program = DBC_PROGRAM;

const poolAuthority = fixed('readonly', DBC_POOL_AUTHORITY);
const systemProgram = fixed('readonly', SYSTEM_PROGRAM);
const anyTokenProgram = oneAmong('readonly', TOKEN_PROGRAMS);
const mintPair = [larger('baseMint', 'quoteMint'), smaller('baseMint', 'quoteMint')];
const pool = derived('writable', program, [text('pool'), 'config', ...mintPair]);
const vaults = {
  baseVault: derived('writable', program, [text('token_vault'), 'baseMint', 'pool']),
  quoteVault: derived('writable', program, [text('token_vault'), 'quoteMint', 'pool']),
};
const mints = { baseMint: 'readonly', quoteMint: 'readonly' } as const;
const tokenPrograms = { tokenBaseProgram: anyTokenProgram, tokenQuoteProgram: anyTokenProgram };

const baseFee = struct({
  cliffFeeNumerator: u64,
  firstFactor: u16,
  secondFactor: u64,
  thirdFactor: u64,
  baseFeeMode: u8,
});
export const dynamicFee = struct({
  binStep: u16,
  binStepU128: u128,
  filterPeriod: u16,
  decayPeriod: u16,
  reductionFactor: u16,
  maxVolatilityAccumulator: u32,
  variableFeeControl: u32,
});
const liquidityVesting = struct({
  vestingPercentage: u8,
  bpsPerPeriod: u16,
  numberOfPeriods: u16,
  cliffDurationFromMigrationTime: u32,
  frequency: u32,
});

/** Arguments of a config: fees, prices and migration of its pools. */
const configParameters = {
  poolFees: struct({ baseFee, dynamicFee: option(dynamicFee) }),
  collectFeeMode: u8,
  migrationOption: u8,
  activationType: u8,
  tokenType: u8,
  tokenDecimal: u8,
  partnerLiquidityPercentage: u8,
  partnerPermanentLockedLiquidityPercentage: u8,
  creatorLiquidityPercentage: u8,
  creatorPermanentLockedLiquidityPercentage: u8,
  migrationQuoteThreshold: u64,
  sqrtStartPrice: u128,
  lockedVesting: struct({
    amountPerPeriod: u64,
    cliffDurationFromMigrationTime: u64,
    frequency: u64,
    numberOfPeriod: u64,
    cliffUnlockAmount: u64,
  }),
  migrationFeeOption: u8,
  tokenSupply: option(struct({ preMigrationTokenSupply: u64, postMigrationTokenSupply: u64 })),
  creatorTradingFeePercentage: u8,
  tokenUpdateAuthority: u8,
  migrationFee: struct({ feePercentage: u8, creatorFeePercentage: u8 }),
  migratedPoolFee: struct({ collectFeeMode: u8, dynamicFee: u8, poolFeeBps: u16 }),
  poolCreationFee: u64,
  partnerLiquidityVestingInfo: liquidityVesting,
  creatorLiquidityVestingInfo: liquidityVesting,
  migratedPoolBaseFeeMode: u8,
  migratedPoolMarketCapFeeSchedulerParams: struct({
    numberOfPeriod: u16,
    sqrtPriceStepBps: u16,
    schedulerExpirationDuration: u32,
    reductionFactor: u64,
  }),
  enableFirstSwapWithMinFee: bool,
  compoundingFeeBps: u16,
  padding: bytes(2),
  curve: list32(struct({ sqrtPrice: u128, liquidity: u128 })),
} as const;

/** Decoded arguments of a config. */
export type ConfigParameters = ArgsOf<typeof configParameters>;

/** Swap modes by number: exact input, exact input with partial fill, exact output. */
export const SWAP_MODES = ['exactIn', 'partialFill', 'exactOut'] as const;

const trade = {
  poolAuthority,
  config: 'readonly',
  pool,
  inputTokenAccount: 'writable',
  outputTokenAccount: 'writable',
  ...vaults,
  ...mints,
  payer: 'signer',
  ...tokenPrograms,
  referralTokenAccount: 'writable?',
} as const;
/** Used by pools whose fee depends on the other instructions of the transaction. */
export const trailing = { instructionsSysvar: fixed('readonly?', SYSVAR_INSTRUCTIONS) } as const;

export const dbcLayouts = [
  anchorLayout('dbc.createConfig', {
    program,
    accounts: {
      config: 'writableSigner',
      feeClaimer: 'readonly',
      leftoverReceiver: 'readonly',
      quoteMint: 'readonly',
      payer: 'writableSigner',
      systemProgram,
    },
    args: configParameters,
  }),
  anchorLayout('dbc.initializeVirtualPoolWithSplToken', {
    program,
    accounts: {
      config: 'readonly',
      poolAuthority,
      creator: 'signer',
      baseMint: 'writableSigner',
      quoteMint: 'readonly',
      pool,
      ...vaults,
      mintMetadata: derived('writable', METADATA_PROGRAM, [text('metadata'), 'metadataProgram', 'baseMint']),
      metadataProgram: fixed('readonly', METADATA_PROGRAM),
      payer: 'writableSigner',
      tokenQuoteProgram: anyTokenProgram,
      tokenProgram: fixed('readonly', TOKEN_PROGRAM),
      systemProgram,
    },
    args: { name: text32, symbol: text32, uri: text32 },
  }),
  anchorLayout('dbc.initializeVirtualPoolWithToken2022', {
    program,
    accounts: {
      config: 'readonly',
      poolAuthority,
      creator: 'signer',
      baseMint: 'writableSigner',
      quoteMint: 'readonly',
      pool,
      ...vaults,
      payer: 'writableSigner',
      tokenQuoteProgram: anyTokenProgram,
      tokenProgram: fixed('readonly', TOKEN_2022_PROGRAM),
      systemProgram,
    },
    args: { name: text32, symbol: text32, uri: text32 },
  }),
  anchorLayout('dbc.swap', {
    program,
    accounts: trade,
    trailing,
    args: { amountIn: u64, minimumAmountOut: u64 },
  }),
  anchorLayout('dbc.swap2', {
    program,
    accounts: trade,
    trailing,
    args: { amount0: u64, amount1: u64, swapMode: oneOf(SWAP_MODES) },
  }),
  anchorLayout('dbc.claimTradingFee', {
    program,
    accounts: {
      poolAuthority,
      config: 'readonly',
      pool,
      tokenAAccount: 'writable',
      tokenBAccount: 'writable',
      ...vaults,
      ...mints,
      feeClaimer: 'signer',
      ...tokenPrograms,
    },
    args: { maxAmountA: u64, maxAmountB: u64 },
  }),
  anchorLayout('dbc.claimCreatorTradingFee', {
    program,
    accounts: {
      poolAuthority,
      pool: 'writable',
      tokenAAccount: 'writable',
      tokenBAccount: 'writable',
      ...vaults,
      ...mints,
      creator: 'signer',
      ...tokenPrograms,
    },
    args: { maxBaseAmount: u64, maxQuoteAmount: u64 },
  }),
];

/** Unsupported instructions: administration, migration, withdrawals, transfers of rights, and transfer hook variants. */
export const dbcNamed = anchorNames(
  'claim_creator_trading_fee2',
  'claim_partner_pool_creation_fee',
  'claim_protocol_fee2',
  'claim_protocol_pool_creation_fee',
  'claim_trading_fee2',
  'close_claim_protocol_fee_operator',
  'close_operator_account',
  'close_token_badge',
  'create_config_with_transfer_hook',
  'create_locker',
  'create_operator_account',
  'create_partner_metadata',
  'create_token_badge',
  'create_virtual_pool_metadata',
  'creator_withdraw_surplus',
  'initialize_virtual_pool_with_token2022_transfer_hook',
  'migrate_meteora_damm',
  'migrate_meteora_damm_claim_lp_token',
  'migrate_meteora_damm_lock_lp_token',
  'migration_damm_v2',
  'migration_damm_v2_create_metadata',
  'migration_meteora_damm_create_metadata',
  'partner_withdraw_surplus',
  'swap2_with_transfer_hook',
  'transfer_pool_creator',
  'withdraw_leftover',
  'withdraw_migration_fee',
  // Only in version 0.1.5 of the interface.
  'claim_protocol_fee',
  'close_claim_fee_operator',
  'create_claim_fee_operator',
  'protocol_withdraw_surplus',
);
