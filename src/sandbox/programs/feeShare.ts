/** Instructions of the fee share program (version 2) and the addresses they use. The quote is wrapped SOL. */

import type { EncodedInstruction } from '../../programs/instructions.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import {
  DAMM_V2_POOL_AUTHORITY,
  DAMM_V2_PROGRAM,
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  derivedAddress,
  eventAuthority,
  FEE_SHARE_PLATFORM_VAULT,
  FEE_SHARE_PROGRAM,
  FEE_SHARE_PROGRAM_CONFIG,
} from './addresses.ts';
import { poolAddress, poolVault, positionAddress, positionNftAccount } from './dammV2.ts';
import { curvePoolAddress, curveVault } from './dbc.ts';
import { Bytes, eventInstruction, type Named } from './writing.ts';

/** Who earns which part, in basis points. */
export interface Claimer {
  readonly address: Address;
  readonly bps: number;
}

export const feeShareConfig = (baseMint: Address, quoteMint: Address = WSOL_MINT): Address =>
  derivedAddress(FEE_SHARE_PROGRAM, ['fee_share_config'], baseMint, quoteMint);
/** Holds what was earned and not yet claimed; earns at the venues. */
export const feeShareAuthority = (baseMint: Address, quoteMint: Address = WSOL_MINT): Address =>
  derivedAddress(FEE_SHARE_PROGRAM, ['fee_share_authority'], baseMint, quoteMint);
export const partnerConfig = (partner: Address): Address =>
  derivedAddress(FEE_SHARE_PROGRAM, ['partner_config'], partner);
/** Where a claimer's part lies when it was paid out for it. */
export const userFeeVault = (user: Address, baseMint: Address, quoteMint: Address = WSOL_MINT): Address =>
  derivedAddress(FEE_SHARE_PROGRAM, ['user_fee_vault'], user, baseMint, quoteMint);

const quoteOf = (owner: Address): Address => associatedTokenAddress(owner, WSOL_MINT, TOKEN_PROGRAM);
const partnerPair = (partner: Address | undefined): Address | undefined =>
  partner === undefined ? undefined : partnerConfig(partner);
const remaining = (claimers: readonly Claimer[]): Named[] => claimers.map(({ address }) => [address, 'r']);
const shares = (claimers: readonly Claimer[]): number[] => claimers.map(({ bps }) => bps);

/** Who pays, and the service's key that allows it. */
export interface Allowed {
  readonly payer: Address;
  readonly admin: Address;
}

/** Makes a config with its first claimers; `last` when there are no more to come. */
export function createFeeConfig(
  { payer, admin }: Allowed,
  baseMint: Address,
  claimers: readonly Claimer[],
  { last, partner }: { readonly last: boolean; readonly partner?: Address },
): EncodedInstruction {
  const authority = feeShareAuthority(baseMint);
  return eventInstruction(
    FEE_SHARE_PROGRAM,
    new Bytes('d6ac694008e4d1cc').list16(shares(claimers)).bool(last).done(),
    [
      [payer, 'ws'],
      [admin, 'ws'],
      [FEE_SHARE_PROGRAM_CONFIG, 'r'],
      [feeShareConfig(baseMint), 'w'],
      [authority, 'w'],
      [quoteOf(authority), 'w'],
      [partnerPair(partner), 'r'],
      [partner, 'r'],
      [baseMint, 'r'],
      [WSOL_MINT, 'r'],
      [SYSTEM_PROGRAM, 'r'],
      [TOKEN_PROGRAM, 'r'],
      [ASSOCIATED_TOKEN_PROGRAM, 'r'],
    ],
    remaining(claimers),
  );
}

/** Adds claimers to a config that is not finished. */
export const extendFeeConfig = (
  { payer, admin }: Allowed,
  baseMint: Address,
  claimers: readonly Claimer[],
  { last, partner }: { readonly last: boolean; readonly partner?: Address },
): EncodedInstruction =>
  eventInstruction(
    FEE_SHARE_PROGRAM,
    new Bytes('cdac71fee13b524f').list16(shares(claimers)).bool(last).done(),
    [
      [payer, 'ws'],
      [admin, 'ws'],
      [FEE_SHARE_PROGRAM_CONFIG, 'r'],
      [feeShareConfig(baseMint), 'w'],
      [feeShareAuthority(baseMint), 'w'],
      [partner, 'r'],
      [partnerPair(partner), 'r'],
      [baseMint, 'r'],
      [WSOL_MINT, 'r'],
      [SYSTEM_PROGRAM, 'r'],
    ],
    remaining(claimers),
  );

/** Lets the service say who may change a config from now on. */
export const updateFeeConfigManager = ({ payer, admin }: Allowed, baseMint: Address, manager: Address) =>
  eventInstruction(FEE_SHARE_PROGRAM, new Bytes('c408a8c7a6044dd4').done(), [
    [payer, 'ws'],
    [admin, 'ws'],
    [FEE_SHARE_PROGRAM_CONFIG, 'r'],
    [feeShareConfig(baseMint), 'w'],
    [feeShareAuthority(baseMint), 'r'],
    [manager, 'r'],
    [baseMint, 'r'],
    [WSOL_MINT, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);

/** Puts other claimers in the places `from` up to `to`; `last` when the shares are complete again. */
export const managerUpdateFeeConfig = (
  { payer, manager }: { readonly payer: Address; readonly manager: Address },
  baseMint: Address,
  claimers: readonly Claimer[],
  { from, to, last }: { readonly from: number; readonly to: number; readonly last: boolean },
): EncodedInstruction =>
  eventInstruction(
    FEE_SHARE_PROGRAM,
    new Bytes('54387d65d2d6c3c5').list16(shares(claimers)).bool(last).u8(from, to).done(),
    [
      [payer, 'ws'],
      [manager, 'ws'],
      [feeShareConfig(baseMint), 'w'],
      [feeShareAuthority(baseMint), 'w'],
      [baseMint, 'r'],
      [WSOL_MINT, 'r'],
      [SYSTEM_PROGRAM, 'r'],
    ],
    remaining(claimers),
  );

const managed = (payer: Address, manager: Address, baseMint: Address, before: Named[]): Named[] => [
  [payer, 'ws'],
  [manager, 'ws'],
  ...before,
  [feeShareConfig(baseMint), 'w'],
  [feeShareAuthority(baseMint), 'r'],
  [baseMint, 'r'],
  [WSOL_MINT, 'r'],
  [SYSTEM_PROGRAM, 'r'],
];

/** Hands the right to change a config to somebody else. */
export const managerTransferFeeConfig = (
  payer: Address,
  manager: Address,
  newManager: Address,
  baseMint: Address,
) =>
  eventInstruction(
    FEE_SHARE_PROGRAM,
    new Bytes('8d4a11ae7c0baae3').done(),
    managed(payer, manager, baseMint, [[newManager, 'r']]),
  );

/** Gives the right to change a config up for good. */
export const managerWaiveFeeConfig = (payer: Address, manager: Address, baseMint: Address) =>
  eventInstruction(
    FEE_SHARE_PROGRAM,
    new Bytes('69338c72fea0adac').done(),
    managed(payer, manager, baseMint, []),
  );

/** Pays a claimer its part of what was collected, as wrapped SOL. */
export function claimUser(payer: Address, user: Address, baseMint: Address, index: number) {
  const authority = feeShareAuthority(baseMint);
  return eventInstruction(FEE_SHARE_PROGRAM, new Bytes('a44037c75a4e93bc').u32(index).done(), [
    [payer, 'ws'],
    [user, 'ws'],
    [feeShareConfig(baseMint), 'r'],
    [authority, 'w'],
    [quoteOf(authority), 'w'],
    [quoteOf(user), 'w'],
    [baseMint, 'r'],
    [WSOL_MINT, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Moves a claimer's part into a vault of its own, so that it can be claimed as SOL. The service's key allows it. */
export function claimUserToVault(
  payer: Address,
  admin: Address,
  user: Address,
  baseMint: Address,
  index: number,
) {
  const authority = feeShareAuthority(baseMint);
  const vault = userFeeVault(user, baseMint);
  return eventInstruction(FEE_SHARE_PROGRAM, new Bytes('09151b15d1960c8e').u32(index).done(), [
    [payer, 'ws'],
    [admin, 's'],
    [FEE_SHARE_PROGRAM_CONFIG, 'r'],
    [user, 'r'],
    [feeShareConfig(baseMint), 'r'],
    [authority, 'w'],
    [quoteOf(authority), 'w'],
    [vault, 'w'],
    [quoteOf(vault), 'w'],
    [baseMint, 'r'],
    [WSOL_MINT, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Pays a claimer what lies in its vault, as SOL. */
export function claimUserVault(user: Address, baseMint: Address) {
  const vault = userFeeVault(user, baseMint);
  return eventInstruction(FEE_SHARE_PROGRAM, new Bytes('d8b41dbc0c052b08').done(), [
    [user, 'ws'],
    [vault, 'r'],
    [quoteOf(vault), 'w'],
    [baseMint, 'r'],
    [WSOL_MINT, 'r'],
    [TOKEN_PROGRAM, 'r'],
  ]);
}

/** Collects what the bonding curve owes the fee share, and divides it. */
export function claimDbc(payer: Address, baseMint: Address, venueConfig: Address, partner?: Address) {
  const authority = feeShareAuthority(baseMint);
  const partnerAt = partnerPair(partner);
  const pool = curvePoolAddress({ config: venueConfig, baseMint, quoteMint: WSOL_MINT });
  return eventInstruction(FEE_SHARE_PROGRAM, new Bytes('e58e2641c6326e3a').done(), [
    [payer, 'ws'],
    [feeShareConfig(baseMint), 'r'],
    [authority, 'w'],
    [quoteOf(authority), 'w'],
    [associatedTokenAddress(authority, baseMint, TOKEN_PROGRAM), 'w'],
    [partnerAt, 'w'],
    [partner, 'r'],
    [partnerAt && quoteOf(partnerAt), 'w'],
    [FEE_SHARE_PROGRAM_CONFIG, 'w'],
    [FEE_SHARE_PLATFORM_VAULT, 'w'],
    [baseMint, 'r'],
    [WSOL_MINT, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
    [DBC_PROGRAM, 'r'],
    [DBC_POOL_AUTHORITY, 'r'],
    [venueConfig, 'r'],
    [pool, 'w'],
    [curveVault(baseMint, pool), 'w'],
    [curveVault(WSOL_MINT, pool), 'w'],
    [eventAuthority(DBC_PROGRAM), 'r'],
    [TOKEN_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}

/** Collects what a DAMM v2 position of the fee share earned, and divides it. */
export function claimDammV2(payer: Address, baseMint: Address, nftMint: Address, partner?: Address) {
  const authority = feeShareAuthority(baseMint);
  const partnerAt = partnerPair(partner);
  const pool = poolAddress(baseMint, WSOL_MINT);
  return eventInstruction(FEE_SHARE_PROGRAM, new Bytes('e8af6a13a836ba6c').done(), [
    [payer, 'ws'],
    [feeShareConfig(baseMint), 'r'],
    [authority, 'w'],
    [quoteOf(authority), 'w'],
    [associatedTokenAddress(authority, baseMint, TOKEN_PROGRAM), 'w'],
    [FEE_SHARE_PROGRAM_CONFIG, 'w'],
    [FEE_SHARE_PLATFORM_VAULT, 'w'],
    [partnerAt, 'w'],
    [partner, 'r'],
    [partnerAt && quoteOf(partnerAt), 'w'],
    [baseMint, 'r'],
    [WSOL_MINT, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
    [DAMM_V2_PROGRAM, 'r'],
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    [pool, 'r'],
    [positionAddress(nftMint), 'w'],
    [poolVault(baseMint, pool), 'w'],
    [poolVault(WSOL_MINT, pool), 'w'],
    [positionNftAccount(nftMint), 'r'],
    [eventAuthority(DAMM_V2_PROGRAM), 'r'],
    [TOKEN_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}

/** Makes a partner's config: its part of every launch that names it. */
export function createPartnerConfig({ payer, admin }: Allowed, partner: Address, bps: number) {
  const config = partnerConfig(partner);
  return eventInstruction(FEE_SHARE_PROGRAM, new Bytes('d000f5a1dc808a99').u16(bps).done(), [
    [payer, 'ws'],
    [admin, 'ws'],
    [FEE_SHARE_PROGRAM_CONFIG, 'r'],
    [config, 'w'],
    [quoteOf(config), 'w'],
    [partner, 'r'],
    [WSOL_MINT, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Pays a partner everything it has earned. */
export function claimPartner(payer: Address, partner: Address) {
  const config = partnerConfig(partner);
  return eventInstruction(FEE_SHARE_PROGRAM, new Bytes('b54e94dd64361572').done(), [
    [payer, 'ws'],
    [partner, 'ws'],
    [config, 'w'],
    [quoteOf(partner), 'w'],
    [quoteOf(config), 'w'],
    [WSOL_MINT, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Makes the program's own account, once. `admin` may make configs afterwards. */
export const initProgramConfig = (payer: Address, admin: Address) =>
  eventInstruction(FEE_SHARE_PROGRAM, new Bytes('b936ede5dbb36d14').done(), [
    [payer, 'ws'],
    [admin, 's'],
    [FEE_SHARE_PROGRAM_CONFIG, 'w'],
    [FEE_SHARE_PLATFORM_VAULT, 'w'],
    [WSOL_MINT, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
