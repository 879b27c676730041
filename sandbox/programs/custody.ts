/**
 * Programs of the sandbox in place of unpublished ones: the custody of the positions of a DAMM v2 launch, and the vaults of
 * partners and deployers. Their encodings are invented; readers of the service's transactions must not rely on them.
 */

import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import {
  CUSTODY_PROGRAM,
  DAMM_V2_POOL_AUTHORITY,
  DAMM_V2_PROGRAM,
  derivedAddress,
  EARNINGS_PROGRAM,
  eventAuthority,
} from './addresses.ts';
import { type PoolTokens, poolAddress, poolVault, positionAddress, positionNftAccount } from './dammV2.ts';
import { Bytes, instruction } from './writing.ts';

export const custodyAddress = (pool: Address): Address =>
  derivedAddress(CUSTODY_PROGRAM, ['position_custody'], pool);
/** Returns the owner of the held positions' NFTs. */
export const custodyAuthority = (pool: Address): Address =>
  derivedAddress(CUSTODY_PROGRAM, ['custody_authority'], pool);

export type EarningsKind = 'partner' | 'deployer';

/** Returns the owner of a wallet's vault for one token. */
export const earningsOwner = (kind: EarningsKind, wallet: Address, mint: Address): Address =>
  derivedAddress(EARNINGS_PROGRAM, [kind], wallet, mint);

/** Returns the account of a wallet's earnings in a token. */
export const earningsVault = (
  kind: EarningsKind,
  wallet: Address,
  quote: { readonly mint: Address; readonly tokenProgram: Address },
): Address => associatedTokenAddress(earningsOwner(kind, wallet, quote.mint), quote.mint, quote.tokenProgram);

/** Recipients of the fees of a pool's positions. */
export interface CustodyTerms {
  readonly treasuryNft: Address;
  readonly claimerNft: Address;
  readonly treasury: Address;
  readonly feeClaimer: Address;
  /** Receives `bps` of the fees of the fee claimer's position. */
  readonly partner?: { readonly wallet: Address; readonly bps: number };
}

/** Opens the custody of a pool, once. */
export const openCustody = (payer: Address, pool: Address, terms: CustodyTerms): EncodedInstruction =>
  instruction(CUSTODY_PROGRAM, new Bytes('c9fb03421e0db0bc').u16(terms.partner?.bps ?? 0).done(), [
    [payer, 'ws'],
    [custodyAddress(pool), 'w'],
    [pool, 'r'],
    [terms.treasuryNft, 'r'],
    [terms.claimerNft, 'r'],
    [terms.treasury, 'r'],
    [terms.feeClaimer, 'r'],
    [terms.partner?.wallet, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);

/** Locks liquidity of a held position permanently. */
export const lockHeldPosition = (pool: Address, nftMint: Address, liquidity: bigint): EncodedInstruction =>
  instruction(CUSTODY_PROGRAM, new Bytes('69cd3f6dcc78199d').u128(liquidity).done(), [
    [custodyAddress(pool), 'r'],
    [custodyAuthority(pool), 'r'],
    [pool, 'w'],
    [positionAddress(nftMint), 'w'],
    [positionNftAccount(nftMint), 'r'],
    [eventAuthority(DAMM_V2_PROGRAM), 'r'],
    [DAMM_V2_PROGRAM, 'r'],
  ]);

/** Collects the fees of a held position into the vaults of its recipients; token B of the pool is the quote. */
export function collectHeldFees(
  payer: Address,
  tokens: PoolTokens,
  terms: CustodyTerms,
  nftMint: Address,
): EncodedInstruction {
  const pool = poolAddress(tokens.mintA, tokens.mintB);
  const authority = custodyAuthority(pool);
  const quote = { mint: tokens.mintB, tokenProgram: tokens.programB };
  const isTreasury = nftMint === terms.treasuryNft;
  const recipient = isTreasury ? terms.treasury : terms.feeClaimer;
  const partner = isTreasury ? undefined : terms.partner?.wallet;
  return instruction(CUSTODY_PROGRAM, new Bytes('866e5a9be99dd553').done(), [
    [payer, 'ws'],
    [custodyAddress(pool), 'r'],
    [authority, 'r'],
    [pool, 'r'],
    [positionAddress(nftMint), 'w'],
    [positionNftAccount(nftMint), 'r'],
    [associatedTokenAddress(authority, tokens.mintA, tokens.programA), 'w'],
    [associatedTokenAddress(authority, tokens.mintB, tokens.programB), 'w'],
    [poolVault(tokens.mintA, pool), 'w'],
    [poolVault(tokens.mintB, pool), 'w'],
    [tokens.mintA, 'r'],
    [tokens.mintB, 'r'],
    [tokens.programA, 'r'],
    [tokens.programB, 'r'],
    [earningsOwner('deployer', recipient, quote.mint), 'r'],
    [earningsVault('deployer', recipient, quote), 'w'],
    [partner && earningsOwner('partner', partner, quote.mint), 'r'],
    [partner && earningsVault('partner', partner, quote), 'w'],
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    [eventAuthority(DAMM_V2_PROGRAM), 'r'],
    [DAMM_V2_PROGRAM, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Pays out a wallet's vault; the wallet signs. */
export const claimEarnings = (
  payer: Address,
  wallet: Address,
  kind: EarningsKind,
  quote: { readonly mint: Address; readonly tokenProgram: Address },
): EncodedInstruction =>
  instruction(EARNINGS_PROGRAM, new Bytes('3163a1aa16e9368c').u8(kind === 'deployer' ? 1 : 0).done(), [
    [payer, 'ws'],
    [wallet, 's'],
    [earningsOwner(kind, wallet, quote.mint), 'r'],
    [earningsVault(kind, wallet, quote), 'w'],
    [associatedTokenAddress(wallet, quote.mint, quote.tokenProgram), 'w'],
    [quote.mint, 'r'],
    [quote.tokenProgram, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
