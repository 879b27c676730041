/** POST /token-launch/damm-v2/create-transaction: the bundle that launches a token into a pool whose positions are in custody. */

import { LAUNCH_DECIMALS } from '../../../src/contract/constants.ts';
import { DEFAULT_CONFIG_TYPE, type EndpointRequest } from '../../../src/contract/index.ts';
import { type CustodyTerms, custodyAddress, custodyAuthority } from '../../programs/custody.ts';
import type { Draft } from '../build/compile.ts';
import { supplyOf } from '../build/curveTerms.ts';
import type { LaunchBuild } from '../build/launch.ts';
import { tableEntriesOf } from '../build/launchTable.ts';
import {
  closeTable,
  createTable,
  deactivateTable,
  extendTable,
  planTable,
  walletDraft,
} from '../build/lookupTable.ts';
import { bareOpening } from '../build/poolLaunch.ts';
import { ensureOpeningFunds, tokenDraft } from '../build/poolToken.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { partnerAccount } from '../records/fees.ts';
import { addCandidate, unlaunched } from '../records/launches.ts';
import { firstValueIn, singleSided, tokensOf } from '../records/pools.ts';
import { custodyVenue } from '../records/venues.ts';
import { checkBalance } from '../records/wallet.ts';
import type { User } from '../state.ts';
import { ensurePartner } from './configs.ts';

/** Trade fee of a pool in custody. */
const CUSTODY_FEE_BPS = 200;

export const custodyHandlers = {
  dammLaunch: (service, request, user) => bundle(service, request, user),
} satisfies Handlers;

function bundle(service: ServiceContext, request: EndpointRequest<'dammLaunch'>, user: User) {
  const { wallet, tokenMint, quoteMint } = request;
  const launch = unlaunched(service, user, tokenMint, request.ipfs);
  const listed = service.quotes.get(quoteMint);
  if (listed === undefined || !listed.profileEligible || listed.configs.size === 0) {
    throw badRequest('quoteMint: is not a supported quote token');
  }
  const spend = BigInt(request.initialBuyQuoteAmount ?? 0);
  checkBalance(service, wallet, quoteMint, spend, 'initialBuyQuoteAmount');
  const quote = service.asset(quoteMint);
  const supply = supplyOf(DEFAULT_CONFIG_TYPE);
  const terms = termsOf(service, request);
  const venue = custodyVenue(tokenMint, quote, terms);
  addCandidate(launch, wallet, venue);

  ensureOpeningFunds(service, quote);
  const pool = {
    tokens: tokensOf(tokenMint, quote),
    parameters: singleSided(service, quote, supply, CUSTODY_FEE_BPS),
    supply,
    recipient: terms,
    deposits: 'service',
  } as const;
  const build: LaunchBuild = { wallet, format: 'v0', spend, tables: [] };
  const opening = bareOpening(service, launch, pool, build);
  const table = planTable(wallet, service.onchain.chain.slotAt('confirmed'), tableEntriesOf(opening));
  const token = tokenDraft(service, launch, build, supply, service.keys.launchAuthority.address);
  const drafts: [string, Draft][] = [
    [
      'LUT_SETUP',
      walletDraft(wallet, [
        createTable(wallet, table.recentSlot),
        extendTable(table.table, wallet, table.addresses),
      ]),
    ],
    ...(service.onchain.mint(tokenMint) === undefined
      ? ([['CREATE_TOKEN', token]] as [string, Draft][])
      : []),
    ['LAUNCH', { ...opening, tables: [table] }],
    ['LUT_DEACTIVATE', walletDraft(wallet, [deactivateTable(table.table, wallet)])],
    ['LUT_CLOSE', walletDraft(wallet, [closeTable(table.table, wallet)])],
  ];
  const whole = (amount: bigint, decimals: number) => Number(amount) / 10 ** decimals;
  const valued = whole(firstValueIn(service, quote), quote.decimals);
  return {
    transactions: drafts.map(([type, draft]) => ({
      type,
      transaction: service.encode('dammLaunch', service.compile(draft, 'dammLaunch', type, wallet).bytes),
    })),
    launch: {
      tokenMint,
      quoteMint,
      quoteTokenProgram: quote.tokenProgram,
      pool: venue.pool,
      treasuryPositionNftMint: terms.treasuryNft,
      feeClaimerPositionNftMint: terms.claimerNft,
      feeClaimerWallet: terms.feeClaimer,
      lookupTable: table.table,
      positionCustody: custodyAddress(venue.pool),
      custodyAuthority: custodyAuthority(venue.pool),
      launchPriceQuotePerToken: valued / whole(supply, LAUNCH_DECIMALS),
      impliedLaunchFdvUsd: valued * listed.usd,
    },
  };
}

/** Returns the custody terms: the treasury earns from its position, claimer and partner from the other. */
function termsOf(
  service: ServiceContext,
  { wallet, tokenMint, quoteMint, feeClaimerWallet, partner }: EndpointRequest<'dammLaunch'>,
): CustodyTerms {
  const { position, treasury } = service.keys;
  const terms = {
    treasuryNft: position(tokenMint, 'treasury').address,
    claimerNft: position(tokenMint, 'feeClaimer').address,
    treasury: treasury.address,
    feeClaimer: feeClaimerWallet ?? wallet,
  };
  if (!partner) return terms;
  const { tokenProgram } = service.asset(quoteMint);
  ensurePartner(service, partner, { baseMint: tokenMint, quoteMint, quoteProgram: tokenProgram });
  const bps = partnerAccount(service, partner, { quoteMint })?.bps ?? 0;
  return { ...terms, partner: { wallet: partner, bps } };
}
