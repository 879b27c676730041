/**
 * Instruction layouts of Bags fee share v2: configs with their claimers, changes of configs, and claims. From the public
 * interface, version 2.4.0.
 */
import { bool, list32, u8, u16, u32 } from '../../transaction/codecs.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../transaction/programs.ts';
import { anchorLayout, anchorNames } from '../anchor.ts';
import { DAMM_V2_POOL_AUTHORITY, DAMM_V2_PROGRAM } from '../dammV2/addresses.ts';
import { DBC_POOL_AUTHORITY, DBC_PROGRAM } from '../dbc/addresses.ts';
import { larger, smaller, text } from '../derived.ts';
import type { Named } from '../layout.ts';
import { associated, derived, fixed, type RoleFlags } from '../roles.ts';
import { FEE_SHARE_PROGRAM, PLATFORM_VAULT, PROGRAM_CONFIG } from './addresses.ts';

const program = FEE_SHARE_PROGRAM;

const CLAIMERS =
  'which wallet earns which share: the accounts after the named ones, in the order of the shares';
const MANAGER = 'who may change the shares later: the account the instruction names as the new manager';

/** Roles shared by several instructions, in varying order. */
const config = <const F extends RoleFlags>(flags: F) =>
  derived(flags, program, [text('fee_share_config'), 'baseMint', 'quoteMint']);
const authority = <const F extends RoleFlags>(flags: F) =>
  derived(flags, program, [text('fee_share_authority'), 'baseMint', 'quoteMint']);
const authorityQuoteAccount = associated('writable', 'feeShareAuthority', 'tokenProgram', 'quoteMint');
const authorityBaseAccount = associated('writable', 'feeShareAuthority', 'tokenProgram', 'baseMint');
const partnerConfig = <const F extends RoleFlags>(flags: F) =>
  derived(flags, program, [text('partner_config'), 'partner']);
const partnerConfigQuoteAccount = <const F extends RoleFlags>(flags: F) =>
  associated(flags, 'partnerConfig', 'tokenProgram', 'quoteMint');
const programConfig = <const F extends RoleFlags>(flags: F) => fixed(flags, PROGRAM_CONFIG);
const quoteMint = fixed('readonly', WSOL_MINT);
const systemProgram = fixed('readonly', SYSTEM_PROGRAM);
const tokenProgram = fixed('readonly', TOKEN_PROGRAM);
const associatedTokenProgram = fixed('readonly', ASSOCIATED_TOKEN_PROGRAM);

const dbcPoolSeeds = [
  text('pool'),
  'config',
  larger('baseMint', 'quoteMint'),
  smaller('baseMint', 'quoteMint'),
];

const payerAndAdmin = { payer: 'writableSigner', admin: 'writableSigner' } as const;

/** Returns a misfit if the number of claimers differs from the number of shares, which are paired by position. */
function onePerShare({ rest, args }: Named): string | undefined {
  const shares = Array.isArray(args.bps) ? args.bps.length : 0;
  return rest.length === shares ? undefined : `${rest.length} claimers and ${shares} shares`;
}

export const feeShareLayouts = [
  anchorLayout('feeShare.createFeeConfig', {
    program,
    accounts: {
      ...payerAndAdmin,
      programConfig: programConfig('readonly'),
      feeShareConfig: config('writable'),
      feeShareAuthority: authority('writable'),
      feeShareAuthorityQuoteAta: authorityQuoteAccount,
      partnerConfig: partnerConfig('readonly?'),
      partner: 'readonly?',
      baseMint: 'readonly',
      quoteMint,
      systemProgram,
      tokenProgram,
      associatedTokenProgram,
    },
    args: { bps: list32(u16), finalizeInit: bool },
    rest: 'readonly',
    inferred: [CLAIMERS],
    misfit: onePerShare,
  }),
  anchorLayout('feeShare.extendCreatedFeeConfig', {
    program,
    accounts: {
      ...payerAndAdmin,
      programConfig: programConfig('readonly'),
      feeShareConfig: config('writable'),
      feeShareAuthority: authority('writable'),
      partner: 'readonly?',
      partnerConfig: partnerConfig('readonly?'),
      baseMint: 'readonly',
      quoteMint,
      systemProgram,
    },
    args: { bps: list32(u16), finalizeInit: bool },
    rest: 'readonly',
    inferred: [CLAIMERS],
    misfit: onePerShare,
  }),
  anchorLayout('feeShare.updateFeeConfigManager', {
    program,
    accounts: {
      ...payerAndAdmin,
      programConfig: programConfig('readonly'),
      feeShareConfig: config('writable'),
      feeShareAuthority: authority('readonly'),
      newManager: 'readonly',
      baseMint: 'readonly',
      quoteMint,
      systemProgram,
    },
    inferred: [MANAGER],
  }),
  anchorLayout('feeShare.managerUpdateFeeConfig', {
    program,
    accounts: {
      payer: 'writableSigner',
      manager: 'writableSigner',
      feeShareConfig: config('writable'),
      feeShareAuthority: authority('writable'),
      baseMint: 'readonly',
      quoteMint,
      systemProgram,
    },
    args: { bps: list32(u16), finalizeUpdate: bool, fromIdx: u8, toIdx: u8 },
    rest: 'readonly',
    inferred: [
      CLAIMERS,
      'which claimers are replaced: fromIdx and toIdx are 0-based indexes into the list of claimers; those from fromIdx up to, not including, toIdx are replaced',
    ],
    misfit: onePerShare,
  }),
  anchorLayout('feeShare.claimUser', {
    program,
    accounts: {
      payer: 'writableSigner',
      user: 'writableSigner',
      feeShareConfig: config('readonly'),
      feeShareAuthority: authority('writable'),
      feeShareAuthorityQuoteAta: authorityQuoteAccount,
      userQuoteAta: associated('writable', 'user', 'tokenProgram', 'quoteMint'),
      baseMint: 'readonly',
      quoteMint,
      systemProgram,
      tokenProgram,
      associatedTokenProgram,
    },
    args: { claimerIndex: u32 },
  }),
  anchorLayout('feeShare.claimUserVault', {
    program,
    accounts: {
      user: 'writableSigner',
      userFeeVault: derived('readonly', program, [text('user_fee_vault'), 'user', 'baseMint', 'quoteMint']),
      userVaultQuoteAta: associated('writable', 'userFeeVault', 'tokenProgram', 'quoteMint'),
      baseMint: 'readonly',
      quoteMint,
      tokenProgram,
    },
  }),
  anchorLayout('feeShare.claimDbc', {
    program,
    accounts: {
      payer: 'writableSigner',
      feeShareConfig: config('readonly'),
      feeShareAuthority: authority('writable'),
      feeShareAuthorityQuoteAta: authorityQuoteAccount,
      feeShareAuthorityBaseAta: authorityBaseAccount,
      partnerConfig: partnerConfig('writable?'),
      partner: 'readonly?',
      partnerConfigQuoteAta: partnerConfigQuoteAccount('writable?'),
      programConfig: programConfig('writable'),
      platformVault: fixed('writable', PLATFORM_VAULT),
      baseMint: 'readonly',
      quoteMint,
      tokenProgram,
      associatedTokenProgram,
      dbcProgram: fixed('readonly', DBC_PROGRAM),
      poolAuthority: fixed('readonly', DBC_POOL_AUTHORITY),
      config: 'readonly',
      pool: derived('writable', DBC_PROGRAM, dbcPoolSeeds),
      baseVault: derived('writable', DBC_PROGRAM, [text('token_vault'), 'baseMint', 'pool']),
      quoteVault: derived('writable', DBC_PROGRAM, [text('token_vault'), 'quoteMint', 'pool']),
      dbcEventAuthority: derived('readonly', DBC_PROGRAM, [text('__event_authority')]),
      tokenBaseProgram: tokenProgram,
      tokenQuoteProgram: tokenProgram,
      systemProgram,
    },
  }),
  anchorLayout('feeShare.claimDammV2', {
    program,
    accounts: {
      payer: 'writableSigner',
      feeShareConfig: config('readonly'),
      feeShareAuthority: authority('writable'),
      feeShareAuthorityQuoteAta: authorityQuoteAccount,
      feeShareAuthorityBaseAta: authorityBaseAccount,
      programConfig: programConfig('writable'),
      platformVault: fixed('writable', PLATFORM_VAULT),
      partnerConfig: partnerConfig('writable?'),
      partner: 'readonly?',
      partnerConfigQuoteAta: partnerConfigQuoteAccount('writable?'),
      baseMint: 'readonly',
      quoteMint,
      tokenProgram,
      associatedTokenProgram,
      dammProgram: fixed('readonly', DAMM_V2_PROGRAM),
      poolAuthority: fixed('readonly', DAMM_V2_POOL_AUTHORITY),
      pool: 'readonly',
      position: 'writable',
      baseVault: derived('writable', DAMM_V2_PROGRAM, [text('token_vault'), 'baseMint', 'pool']),
      quoteVault: derived('writable', DAMM_V2_PROGRAM, [text('token_vault'), 'quoteMint', 'pool']),
      positionNftAccount: 'readonly',
      dammEventAuthority: derived('readonly', DAMM_V2_PROGRAM, [text('__event_authority')]),
      tokenBaseProgram: tokenProgram,
      tokenQuoteProgram: tokenProgram,
      systemProgram,
    },
  }),
  anchorLayout('feeShare.claimPartner', {
    program,
    accounts: {
      payer: 'writableSigner',
      partner: 'writableSigner',
      partnerConfig: partnerConfig('writable'),
      partnerQuoteAta: associated('writable', 'partner', 'tokenProgram', 'quoteMint'),
      partnerConfigQuoteAta: partnerConfigQuoteAccount('writable'),
      quoteMint,
      systemProgram,
      tokenProgram,
      associatedTokenProgram,
    },
  }),
  anchorLayout('feeShare.createPartnerConfig', {
    program,
    accounts: {
      ...payerAndAdmin,
      programConfig: programConfig('readonly'),
      partnerConfig: partnerConfig('writable'),
      partnerConfigQuoteAta: partnerConfigQuoteAccount('writable'),
      partner: 'readonly',
      quoteMint,
      systemProgram,
      tokenProgram,
      associatedTokenProgram,
    },
    args: { bps: u16 },
  }),
];

/** Unsupported instructions: administration, forced claims, transfers of the manager role, and placeholders. */
export const feeShareNamed = anchorNames(
  'claim_platform_fees',
  'confirm_admin',
  'dummy_1',
  'dummy_2',
  'force_claim_user',
  'force_claim_user_to_vault',
  'force_sol_claim_user',
  'init_program_config',
  'manager_transfer_fee_config',
  'manager_waive_fee_config',
  'update_fee_config',
  'update_fee_config_partner',
  'update_partner_config',
  'update_partner_fee_collection',
  'update_program_config',
);
