/**
 * The fee share program (version 2): addresses, and the instructions of configs, collection and payout. Its quote is wrapped
 * SOL; a program of the sandbox has the same instructions for other quotes.
 */
import { instructionDiscriminator } from '../../src/programs/anchor.ts';
import { dbcPoolAddress, dbcVaultAddress } from '../../src/programs/dbc/addresses.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import {
  DAMM_V2_POOL_AUTHORITY,
  DAMM_V2_PROGRAM,
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  derivedAddress,
  eventAuthority,
  FEE_SHARE_PROGRAM,
  QUOTE_SHARE_PROGRAM,
} from './addresses.ts';
import { poolAddress, poolVault, positionAddress, positionNftAccount } from './dammV2.ts';
import { Bytes, eventInstruction, type Use } from './writing.ts';

/** A token and the quote of its fees. */
export interface FeePair {
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly quoteProgram: Address;
}

export const inSol = (baseMint: Address): FeePair => ({
  baseMint,
  quoteMint: WSOL_MINT,
  quoteProgram: TOKEN_PROGRAM,
});

/** Returns the fee share program of a quote. */
export const feeShareProgram = ({ quoteMint }: Pick<FeePair, 'quoteMint'>): Address =>
  quoteMint === WSOL_MINT ? FEE_SHARE_PROGRAM : QUOTE_SHARE_PROGRAM;

const ofPair =
  (word: string) =>
  (pair: FeePair, ...before: readonly Address[]): Address =>
    derivedAddress(feeShareProgram(pair), [word], ...before, pair.baseMint, pair.quoteMint);

export const feeShareConfig = (pair: FeePair): Address => ofPair('fee_share_config')(pair);
/** Returns the account that claims at the venues and holds unclaimed fees. */
export const feeShareAuthority = (pair: FeePair): Address => ofPair('fee_share_authority')(pair);
/** Returns a claimer's vault. */
export const userFeeVault = (user: Address, pair: FeePair): Address => ofPair('user_fee_vault')(pair, user);
export const partnerConfig = (partner: Address, pair: Pick<FeePair, 'quoteMint'>): Address =>
  derivedAddress(feeShareProgram(pair), ['partner_config'], partner);
export const programConfig = (pair: FeePair): Address =>
  derivedAddress(feeShareProgram(pair), ['program_config']);

/** Returns an owner's quote account. */
export const quoteOf = (owner: Address, { quoteMint, quoteProgram }: Omit<FeePair, 'baseMint'>): Address =>
  associatedTokenAddress(owner, quoteMint, quoteProgram);

/** A claimer and its share in basis points. */
export interface Claimer {
  readonly address: Address;
  readonly bps: number;
}

/** Fee payer and the service's admin key. */
export interface Allowed {
  readonly payer: Address;
  readonly admin: Address;
}

/** Accounts by name; an absent optional account is `undefined`. */
type Names = Readonly<Record<string, Address | undefined>>;

/** Returns the accounts of a pair by name, with those of the caller. */
function namesOf(pair: FeePair, given: Names): Names {
  const authority = feeShareAuthority(pair);
  const { partner, user } = given;
  const partnerAt = partner && partnerConfig(partner, pair);
  const vault = user && userFeeVault(user, pair);
  return {
    programConfig: programConfig(pair),
    platformVault: quoteOf(programConfig(pair), pair),
    config: feeShareConfig(pair),
    authority,
    authorityQuote: quoteOf(authority, pair),
    authorityBase: associatedTokenAddress(authority, pair.baseMint, TOKEN_PROGRAM),
    partnerConfig: partnerAt,
    partnerConfigQuote: partnerAt && quoteOf(partnerAt, pair),
    partnerQuote: partner && quoteOf(partner, pair),
    userQuote: user && quoteOf(user, pair),
    vault,
    vaultQuote: vault && quoteOf(vault, pair),
    base: pair.baseMint,
    quote: pair.quoteMint,
    quoteProgram: pair.quoteProgram,
    tokenProgram: TOKEN_PROGRAM,
    system: SYSTEM_PROGRAM,
    associated: ASSOCIATED_TOKEN_PROGRAM,
    ...given,
  };
}

const isUse = (text: string): text is Use => ['r', 'w', 's', 'ws'].includes(text);

/**
 * Builds an instruction from its public name and its accounts in order; `payer:ws` is writable and signs. Throws TypeError for
 * an unknown account.
 */
function about(
  pair: FeePair,
  name: string,
  accounts: string,
  given: Names,
  args = new Bytes(),
  claimers: readonly Claimer[] = [],
): EncodedInstruction {
  const names = namesOf(pair, given);
  const named = accounts.split(' ').map((each) => {
    const [account = '', use = 'r'] = each.split(':');
    if (!(account in names) || !isUse(use)) throw new TypeError(`no account is called ${each}`);
    return [names[account], use] as const;
  });
  const data = Buffer.concat([instructionDiscriminator(name), args.done()]);
  const remaining = claimers.map(({ address }) => [address, 'r'] as const);
  return eventInstruction(feeShareProgram(pair), new Uint8Array(data), named, remaining);
}

const shares = (claimers: readonly Claimer[], last: boolean) =>
  new Bytes().list16(claimers.map(({ bps }) => bps)).bool(last);

/** Builds an instruction that adds claimers to a config; `last` completes it. */
const writesClaimers =
  (name: string, accounts: string) =>
  (
    { payer, admin }: Allowed,
    pair: FeePair,
    claimers: readonly Claimer[],
    { last, partner }: { readonly last: boolean; readonly partner?: Address },
  ) =>
    about(pair, name, accounts, { payer, admin, partner }, shares(claimers, last), claimers);

/** Creates a config with its first claimers. */
export const createFeeConfig = writesClaimers(
  'create_fee_config',
  'payer:ws admin:ws programConfig config:w authority:w authorityQuote:w partnerConfig partner base quote system quoteProgram associated',
);

/** Adds claimers to an incomplete config. */
export const extendFeeConfig = writesClaimers(
  'extend_created_fee_config',
  'payer:ws admin:ws programConfig config:w authority:w partner partnerConfig base quote system',
);

/** Sets the manager of a config, signed by the service. */
export const updateFeeConfigManager = ({ payer, admin }: Allowed, pair: FeePair, manager: Address) =>
  about(
    pair,
    'update_fee_config_manager',
    'payer:ws admin:ws programConfig config:w authority manager base quote system',
    { payer, admin, manager },
  );

/** Replaces the claimers from `from` up to `to`; `last` completes the shares. */
export const managerUpdateFeeConfig = (
  { payer, manager }: { readonly payer: Address; readonly manager: Address },
  pair: FeePair,
  claimers: readonly Claimer[],
  { from, to, last }: { readonly from: number; readonly to: number; readonly last: boolean },
) =>
  about(
    pair,
    'manager_update_fee_config',
    'payer:ws manager:ws config:w authority:w base quote system',
    { payer, manager },
    shares(claimers, last).u8(from, to),
    claimers,
  );

/** Transfers the manager role of a config. */
export const managerTransferFeeConfig = (
  payer: Address,
  manager: Address,
  newManager: Address,
  pair: FeePair,
) =>
  about(
    pair,
    'manager_transfer_fee_config',
    'payer:ws manager:ws newManager config:w authority base quote system',
    { payer, manager, newManager },
  );

/** Waives the manager role of a config permanently. */
export const managerWaiveFeeConfig = (payer: Address, manager: Address, pair: FeePair) =>
  about(pair, 'manager_waive_fee_config', 'payer:ws manager:ws config:w authority base quote system', {
    payer,
    manager,
  });

/** Creates a partner's config with its share of launches. */
export const createPartnerConfig = (
  { payer, admin }: Allowed,
  partner: Address,
  bps: number,
  pair: FeePair,
) =>
  about(
    pair,
    'create_partner_config',
    'payer:ws admin:ws programConfig partnerConfig:w partnerConfigQuote:w partner quote system quoteProgram associated',
    { payer, admin, partner },
    new Bytes().u16(bps),
  );

/** Creates the program's global config. `admin` may create configs. */
export const initProgramConfig = (payer: Address, admin: Address, pair: FeePair) =>
  about(
    pair,
    'init_program_config',
    'payer:ws admin:s programConfig:w platformVault:w quote system quoteProgram associated',
    { payer, admin },
  );

/** Pays a claimer its share of collected fees, as wrapped SOL. */
export const claimUser = (payer: Address, user: Address, pair: FeePair, index: number) =>
  about(
    pair,
    'claim_user',
    'payer:ws user:ws config authority:w authorityQuote:w userQuote:w base quote system quoteProgram associated',
    { payer, user },
    new Bytes().u32(index),
  );

/** Moves a claimer's share into its vault, signed by the service. */
export const claimUserToVault = (
  payer: Address,
  admin: Address,
  user: Address,
  pair: FeePair,
  index: number,
) =>
  about(
    pair,
    'force_claim_user_to_vault',
    'payer:ws admin:s programConfig user config authority:w authorityQuote:w vault:w vaultQuote:w base quote system quoteProgram associated',
    { payer, admin, user },
    new Bytes().u32(index),
  );

/** Pays out a claimer's vault: SOL natively, another quote to the claimer's existing associated account. */
export const claimUserVault = (user: Address, pair: FeePair) =>
  about(
    pair,
    'claim_user_vault',
    `user:ws vault vaultQuote:w base quote quoteProgram${pair.quoteMint === WSOL_MINT ? '' : ' userQuote:w'}`,
    { user },
  );

/** Collects and divides the fees of a bonding curve. */
export function claimDbc(payer: Address, pair: FeePair, venueConfig: Address, partner?: Address) {
  const pool = dbcPoolAddress(venueConfig, pair.baseMint, pair.quoteMint);
  return about(
    pair,
    'claim_dbc',
    'payer:ws config authority:w authorityQuote:w authorityBase:w partnerConfig:w partner partnerConfigQuote:w programConfig:w ' +
      'platformVault:w base quote quoteProgram associated venue venueAuthority venueConfig pool:w baseVault:w quoteVault:w ' +
      'venueEvents tokenProgram quoteProgram system',
    {
      ...{ payer, partner, venueConfig, pool },
      venue: DBC_PROGRAM,
      venueAuthority: DBC_POOL_AUTHORITY,
      venueEvents: eventAuthority(DBC_PROGRAM),
      baseVault: dbcVaultAddress(pair.baseMint, pool),
      quoteVault: dbcVaultAddress(pair.quoteMint, pool),
    },
  );
}

/** Collects and divides the fees of a DAMM v2 position. `nftAccount` holds the position's NFT. */
export function claimDammV2(
  payer: Address,
  pair: FeePair,
  nftMint: Address,
  partner?: Address,
  nftAccount: Address = positionNftAccount(nftMint),
) {
  const pool = poolAddress(pair.baseMint, pair.quoteMint);
  return about(
    pair,
    'claim_damm_v2',
    'payer:ws config authority:w authorityQuote:w authorityBase:w programConfig:w platformVault:w partnerConfig:w partner ' +
      'partnerConfigQuote:w base quote quoteProgram associated venue venueAuthority pool position:w baseVault:w quoteVault:w ' +
      'nftAccount venueEvents tokenProgram quoteProgram system',
    {
      ...{ payer, partner, pool, nftAccount },
      position: positionAddress(nftMint),
      venue: DAMM_V2_PROGRAM,
      venueAuthority: DAMM_V2_POOL_AUTHORITY,
      venueEvents: eventAuthority(DAMM_V2_PROGRAM),
      baseVault: poolVault(pair.baseMint, pool),
      quoteVault: poolVault(pair.quoteMint, pool),
    },
  );
}

/** Pays a partner its earnings. */
export const claimPartner = (payer: Address, partner: Address, pair: FeePair) =>
  about(
    pair,
    'claim_partner',
    'payer:ws partner:ws partnerConfig:w partnerQuote:w partnerConfigQuote:w quote system quoteProgram associated',
    { payer, partner },
  );

/** Moves a deployer's earnings into its vault, signed by the service. Invented for the sandbox. */
export const payDeployer = (admin: Address, pair: FeePair, deployerVault: Address) =>
  about(
    pair,
    'pay_deployer',
    'admin:s programConfig config authority:w authorityQuote:w deployerVault:w base quote quoteProgram',
    { admin, deployerVault },
  );
