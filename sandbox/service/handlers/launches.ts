/** POST create-launch-transaction and create-transaction/v2: launches on the bonding curve, and in pools of their own. */
import type { EndpointRequest } from '../../../src/contract/index.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { feeShareAuthority } from '../../programs/feeShare.ts';
import type { Draft } from '../build/compile.ts';
import { curveLaunch, type LaunchBuild } from '../build/launch.ts';
import { type StageDraft, wirePlan } from '../build/plan.ts';
import { directPool, handOverDraft, openingDraft } from '../build/poolLaunch.ts';
import { ensureOpeningFunds, tokenDraft } from '../build/poolToken.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { landedConfig, pairOf } from '../records/configAccount.ts';
import { appliedFeeLimits } from '../records/feeLimits.ts';
import { addCandidate, ownLaunch, unlaunched } from '../records/launches.ts';
import { heldBy } from '../records/pools.ts';
import { curveOf, directVenue } from '../records/venues.ts';
import { checkBalance, tipOf } from '../records/wallet.ts';
import type { IssuedConfig, Launch, User } from '../state.ts';

export const launchHandlers = {
  curveLaunch: (service, request, user) => bare(service, request, user),
  curveLaunchV2: (service, request, user) => plannedCurve(service, request, user),
  dammLaunchV2: (service, request, user) => plannedPool(service, request, user),
} satisfies Handlers;

/** Builds a launch quoted in SOL as one bare transaction. */
function bare(service: ServiceContext, request: EndpointRequest<'curveLaunch'>, user: User): string {
  const { wallet, tokenMint, configKey } = request;
  const launch = unlaunched(service, user, tokenMint, request.ipfs);
  const { issued, place } = landedCurve(service, tokenMint, configKey);
  if (issued.quoteMint !== WSOL_MINT) {
    throw badRequest('configKey: has a custom quote; use /token-launch/create-transaction/v2');
  }
  const spend = BigInt(request.initialBuyLamports);
  checkBalance(service, wallet, WSOL_MINT, spend, 'initialBuyLamports');
  const build = { wallet, format: 'v0', spend, tip: tipOf(request), tables: [] } as const;
  const draft = fitting(() => curveLaunch(service, launch, place, build));
  const { bytes } = fitting(() => service.compile(draft, 'curveLaunch', 'launch', wallet));
  return service.encode('curveLaunch', bytes);
}

/** Builds a launch in any reviewed quote as a plan of one stage. */
function plannedCurve(service: ServiceContext, request: EndpointRequest<'curveLaunchV2'>, user: User) {
  const { tokenMint, configKey } = request;
  const launch = unlaunched(service, user, tokenMint, request.ipfs);
  const { issued, place } = landedCurve(service, tokenMint, configKey);
  const { build, plan } = checked(service, 'curveLaunchV2', request, issued);
  const draft = fitting(() => curveLaunch(service, launch, place, build));
  return plan([{ id: 'launch-1', kind: 'launch', dependsOn: [], draft }]);
}

/** Builds a pool launch: the token, its pool with locked positions and the first buy, and the handover of the claimers' position. */
async function plannedPool(service: ServiceContext, request: EndpointRequest<'dammLaunchV2'>, user: User) {
  const { tokenMint, wallet } = request;
  const waiting = awaitingHandOver(service, ownLaunch(service, user, tokenMint));
  const launch = waiting ?? unlaunched(service, user, tokenMint, request.ipfs);
  const { issued } = landedConfigOf(service, tokenMint);
  if (issued.flow !== 'damm_v2_direct') {
    throw badRequest('feeShareConfig: was issued for the flow dbc, not damm_v2_direct');
  }
  const { asset, build, plan } = checked(service, 'dammLaunchV2', request, issued);
  const pool = directPool(service, issued, asset, service.state.poolDeposits);
  const { deposits, supply } = pool;
  const handOverStage = (after: readonly string[]) =>
    stageOf('launch-3', after, handOverDraft(service, launch, feeShareAuthority(pairOf(issued)), build));
  if (waiting !== undefined) return plan([handOverStage([])]);

  addCandidate(launch, wallet, directVenue(issued, asset));
  const created = service.onchain.mint(tokenMint) !== undefined;
  const holder = deposits === 'wallet' ? wallet : service.keys.launchAuthority.address;
  const token = fitting(() => tokenDraft(service, launch, build, supply, holder));
  ensureOpeningFunds(service, asset);
  const opens = await openingDraft(service, launch, pool, build);
  return plan([
    ...(created ? [] : [stageOf('launch-1', [], token)]),
    stageOf('launch-2', created ? [] : ['launch-1'], opens),
    ...(deposits === 'wallet' ? [] : [handOverStage(['launch-2'])]),
  ]);
}

/** Returns the launch if it is on chain and the service still holds the claimers' position. */
function awaitingHandOver(service: ServiceContext, launch: Launch): Launch | undefined {
  const { keys, state } = service;
  if (state.launchStatusOf(launch) === 'PRE_LAUNCH' || launch.venue?.kind !== 'damm_v2_direct')
    return undefined;
  const nft = keys.position(launch.tokenMint, 'feeClaimer').address;
  return heldBy(service, nft, keys.launchAuthority.address) === undefined ? undefined : launch;
}

const stageOf = (id: string, dependsOn: readonly string[], draft: Draft): StageDraft => ({
  id,
  kind: 'launch',
  dependsOn,
  draft,
});

/** Shared checks, build options and plan of the staged launches. */
function checked(
  service: ServiceContext,
  endpoint: 'curveLaunchV2' | 'dammLaunchV2',
  request: EndpointRequest<'dammLaunchV2'>,
  issued: IssuedConfig,
) {
  const { wallet, tokenMint, quoteMint } = request;
  if (request.feeShareConfig !== issued.configKey) {
    throw badRequest('feeShareConfig: is not the config of this token');
  }
  if (issued.quoteMint !== quoteMint) throw badRequest('quoteMint: is not the quote mint of the config');
  if (request.quoteTokenProgram && request.quoteTokenProgram !== issued.quoteTokenProgram) {
    throw badRequest('quoteTokenProgram: is not the program that owns quoteMint');
  }
  const spend = BigInt(request.initialBuyQuoteRaw ?? '0');
  checkBalance(service, wallet, quoteMint, spend, 'initialBuyQuoteRaw');
  const asset = service.asset(quoteMint);
  const build: LaunchBuild = {
    wallet,
    format: request.transactionFormat ?? 'v0',
    spend,
    tip: tipOf(request),
    tables: service.tables(request.additionalLookupTables ?? []),
  };
  const feeLimits = appliedFeeLimits(asset, request.feeLimits ?? undefined);
  const plan = (stages: readonly StageDraft[]) =>
    wirePlan(service, {
      endpoint,
      wallet,
      operation: { kind: 'launch', baseMint: tokenMint, flow: issued.flow },
      asset,
      feeLimits,
      stages,
      status: 'ready',
    });
  return { asset, build, plan };
}

/** Returns a token's complete config. Throws 400 before it is complete on chain. */
function landedConfigOf(service: ServiceContext, tokenMint: Address) {
  const landed = landedConfig(service, tokenMint);
  if (landed === undefined) {
    throw badRequest('the fee share config of this token is not on chain yet: land its plan first');
  }
  return landed;
}

/** Returns the curve of a token's complete config. Throws 400 before it is complete on chain and for another config key. */
function landedCurve(service: ServiceContext, tokenMint: Address, configKey: Address) {
  const { issued } = landedConfigOf(service, tokenMint);
  const place = curveOf(issued);
  if (place === undefined)
    throw badRequest('configKey: was issued for direct pools, not for a bonding curve');
  if (configKey !== issued.venueConfigKey)
    throw badRequest('configKey: is not the venueConfigKey of this config');
  return { issued, place };
}

function fitting<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badRequest('ipfs: name and metadata URI are too long to launch in one transaction');
  }
}
