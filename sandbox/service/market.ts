/** Launches the seeded tokens of a sandbox with their configs, buys some of each, and fills the service's table. */

import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Keypair } from '../keypair.ts';
import { initializePool, MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../programs/dammV2.ts';
import { feeShareAuthority } from '../programs/feeShare.ts';
import type { Draft } from './build/compile.ts';
import { configStages } from './build/config.ts';
import { squareRoot } from './build/curveTerms.ts';
import { curveLaunch } from './build/launch.ts';
import { directPool, handOverDraft, openingDraft } from './build/poolLaunch.ts';
import { ensureOpeningFunds, tokenDraft } from './build/poolToken.ts';
import { ata, createAta, mintTo, type TokenAsset, transfer, wrap } from './build/tokens.ts';
import type { ServiceContext } from './context.ts';
import { pairOf } from './records/configAccount.ts';
import { issuedFor } from './records/issuedConfig.ts';
import { marketOf, tableEntries } from './records/markets.ts';
import { poolTerms, tokensOf, venueOfPool } from './records/pools.ts';
import { curveOf, directVenue } from './records/venues.ts';
import {
  SEEDED_PAIR,
  SEEDED_TOKENS,
  type SeededToken,
  seededConfig,
  seededLaunch,
  seededQuote,
  WALLET_TOKENS,
} from './seededTokens.ts';
import type { Venue } from './state.ts';

/** Lands all transactions and waits for confirmation. */
export async function seedMarket(service: ServiceContext): Promise<void> {
  const { keys, state } = service;
  service.onchain.chain.airdrop(keys.seeded('creator').address, 10_000_000_000n);
  for (const token of SEEDED_TOKENS) await seedToken(service, token);
  state.pairs.push(seedPair(service));
  const launched = [...state.launches.values()].flatMap((launch) =>
    state.launchStatusOf(launch) === 'PRE_LAUNCH' ? [] : (launch.venue ?? []),
  );
  service.globalTable.add([...launched, ...state.pairs].flatMap((venue) => tableEntries(service, venue)));
  await service.onchain.tablesWarm();
}

async function seedToken(service: ServiceContext, token: SeededToken): Promise<void> {
  const { keys, state } = service;
  const creator = keys.seeded('creator');
  const launch = seededLaunch(service, token);
  const { quote, raised } = seededQuote(service, token);
  const asset = service.asset(quote.mint);
  state.launches.set(launch.tokenMint, launch);
  const request = seededConfig(keys, launch, token, asset);
  const issued = issuedFor(service, request, asset, false);
  state.configs.set(launch.tokenMint, issued);
  const nothing = { present: 0, exists: false, finished: false };
  const config = { payer: creator.address, format: 'v1', tables: [] } as const;
  for (const { draft } of configStages(service, issued, false, nothing, config))
    land(service, creator, draft);

  const build = { wallet: creator.address, format: 'v1', spend: 0n, tables: [] } as const;
  const curve = curveOf(issued);
  if (curve === undefined) {
    const pool = directPool(service, issued, asset, 'service');
    launch.candidates = [directVenue(issued, asset)];
    ensureOpeningFunds(service, asset);
    land(service, creator, tokenDraft(service, launch, build, pool.supply, keys.launchAuthority.address));
    land(service, creator, await openingDraft(service, launch, pool, build));
    land(service, creator, handOverDraft(service, launch, feeShareAuthority(pairOf(issued)), build));
  } else {
    land(service, creator, curveLaunch(service, launch, curve, build));
  }
  state.launchStatusOf(launch);
  if (launch.venue !== undefined) buy(service, launch.venue, asset, raised);
}

/** Buys for the sponsor with `spend` of the quote, and gives the wallet some of the token. */
function buy(service: ServiceContext, venue: Venue, quote: TokenAsset, spend: bigint): void {
  const { sponsor, quoteAuthority, wallet } = service.keys;
  const base = service.asset(venue.baseMint);
  const sides = {
    input: ata(sponsor.address, quote),
    output: ata(sponsor.address, base),
    payer: sponsor.address,
  };
  const some = WALLET_TOKENS * 10n ** BigInt(base.decimals);
  service.onchain.landBy(
    sponsor,
    [
      ...funded(service, quote, spend),
      createAta(sponsor.address, sponsor.address, base),
      marketOf(service, venue).swap(sides, spend, 1n),
      createAta(sponsor.address, wallet.address, base),
      transfer(base, sides.output, ata(wallet.address, base), sponsor.address, some),
    ],
    quoteAuthority,
  );
}

/** Funds the sponsor's account with quote tokens. */
function funded({ keys }: ServiceContext, quote: TokenAsset, amount: bigint): EncodedInstruction[] {
  const { sponsor, quoteAuthority } = keys;
  if (quote.mint === WSOL_MINT) return wrap(sponsor.address, amount);
  return [
    createAta(sponsor.address, sponsor.address, quote),
    mintTo(quote.tokenProgram, quote.mint, ata(sponsor.address, quote), quoteAuthority.address, amount),
  ];
}

/** Opens the sponsor's pool of the sandbox's dollars against SOL, without launch or config. */
function seedPair(service: ServiceContext): Venue {
  const { keys } = service;
  const { sponsor } = keys;
  const dollar = [...service.quotes.values()].find(({ symbol }) => symbol === 'USDC');
  if (dollar === undefined) throw new Error('the sandbox has no dollar');
  const [base, sol] = [service.asset(dollar.mint), service.asset(WSOL_MINT)];
  const { dollars, lamports, feeBps } = SEEDED_PAIR;
  const price = squareRoot((lamports << 128n) / dollars);
  const [byBase, byQuote] = [
    (dollars * price * MAX_SQRT_PRICE) / (MAX_SQRT_PRICE - price),
    (lamports << 128n) / (price - MIN_SQRT_PRICE),
  ];
  const nft = keys.position(dollar.mint, 'treasury');
  const accounts = {
    creator: sponsor.address,
    nftMint: nft.address,
    payer: sponsor.address,
    tokenA: ata(sponsor.address, base),
    tokenB: ata(sponsor.address, sol),
  };
  const parameters = {
    ...poolTerms(feeBps),
    minPrice: MIN_SQRT_PRICE,
    price,
    liquidity: byBase < byQuote ? byBase : byQuote,
  };
  service.onchain.landBy(
    sponsor,
    [
      ...funded(service, base, dollars),
      ...funded(service, sol, lamports),
      initializePool(tokensOf(dollar.mint, sol), accounts, parameters),
    ],
    nft,
    keys.quoteAuthority,
  );
  return venueOfPool(dollar.mint, sol, { kind: 'pair' });
}

const land = (service: ServiceContext, payer: Keypair, draft: Draft): void => {
  service.onchain.land({ ...draft, signers: [...draft.signers, payer] });
};
