/**
 * Instruction layouts of Meteora DAMM v2: pools, positions owned by an NFT, permanent liquidity locks, swaps and fee claims.
 * From the public interface, version 0.2.5.
 */
import { bool, bytes, oneOf, option, struct, u8, u16, u64, u128 } from '../../transaction/codecs.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import { anchorLayout, anchorNames } from '../anchor.ts';
import { dynamicFee, SWAP_MODES, trailing } from '../dbc/instructions.ts';
import { larger, smaller, text } from '../derived.ts';
import type { ArgsOf, Named } from '../layout.ts';
import { derived, fixed, oneAmong } from '../roles.ts';
import { DAMM_V2_POOL_AUTHORITY, DAMM_V2_PROGRAM, tokenBadgeAddress } from './addresses.ts';

const program = DAMM_V2_PROGRAM;

const poolAuthority = fixed('readonly', DAMM_V2_POOL_AUTHORITY);
const systemProgram = fixed('readonly', SYSTEM_PROGRAM);
const token2022Program = fixed('readonly', TOKEN_2022_PROGRAM);
const anyTokenProgram = oneAmong('readonly', TOKEN_PROGRAMS);
const tokenPrograms = { tokenAProgram: anyTokenProgram, tokenBProgram: anyTokenProgram };
const mints = { tokenAMint: 'readonly', tokenBMint: 'readonly' } as const;
const mintPair = [larger('tokenAMint', 'tokenBMint'), smaller('tokenAMint', 'tokenBMint')];
const vaults = {
  tokenAVault: derived('writable', program, [text('token_vault'), 'tokenAMint', 'pool']),
  tokenBVault: derived('writable', program, [text('token_vault'), 'tokenBMint', 'pool']),
};
/** Accounts of a new position's NFT. */
const positionNft = {
  positionNftMint: 'writableSigner',
  positionNftAccount: derived('writable', program, [text('position_nft_account'), 'positionNftMint']),
} as const;
const newPosition = derived('writable', program, [text('position'), 'positionNftMint']);

const poolParameters = {
  poolFees: struct({
    /** 27 bytes, interpreted by fee mode. */
    baseFee: struct({ data: bytes(27) }),
    compoundingFeeBps: u16,
    padding: u8,
    dynamicFee: option(dynamicFee),
  }),
  sqrtMinPrice: u128,
  sqrtMaxPrice: u128,
  hasAlphaVault: bool,
  liquidity: u128,
  sqrtPrice: u128,
  activationType: u8,
  collectFeeMode: u8,
  activationPoint: option(u64),
} as const;

/** Decoded arguments of a new pool. */
export type PoolParameters = ArgsOf<typeof poolParameters>;

const afterPool = {
  position: newPosition,
  ...mints,
  ...vaults,
  payerTokenA: 'writable',
  payerTokenB: 'writable',
  ...tokenPrograms,
  token2022Program,
  systemProgram,
} as const;

const trade = {
  poolAuthority,
  pool: 'writable',
  inputTokenAccount: 'writable',
  outputTokenAccount: 'writable',
  ...vaults,
  ...mints,
  payer: 'signer',
  ...tokenPrograms,
  referralTokenAccount: 'writable?',
} as const;
/** Returns a misfit unless the remaining accounts are empty or the token badges of both mints. */
function badgeMisfit({ rest, accounts: { tokenAMint, tokenBMint } }: Named): string | undefined {
  const badges = [tokenAMint, tokenBMint].map((mint) => tokenBadgeAddress(mint?.address ?? ''));
  const isBadges = rest.length === badges.length && rest.every(({ address }, i) => address === badges[i]);
  return rest.length === 0 || isBadges ? undefined : 'accounts after the named ones are not the token badges';
}

export const dammV2Layouts = [
  anchorLayout('dammV2.initializeCustomizablePool', {
    program,
    accounts: {
      creator: 'readonly',
      ...positionNft,
      payer: 'writableSigner',
      poolAuthority,
      pool: derived('writable', program, [text('cpool'), ...mintPair]),
      ...afterPool,
    },
    args: poolParameters,
    rest: 'readonly',
    misfit: badgeMisfit,
  }),
  anchorLayout('dammV2.initializePoolWithDynamicConfig', {
    program,
    accounts: {
      creator: 'readonly',
      ...positionNft,
      payer: 'writableSigner',
      poolCreatorAuthority: 'signer',
      config: 'readonly',
      poolAuthority,
      pool: derived('writable', program, [text('pool'), 'config', ...mintPair]),
      ...afterPool,
    },
    args: poolParameters,
    rest: 'readonly',
    misfit: badgeMisfit,
  }),
  anchorLayout('dammV2.createPosition', {
    program,
    accounts: {
      owner: 'readonly',
      ...positionNft,
      pool: 'writable',
      position: newPosition,
      poolAuthority,
      payer: 'writableSigner',
      tokenProgram: token2022Program,
      systemProgram,
    },
  }),
  anchorLayout('dammV2.addLiquidity', {
    program,
    accounts: {
      pool: 'writable',
      position: 'writable',
      tokenAAccount: 'writable',
      tokenBAccount: 'writable',
      ...vaults,
      ...mints,
      positionNftAccount: 'readonly',
      signer: 'signer',
      ...tokenPrograms,
    },
    args: { liquidityDelta: u128, tokenAAmountThreshold: u64, tokenBAmountThreshold: u64 },
  }),
  anchorLayout('dammV2.permanentLockPosition', {
    program,
    accounts: { pool: 'writable', position: 'writable', positionNftAccount: 'readonly', signer: 'signer' },
    args: { permanentLockLiquidity: u128 },
  }),
  anchorLayout('dammV2.swap', {
    program,
    accounts: trade,
    trailing,
    args: { amountIn: u64, minimumAmountOut: u64 },
  }),
  anchorLayout('dammV2.swap2', {
    program,
    accounts: trade,
    trailing,
    args: { amount0: u64, amount1: u64, swapMode: oneOf(SWAP_MODES) },
  }),
  anchorLayout('dammV2.claimPositionFee', {
    program,
    accounts: {
      poolAuthority,
      pool: 'readonly',
      position: 'writable',
      tokenAAccount: 'writable',
      tokenBAccount: 'writable',
      ...vaults,
      ...mints,
      positionNftAccount: 'readonly',
      signer: 'signer',
      ...tokenPrograms,
    },
  }),
];

/** Unsupported instructions: administration, rewards, withdrawals of liquidity, and transfers of position rights. */
export const dammV2Named = anchorNames(
  'claim_protocol_fee2',
  'claim_reward',
  'close_config',
  'close_operator_account',
  'close_position',
  'close_token_badge',
  'create_config',
  'create_dynamic_config',
  'create_operator_account',
  'create_token_badge',
  'dummy_ix',
  'fix_config_fee_params',
  'fix_pool_fee_params',
  'fix_pool_layout_version',
  'fund_reward',
  'initialize_pool',
  'initialize_reward',
  'lock_inner_position',
  'lock_position',
  'refresh_vesting',
  'remove_all_liquidity',
  'remove_liquidity',
  'set_pool_status',
  'split_position',
  'split_position2',
  'update_delegate_permission',
  'update_pool_fees',
  'update_reward_duration',
  'update_reward_funder',
  'withdraw_dead_liquidity_reward',
  'withdraw_ineligible_reward',
  // Only in version 0.1.0 of the interface.
  'claim_partner_fee',
  'claim_protocol_fee',
  'close_claim_fee_operator',
  'create_claim_fee_operator',
);
