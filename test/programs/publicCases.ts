/** Supported instructions with an encoder in a public package, and addresses the packages derive in code. */
import {
  deriveCustomizablePoolAddress,
  derivePoolAddress,
  deriveTokenVaultAddress,
} from '@meteora-ag/cp-amm-sdk';
import {
  deriveDbcPoolAddress,
  deriveDbcTokenVaultAddress,
  deriveMintMetadata,
} from '@meteora-ag/dynamic-bonding-curve-sdk';
import {
  type arbitraryInstruction,
  DAMM_V2,
  DBC,
  type Derived,
  FEE_SHARE,
  type Idl,
} from './publicInterfaces.ts';

const dbcVaults: Derived = (of) => ({
  base_vault: deriveDbcTokenVaultAddress(of('pool'), of('base_mint')),
  quote_vault: deriveDbcTokenVaultAddress(of('pool'), of('quote_mint')),
});
const dbcPool: Derived = (of) => {
  const pool = deriveDbcPoolAddress(of('quote_mint'), of('base_mint'), of('config'));
  const from = (role: string) => (role === 'pool' ? pool : of(role));
  return { pool, ...dbcVaults(from) };
};
const dammVaults: Derived = (of) => ({
  token_a_vault: deriveTokenVaultAddress(of('token_a_mint'), of('pool')),
  token_b_vault: deriveTokenVaultAddress(of('token_b_mint'), of('pool')),
});
const shares = (args: Readonly<Record<string, unknown>>): number =>
  Array.isArray(args.bps) ? args.bps.length : 0;

export type Case = [
  kind: string,
  idl: Idl,
  name: string,
  options?: Parameters<typeof arbitraryInstruction>[2],
];
export const CASES: readonly Case[] = [
  ['feeShare.createFeeConfig', FEE_SHARE, 'create_fee_config', { following: shares }],
  ['feeShare.extendCreatedFeeConfig', FEE_SHARE, 'extend_created_fee_config', { following: shares }],
  ['feeShare.updateFeeConfigManager', FEE_SHARE, 'update_fee_config_manager'],
  ['feeShare.managerUpdateFeeConfig', FEE_SHARE, 'manager_update_fee_config', { following: shares }],
  ['feeShare.claimUser', FEE_SHARE, 'claim_user'],
  ['feeShare.claimUserVault', FEE_SHARE, 'claim_user_vault'],
  ['feeShare.claimDbc', FEE_SHARE, 'claim_dbc', { derive: dbcPool }],
  [
    'feeShare.claimDammV2',
    FEE_SHARE,
    'claim_damm_v2',
    {
      derive: (of) => ({
        base_vault: deriveTokenVaultAddress(of('base_mint'), of('pool')),
        quote_vault: deriveTokenVaultAddress(of('quote_mint'), of('pool')),
      }),
    },
  ],
  ['feeShare.claimPartner', FEE_SHARE, 'claim_partner'],
  ['feeShare.createPartnerConfig', FEE_SHARE, 'create_partner_config'],
  ['dbc.createConfig', DBC, 'create_config'],
  [
    'dbc.initializeVirtualPoolWithSplToken',
    DBC,
    'initialize_virtual_pool_with_spl_token',
    { derive: (of) => ({ ...dbcPool(of), mint_metadata: deriveMintMetadata(of('base_mint')) }) },
  ],
  [
    'dbc.initializeVirtualPoolWithToken2022',
    DBC,
    'initialize_virtual_pool_with_token2022',
    { derive: dbcPool },
  ],
  ['dbc.swap', DBC, 'swap', { derive: dbcPool }],
  ['dbc.swap2', DBC, 'swap2', { derive: dbcPool }],
  ['dbc.claimTradingFee', DBC, 'claim_trading_fee', { derive: dbcPool }],
  ['dbc.claimCreatorTradingFee', DBC, 'claim_creator_trading_fee', { derive: dbcVaults }],
  [
    'dammV2.initializeCustomizablePool',
    DAMM_V2,
    'initialize_customizable_pool',
    { derive: (of) => ({ pool: deriveCustomizablePoolAddress(of('token_a_mint'), of('token_b_mint')) }) },
  ],
  [
    'dammV2.initializePoolWithDynamicConfig',
    DAMM_V2,
    'initialize_pool_with_dynamic_config',
    {
      derive: (of) => ({
        pool: derivePoolAddress(of('config'), of('token_a_mint'), of('token_b_mint')),
      }),
    },
  ],
  ['dammV2.createPosition', DAMM_V2, 'create_position'],
  ['dammV2.addLiquidity', DAMM_V2, 'add_liquidity', { derive: dammVaults }],
  ['dammV2.permanentLockPosition', DAMM_V2, 'permanent_lock_position'],
  ['dammV2.swap', DAMM_V2, 'swap', { derive: dammVaults }],
  ['dammV2.swap2', DAMM_V2, 'swap2', { derive: dammVaults }],
  ['dammV2.claimPositionFee', DAMM_V2, 'claim_position_fee', { derive: dammVaults }],
];
