/**
 * The tokens a fresh sandbox already trades: one for each kind of quote, a bonding curve, and a plain pair. All of
 * it lands in ordinary transactions, with the first request to the service.
 */
import { DEFAULT_CONFIG_TYPE } from '../../contract/index.ts';
import { type Claimer, type ConfigRecord, configFields, launchMemo } from '../../contract/stockPrograms.ts';
import type { EncodedInstruction } from '../../programs/instructions.ts';
import { encodeInstruction } from '../../programs/instructions.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { budgetFor, budgetOf } from './build/compile.ts';
import { configStages } from './build/config.ts';
import { createTokenMint, openPool } from './build/pool.ts';
import { ata, createAta, memo, mintTo, systemTransfer, transfer } from './build/tokens.ts';
import type { ServiceContext } from './context.ts';
import type { Keypair } from './keys.ts';
import { ensureFeeVault } from './records/configs.ts';
import type { QuoteToken } from './records/quotes.ts';
import { venueOf } from './records/venues.ts';
import type { ServiceKeys } from './serviceKeys.ts';
import type { Launch, Venue } from './state.ts';

export interface SeededToken {
  readonly name: string;
  readonly symbol: string;
  readonly quote: 'SOL' | 'USDC' | 'TAXQ';
  readonly flow: 'damm_v2_direct' | 'dbc';
  /** Dollars of quote already in the pool. */
  readonly raisedUsd: number;
}

export const SEEDED_TOKENS: readonly SeededToken[] = [
  { name: 'Harbor Light', symbol: 'HARBOR', quote: 'SOL', flow: 'damm_v2_direct', raisedUsd: 6_000 },
  { name: 'Paper Kite', symbol: 'KITE', quote: 'USDC', flow: 'damm_v2_direct', raisedUsd: 6_000 },
  { name: 'Tin Lantern', symbol: 'TINLAN', quote: 'TAXQ', flow: 'damm_v2_direct', raisedUsd: 6_000 },
  { name: 'First Rung', symbol: 'RUNG', quote: 'SOL', flow: 'dbc', raisedUsd: 900 },
];
/** Whole tokens of each that the throw-away wallet starts with. */
export const WALLET_TOKENS = 1_000_000n;
/** The pool of dollars against SOL: its fee, and what it starts with, in base units. */
export const SEEDED_PAIR = { feeBps: 25, dollars: 1_500_000_000_000n, lamports: 10_000_000_000_000n };

/** Lands everything and waits until it is confirmed. */
export async function seedMarket(service: ServiceContext): Promise<void> {
  const { keys, state } = service;
  service.onchain.chain.airdrop(keys.seeded('creator').address, 10_000_000_000n);
  for (const token of SEEDED_TOKENS) seedToken(service, token);
  state.pairs.push(seedPair(service));
  const venues = [...[...state.launches.values()].flatMap(({ venue }) => venue ?? []), ...state.pairs];
  service.globalTable.add(venues.flatMap((venue) => tableEntries(service, venue)));
  await service.onchain.tablesWarm();
}

/** What swaps in a venue refer to, for the global table. */
export function tableEntries(service: ServiceContext, venue: Venue): Address[] {
  const { treasury, tracking } = service.keys;
  const quote = { mint: venue.quoteMint, tokenProgram: venue.quoteTokenProgram };
  return [
    treasury.address,
    tracking.address,
    venue.baseVault,
    venue.quoteVault,
    venue.feeVault,
    venue.baseMint,
    venue.quoteMint,
    ata(treasury.address, quote),
  ];
}

/** The record of a token that is there from the start, before it is launched. */
export function seededLaunch(service: ServiceContext, token: SeededToken): Launch {
  const { keys, state } = service;
  const now = service.now();
  return {
    tokenMint: keys.tokenMint(state.launches.size).address,
    serial: state.launches.size,
    candidates: [],
    userId: 'sandbox-creator',
    name: token.name,
    symbol: token.symbol,
    description: `${token.name}, a token every sandbox starts with.`,
    image: `https://sandbox.example/${token.symbol.toLowerCase()}.png`,
    uri: `https://sandbox.example/${token.symbol.toLowerCase()}.json`,
    telegram: null,
    twitter: null,
    website: null,
    createdAt: now,
    updatedAt: now,
    launchWallet: keys.seeded('creator').address,
  };
}

/** Who earns from the tokens that are there from the start. */
export const seededClaimers = ({ wallet, seeded }: ServiceKeys): readonly Claimer[] => [
  { address: wallet.address, basisPoints: 6_000 },
  { address: seeded('creator').address, basisPoints: 4_000 },
];

/** The quote of a token that is there from the start, and how much of it others have paid for the token, in base units. */
export function seededQuote(
  service: ServiceContext,
  token: SeededToken,
): { readonly quote: QuoteToken; readonly raised: bigint } {
  const quote = [...service.quotes.values()].find(({ symbol }) => symbol === token.quote);
  if (quote === undefined) throw new Error(`the sandbox has no ${token.quote}`);
  return { quote, raised: BigInt(Math.round(token.raisedUsd / quote.usd)) * 10n ** BigInt(quote.decimals) };
}

function seedToken(service: ServiceContext, token: SeededToken): void {
  const { keys, state } = service;
  const creator = keys.seeded('creator');
  const mint = keys.tokenMint(state.launches.size);
  const { quote, raised } = seededQuote(service, token);
  const launch = seededLaunch(service, token);
  const record: ConfigRecord = {
    baseMint: mint.address,
    flow: token.flow,
    quoteMint: quote.mint,
    admin: keys.wallet.address,
    deployer: keys.wallet.address,
    configType: DEFAULT_CONFIG_TYPE,
    firstSwapMinFee: false,
    claimers: seededClaimers(keys),
  };
  const configKey = seedConfig(service, record, quote.configs.get(DEFAULT_CONFIG_TYPE) ?? '0', creator);
  const venue = venueOf(service, mint.address, quote.mint, {
    kind: token.flow,
    configKey,
    configType: record.configType,
  });
  ensureFeeVault(service, configKey, quote.mint);
  const base = service.keys.launchAuthority.address;
  const signature = landAll(
    service,
    creator,
    [mint],
    [
      ...createTokenMint(service, creator.address, launch),
      ...openPool(service, creator.address, venue),
      memo(launchMemo(configKey), [base]),
    ],
  );
  fillPool(service, venue, raised);
  launch.candidates = [venue];
  launch.venue = venue;
  launch.launchSignature = signature;
  state.launches.set(mint.address, launch);
}

function seedConfig(
  service: ServiceContext,
  record: ConfigRecord,
  threshold: string,
  payer: Keypair,
): Address {
  const { keys, state } = service;
  const configKey = keys.config(record.baseMint).address;
  state.configs.set(record.baseMint, {
    baseMint: record.baseMint,
    configKey,
    flow: record.flow === 'dbc' ? 'dbc' : 'damm_v2_direct',
    quoteMint: record.quoteMint,
    quoteTokenProgram: service.asset(record.quoteMint).tokenProgram,
    configType: record.configType,
    graduationThresholdRaw: threshold,
    venueConfigKey: record.flow === 'dbc' ? keys.venueConfig(record.baseMint).address : null,
    feeLimits: [],
    claimers: record.claimers,
    admin: record.admin,
    deployer: record.deployer,
  });
  const build = { baseMint: record.baseMint, payer: payer.address, format: 'v1' as const, tables: [] };
  for (const { draft } of configStages(service, record, configFields(record), false, build)) {
    service.onchain.land({ ...draft, signers: [...draft.signers, payer] });
  }
  return configKey;
}

/** Puts quote into the pool and hands the wallet some of the token. */
function fillPool(service: ServiceContext, venue: Venue, raised: bigint): void {
  const { keys } = service;
  const base = service.asset(venue.baseMint);
  const payer = keys.sponsor.address;
  const authority = keys.poolAuthority(venue.baseMint);
  landAll(
    service,
    keys.sponsor,
    [authority, keys.quoteAuthority],
    [
      ...intoVault(service, venue, raised),
      createAta(payer, keys.wallet.address, base),
      transfer(
        base,
        venue.baseVault,
        ata(keys.wallet.address, base),
        authority.address,
        WALLET_TOKENS * 10n ** BigInt(base.decimals),
      ),
    ],
  );
}

function intoVault(service: ServiceContext, venue: Venue, amount: bigint): EncodedInstruction[] {
  const { sponsor, quoteAuthority } = service.keys;
  if (venue.quoteMint !== WSOL_MINT) {
    const { quoteTokenProgram, quoteMint, quoteVault } = venue;
    return [mintTo(quoteTokenProgram, quoteMint, quoteVault, quoteAuthority.address, amount)];
  }
  return [
    systemTransfer(sponsor.address, venue.quoteVault, amount),
    encodeInstruction('token.syncNative', { accounts: { account: venue.quoteVault } }),
  ];
}

/** A pool of the sandbox's dollars against SOL, without launch or config. */
function seedPair(service: ServiceContext): Venue {
  const { keys, onchain } = service;
  const dollar = [...service.quotes.values()].find(({ symbol }) => symbol === 'USDC');
  if (dollar === undefined) throw new Error('the sandbox has no dollar');
  const sol = service.asset(WSOL_MINT);
  const authority = keys.poolAuthority(dollar.mint).address;
  const venue: Venue = {
    kind: 'pair',
    baseMint: dollar.mint,
    baseTokenProgram: dollar.tokenProgram,
    pool: keys.pool(dollar.mint).address,
    authority,
    baseVault: ata(authority, dollar),
    quoteVault: ata(authority, sol),
    quoteMint: sol.mint,
    quoteTokenProgram: sol.tokenProgram,
    virtualQuote: 0n,
    supply: 0n,
    feeBps: SEEDED_PAIR.feeBps,
    feeVault: keys.feeVault(keys.pool(dollar.mint).address).address,
  };
  const payer = keys.sponsor.address;
  ensureFeeVault(service, venue.pool, sol.mint);
  landAll(
    service,
    keys.sponsor,
    [keys.quoteAuthority],
    [
      createAta(payer, authority, dollar),
      createAta(payer, authority, sol),
      mintTo(
        dollar.tokenProgram,
        dollar.mint,
        venue.baseVault,
        keys.quoteAuthority.address,
        SEEDED_PAIR.dollars,
      ),
      ...intoVault(service, venue, SEEDED_PAIR.lamports),
    ],
  );
  onchain.chain.airdrop(keys.treasury.address, 1_000_000_000n);
  return venue;
}

function landAll(
  service: ServiceContext,
  payer: Keypair,
  signers: readonly Keypair[],
  instructions: readonly EncodedInstruction[],
): string {
  const { signature } = service.onchain.land({
    format: 'v0',
    feePayer: payer.address,
    instructions,
    budget: instructions.length > 20 ? budgetOf(1_400_000) : budgetFor(instructions.length),
    signers: [payer, service.keys.launchAuthority, ...signers],
  });
  return signature;
}
