/** Instructions of the fee share program that collect from the venues and pay what is owed. */
import type { EncodedInstruction } from '../../../programs/instructions.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import {
  DAMM_V2_POOL_AUTHORITY,
  DAMM_V2_PROGRAM,
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  eventAuthority,
} from '../addresses.ts';
import { poolAddress, poolVault, positionAddress, positionNftAccount } from '../dammV2.ts';
import { curvePoolAddress, curveVault } from '../dbc.ts';
import { Bytes, eventInstruction } from '../writing.ts';
import {
  type FeePair,
  feeShareAuthority,
  feeShareConfig,
  feeShareProgram,
  partnerConfig,
  partnerPair,
  programConfig,
  quoteOf,
  userFeeVault,
} from './pair.ts';

/** Pays a claimer its part of what was collected, as wrapped SOL. */
export function claimUser(payer: Address, user: Address, pair: FeePair, index: number) {
  const authority = feeShareAuthority(pair);
  return eventInstruction(feeShareProgram(pair), new Bytes('a44037c75a4e93bc').u32(index).done(), [
    [payer, 'ws'],
    [user, 'ws'],
    [feeShareConfig(pair), 'r'],
    [authority, 'w'],
    [quoteOf(authority, pair), 'w'],
    [quoteOf(user, pair), 'w'],
    [pair.baseMint, 'r'],
    [pair.quoteMint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [pair.quoteProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Moves a claimer's part into a vault of its own, so that it can be claimed from there. The service's key allows it. */
export function claimUserToVault(
  payer: Address,
  admin: Address,
  user: Address,
  pair: FeePair,
  index: number,
) {
  const authority = feeShareAuthority(pair);
  const vault = userFeeVault(user, pair);
  return eventInstruction(feeShareProgram(pair), new Bytes('09151b15d1960c8e').u32(index).done(), [
    [payer, 'ws'],
    [admin, 's'],
    [programConfig(pair), 'r'],
    [user, 'r'],
    [feeShareConfig(pair), 'r'],
    [authority, 'w'],
    [quoteOf(authority, pair), 'w'],
    [vault, 'w'],
    [quoteOf(vault, pair), 'w'],
    [pair.baseMint, 'r'],
    [pair.quoteMint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [pair.quoteProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Pays a claimer what lies in its vault: SOL as such, another quote to the claimer's associated account, which must be there. */
export function claimUserVault(user: Address, pair: FeePair) {
  const vault = userFeeVault(user, pair);
  return eventInstruction(feeShareProgram(pair), new Bytes('d8b41dbc0c052b08').done(), [
    [user, 'ws'],
    [vault, 'r'],
    [quoteOf(vault, pair), 'w'],
    [pair.baseMint, 'r'],
    [pair.quoteMint, 'r'],
    [pair.quoteProgram, 'r'],
    ...(pair.quoteMint === WSOL_MINT ? [] : [[quoteOf(user, pair), 'w'] as const]),
  ]);
}

/** Collects what the bonding curve owes the fee share, and divides it. */
export function claimDbc(payer: Address, pair: FeePair, venueConfig: Address, partner?: Address) {
  const authority = feeShareAuthority(pair);
  const partnerAt = partnerPair(partner, pair);
  const pool = curvePoolAddress({ config: venueConfig, ...pair });
  return eventInstruction(feeShareProgram(pair), new Bytes('e58e2641c6326e3a').done(), [
    [payer, 'ws'],
    [feeShareConfig(pair), 'r'],
    [authority, 'w'],
    [quoteOf(authority, pair), 'w'],
    [associatedTokenAddress(authority, pair.baseMint, TOKEN_PROGRAM), 'w'],
    [partnerAt, 'w'],
    [partner, 'r'],
    [partnerAt && quoteOf(partnerAt, pair), 'w'],
    [programConfig(pair), 'w'],
    [quoteOf(programConfig(pair), pair), 'w'],
    [pair.baseMint, 'r'],
    [pair.quoteMint, 'r'],
    [pair.quoteProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
    [DBC_PROGRAM, 'r'],
    [DBC_POOL_AUTHORITY, 'r'],
    [venueConfig, 'r'],
    [pool, 'w'],
    [curveVault(pair.baseMint, pool), 'w'],
    [curveVault(pair.quoteMint, pool), 'w'],
    [eventAuthority(DBC_PROGRAM), 'r'],
    [TOKEN_PROGRAM, 'r'],
    [pair.quoteProgram, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}

/** Collects what a DAMM v2 position of the fee share earned, and divides it. `nftAccount` holds the position's NFT. */
export function claimDammV2(
  payer: Address,
  pair: FeePair,
  nftMint: Address,
  partner?: Address,
  nftAccount: Address = positionNftAccount(nftMint),
) {
  const authority = feeShareAuthority(pair);
  const partnerAt = partnerPair(partner, pair);
  const pool = poolAddress(pair.baseMint, pair.quoteMint);
  return eventInstruction(feeShareProgram(pair), new Bytes('e8af6a13a836ba6c').done(), [
    [payer, 'ws'],
    [feeShareConfig(pair), 'r'],
    [authority, 'w'],
    [quoteOf(authority, pair), 'w'],
    [associatedTokenAddress(authority, pair.baseMint, TOKEN_PROGRAM), 'w'],
    [programConfig(pair), 'w'],
    [quoteOf(programConfig(pair), pair), 'w'],
    [partnerAt, 'w'],
    [partner, 'r'],
    [partnerAt && quoteOf(partnerAt, pair), 'w'],
    [pair.baseMint, 'r'],
    [pair.quoteMint, 'r'],
    [pair.quoteProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
    [DAMM_V2_PROGRAM, 'r'],
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    [pool, 'r'],
    [positionAddress(nftMint), 'w'],
    [poolVault(pair.baseMint, pool), 'w'],
    [poolVault(pair.quoteMint, pool), 'w'],
    [nftAccount, 'r'],
    [eventAuthority(DAMM_V2_PROGRAM), 'r'],
    [TOKEN_PROGRAM, 'r'],
    [pair.quoteProgram, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}

/** Pays a partner everything it has earned. */
export function claimPartner(payer: Address, partner: Address, pair: FeePair): EncodedInstruction {
  const config = partnerConfig(partner, pair);
  return eventInstruction(feeShareProgram(pair), new Bytes('b54e94dd64361572').done(), [
    [payer, 'ws'],
    [partner, 'ws'],
    [config, 'w'],
    [quoteOf(partner, pair), 'w'],
    [quoteOf(config, pair), 'w'],
    [pair.quoteMint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [pair.quoteProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Moves what a config's deployer earned into a vault; the service's key allows it. An invention of the sandbox. */
export function payDeployer(admin: Address, pair: FeePair, vault: Address): EncodedInstruction {
  const authority = feeShareAuthority(pair);
  return eventInstruction(feeShareProgram(pair), new Bytes('49a9f25666d69651').done(), [
    [admin, 's'],
    [programConfig(pair), 'r'],
    [feeShareConfig(pair), 'r'],
    [authority, 'w'],
    [quoteOf(authority, pair), 'w'],
    [vault, 'w'],
    [pair.baseMint, 'r'],
    [pair.quoteMint, 'r'],
    [pair.quoteProgram, 'r'],
  ]);
}
