/** Launches: the custody bundle, direct and curve launches with a fee share config. */

import type { EndpointName, EndpointRequest } from '../../../contract/index.ts';
import type { ConfigRecord } from '../../../contract/stockPrograms.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Draft } from '../build/compile.ts';
import {
  curveDraft,
  custodyCreateToken,
  custodyLaunch,
  custodyTableEntries,
  launchMint,
  launchPool,
} from '../build/launch.ts';
import {
  closeTable,
  createTable,
  deactivateTable,
  extendTable,
  planTable,
  walletDraft,
} from '../build/lookupTable.ts';
import { type StageDraft, wirePlan } from '../build/plan.ts';
import { ata } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { appliedFeeLimits } from '../real/records/feeLimits.ts';
import { checkBalance, tipOf } from '../real/records/wallet.ts';
import { completeConfig, ensureFeeVault } from '../records/configs.ts';
import { addCandidate, unlaunched } from '../records/launches.ts';
import { spotPrice } from '../records/pricing.ts';
import { venueOf } from '../records/venues.ts';
import type { IssuedConfig, Launch, User, Venue } from '../state.ts';

export const launchHandlers = {
  dammLaunch: (service, request, user) => custodyBundle(service, request, user),
  dammLaunchV2: (service, request, user) => planned(service, 'dammLaunchV2', request, user),
  curveLaunchV2: (service, request, user) => planned(service, 'curveLaunchV2', request, user),
  curveLaunch: (service, request, user) => bareCurve(service, request, user),
} satisfies Handlers;

function custodyBundle(service: ServiceContext, request: EndpointRequest<'dammLaunch'>, user: User) {
  const { wallet, tokenMint, quoteMint, partner } = request;
  const launch = unlaunched(service, user, tokenMint, request.ipfs);
  const quote = service.quotes.get(quoteMint);
  if (quote === undefined || !quote.profileEligible || quote.configs.size === 0) {
    throw badRequest('quoteMint: is not a supported quote token');
  }
  const spend = BigInt(request.initialBuyQuoteAmount ?? 0);
  checkBalance(service, wallet, quoteMint, spend, 'initialBuyQuoteAmount');
  const feeClaimer = request.feeClaimerWallet ?? wallet;
  const venue = venueOf(service, tokenMint, quoteMint, {
    kind: 'custody',
    feeClaimer,
    ...(partner ? { partner } : {}),
  });
  ensureFeeVault(service, venue.pool, quoteMint);
  addCandidate(launch, wallet, venue);

  const table = planTable(
    wallet,
    service.onchain.chain.slotAt('confirmed'),
    custodyTableEntries(service, wallet, venue),
  );
  const drafts: [string, Draft][] = [
    [
      'LUT_SETUP',
      walletDraft(wallet, [
        createTable(wallet, table.recentSlot),
        extendTable(table.table, wallet, table.addresses),
      ]),
    ],
    ['LAUNCH', custodyLaunch(service, wallet, venue, spend, table)],
    ['LUT_DEACTIVATE', walletDraft(wallet, [deactivateTable(table.table, wallet)])],
    ['LUT_CLOSE', walletDraft(wallet, [closeTable(table.table, wallet)])],
  ];
  if (service.onchain.mint(tokenMint) === undefined) {
    drafts.splice(1, 0, ['CREATE_TOKEN', custodyCreateToken(service, wallet, launch)]);
  }
  const price = firstPrice(service, venue);
  return {
    transactions: drafts.map(([type, draft]) => ({
      type,
      transaction: service.encode('dammLaunch', service.compile(draft, 'dammLaunch', type, wallet).bytes),
    })),
    launch: {
      tokenMint,
      quoteMint,
      quoteTokenProgram: venue.quoteTokenProgram,
      pool: venue.pool,
      treasuryPositionNftMint: service.keys.position(tokenMint, 'treasury').address,
      feeClaimerPositionNftMint: service.keys.position(tokenMint, 'feeClaimer').address,
      feeClaimerWallet: feeClaimer,
      lookupTable: table.table,
      positionCustody: ata(service.keys.custodyAuthority.address, {
        mint: service.keys.position(tokenMint, 'feeClaimer').address,
        tokenProgram: TOKEN_2022_PROGRAM,
      }),
      custodyAuthority: service.keys.custodyAuthority.address,
      launchPriceQuotePerToken: price,
      impliedLaunchFdvUsd: price * (Number(venue.supply) / 1e6) * quote.usd,
    },
  };
}

/** `damm-v2/create-transaction/v2` and `create-transaction/v2`: mint first, then the pool. */
function planned(
  service: ServiceContext,
  endpoint: 'dammLaunchV2' | 'curveLaunchV2',
  request: EndpointRequest<'dammLaunchV2'> & { readonly configKey?: string },
  user: User,
) {
  const { wallet, tokenMint, quoteMint } = request;
  const launch = unlaunched(service, user, tokenMint, request.ipfs);
  const { issued, record } = landedConfig(service, tokenMint);
  const flow = endpoint === 'dammLaunchV2' ? 'damm_v2_direct' : 'dbc';
  if (record.flow !== flow)
    throw badRequest(`feeShareConfig: was issued for the flow ${record.flow}, not ${flow}`);
  if (request.feeShareConfig !== issued.configKey)
    throw badRequest('feeShareConfig: is not the config of this token');
  if (request.configKey !== undefined && request.configKey !== issued.venueConfigKey) {
    throw badRequest('configKey: is not the venueConfigKey of this config');
  }
  if (record.quoteMint !== quoteMint) throw badRequest('quoteMint: is not the quote mint of the config');
  if (request.quoteTokenProgram && request.quoteTokenProgram !== issued.quoteTokenProgram) {
    throw badRequest('quoteTokenProgram: is not the program that owns quoteMint');
  }
  const spend = BigInt(request.initialBuyQuoteRaw ?? '0');
  checkBalance(service, wallet, quoteMint, spend, 'initialBuyQuoteRaw');
  const asset = service.asset(quoteMint);
  const feeLimits = appliedFeeLimits(asset, request.feeLimits ?? undefined);
  const venue = configVenue(service, launch, wallet, issued, record);
  const format = request.transactionFormat ?? 'v0';
  const pool = launchPool(service, wallet, venue, {
    format,
    spend,
    tip: tipOf(request),
    tables: service.tables(request.additionalLookupTables ?? []),
  });
  const created = service.onchain.mint(tokenMint) !== undefined;
  const stages: StageDraft[] = [
    ...(created ? [] : [stage('launch-1', [], launchMint(service, wallet, launch, format))]),
    stage('launch-2', created ? [] : ['launch-1'], pool),
  ];
  const operation = { kind: 'launch' as const, baseMint: tokenMint, flow };
  return wirePlan(service, { endpoint, wallet, operation, asset, feeLimits, stages, status: 'ready' });
}

function stage(id: string, dependsOn: readonly string[], draft: Draft): StageDraft {
  return { id, kind: 'launch', dependsOn, draft };
}

/** `create-launch-transaction`: one bare transaction, SOL-quoted. */
function bareCurve(service: ServiceContext, request: EndpointRequest<'curveLaunch'>, user: User): string {
  const { wallet, tokenMint, configKey } = request;
  const launch = unlaunched(service, user, tokenMint, request.ipfs);
  const { issued, record } = landedConfig(service, tokenMint);
  if (configKey !== issued.venueConfigKey && configKey !== issued.configKey) {
    throw badRequest('configKey: is not the config of this token');
  }
  if (record.flow !== 'dbc')
    throw badRequest('configKey: was issued for direct pools, not for a bonding curve');
  if (record.quoteMint !== WSOL_MINT) {
    throw badRequest('configKey: has a custom quote; use /token-launch/create-transaction/v2');
  }
  if (service.onchain.mint(tokenMint) !== undefined)
    throw badRequest('tokenMint: the mint is already on chain');
  const spend = BigInt(request.initialBuyLamports);
  checkBalance(service, wallet, WSOL_MINT, spend, 'initialBuyLamports');
  const venue = configVenue(service, launch, wallet, issued, record);
  const draft = curveDraft(service, wallet, launch, venue, spend, tipOf(request));
  return service.encode('curveLaunch', compiled(service, 'curveLaunch', draft, wallet));
}

function compiled(
  service: ServiceContext,
  endpoint: EndpointName,
  draft: Draft,
  wallet: Address,
): Uint8Array {
  try {
    return service.compile(draft, endpoint, 'launch', wallet).bytes;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badRequest('ipfs: name and metadata URI are too long to launch in one transaction');
  }
}

/** The config of a token, complete on chain. Throws 400 while it is not. */
function landedConfig(
  service: ServiceContext,
  tokenMint: Address,
): { issued: IssuedConfig; record: ConfigRecord } {
  const issued = service.state.configs.get(tokenMint);
  const record = completeConfig(service, tokenMint);
  if (issued === undefined || record === undefined) {
    throw badRequest('the fee share config of this token is not on chain yet: land its plan first');
  }
  return { issued, record };
}

function configVenue(
  service: ServiceContext,
  launch: Launch,
  wallet: Address,
  issued: IssuedConfig,
  record: ConfigRecord,
): Venue {
  const venue = venueOf(service, launch.tokenMint, issued.quoteMint, {
    kind: issued.flow,
    configKey: issued.configKey,
    configType: record.configType,
  });
  ensureFeeVault(service, issued.configKey, issued.quoteMint);
  addCandidate(launch, wallet, venue);
  return venue;
}

function firstPrice(service: ServiceContext, venue: Venue): number {
  return spotPrice({
    base: { mint: venue.baseMint, tokenProgram: venue.baseTokenProgram, decimals: 6 },
    quote: service.asset(venue.quoteMint),
    reserves: { base: venue.supply, quote: venue.virtualQuote, realQuote: 0n },
    feeBps: venue.feeBps,
  });
}
