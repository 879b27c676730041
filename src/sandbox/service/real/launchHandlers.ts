/** POST create-launch-transaction and create-transaction/v2: launches on the bonding curve. */
import type { EndpointRequest } from '../../../contract/index.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { wirePlan } from '../build/plan.ts';
import type { ServiceContext } from '../context.ts';
import { appliedFeeLimits } from '../handlers/feeShareConfig.ts';
import { checkBalance, tipOf } from '../handlers/launch.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { unlaunched } from '../records/launches.ts';
import type { IssuedConfig, User } from '../state.ts';
import { landedConfig } from './configAccount.ts';
import { curveLaunch, type LaunchBuild } from './launch.ts';
import { curveOf } from './venues.ts';

export const launchHandlers = {
  curveLaunch: (service, request, user) => bare(service, request, user),
  curveLaunchV2: (service, request, user) => planned(service, request, user),
} satisfies Handlers;

/** One bare transaction, quoted in SOL. */
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

/** The same as a plan of one stage, in any reviewed quote. */
function planned(service: ServiceContext, request: EndpointRequest<'curveLaunchV2'>, user: User) {
  const { wallet, tokenMint, quoteMint } = request;
  const launch = unlaunched(service, user, tokenMint, request.ipfs);
  const { issued, place } = landedCurve(service, tokenMint, request.configKey);
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
  const draft = fitting(() => curveLaunch(service, launch, place, build));
  return wirePlan(service, {
    endpoint: 'curveLaunchV2',
    wallet,
    operation: { kind: 'launch', baseMint: tokenMint, flow: 'dbc' },
    asset,
    feeLimits: appliedFeeLimits(asset, request.feeLimits ?? undefined),
    stages: [{ id: 'launch-1', kind: 'launch', dependsOn: [], draft }],
    status: 'ready',
  });
}

/** The curve that a token's config was made for, complete on chain. Throws 400 while it is not, and for another one. */
function landedCurve(service: ServiceContext, tokenMint: Address, configKey: Address) {
  const landed = landedConfig(service, tokenMint);
  if (landed === undefined) {
    throw badRequest('the fee share config of this token is not on chain yet: land its plan first');
  }
  const issued: IssuedConfig = landed.issued;
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
