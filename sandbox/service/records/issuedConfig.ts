/** Issues fee share configs: reviews the quote, and keeps the immutable fields of an earlier issue. */

import type { Claimer } from '../../../src/contract/claimers.ts';
import {
  type EndpointRequest,
  effectiveFeeShareConfig,
  LOCKED_85_CONFIG_TYPE,
} from '../../../src/contract/index.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { feeShareConfig } from '../../programs/feeShare.ts';
import type { TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
import type { IssuedConfig } from '../state.ts';
import { pairOf } from './configAccount.ts';
import { appliedFeeLimits } from './feeLimits.ts';

type Request = EndpointRequest<'feeShareConfig'>;

/** Checks quote, type and asset profile against the reviewed configurations (C-CONFIG-13 to 16). Throws 400. */
export function reviewedQuote(service: ServiceContext, request: Request): TokenAsset {
  const { quoteMint, serviceConfigType } = effectiveFeeShareConfig(request);
  const quote = service.quotes.get(quoteMint);
  if (quote === undefined) throw badRequest('quote_not_reviewed');
  if (!quote.profileEligible)
    throw badRequest('unsupported asset profile: the quote mint has extensions that are not taken');
  if (request.quoteTokenProgram && request.quoteTokenProgram !== quote.tokenProgram) {
    throw badRequest('quoteTokenProgram: is not the program that owns quoteMint');
  }
  if (quoteMint !== WSOL_MINT) {
    if (serviceConfigType === LOCKED_85_CONFIG_TYPE) {
      throw badRequest(
        'serviceConfigType: the 85%-locked type is unavailable for quotes other than wrapped SOL',
      );
    }
    const known = [...quote.configs.keys()].some((type) => type === serviceConfigType);
    // Later edits do not affect an issued config.
    const issued = service.state.configs.get(request.baseMint);
    const same = issued?.quoteMint === quoteMint && issued.configType === serviceConfigType;
    if (!known && !same) throw badRequest('quote_not_reviewed');
  }
  return service.asset(quoteMint);
}

/**
 * Returns the config issued for a request. Quote and flow are immutable after the first call, all fields once the config is
 * complete on chain (C-CONFIG-06, C-CONFIG-16).
 */
export function issuedFor(
  service: ServiceContext,
  request: Request,
  asset: TokenAsset,
  complete: boolean,
): IssuedConfig {
  const { quoteMint, serviceConfigType, admin } = effectiveFeeShareConfig(request);
  const known = service.state.configs.get(request.baseMint);
  if (known !== undefined && known.quoteMint !== quoteMint) {
    throw badRequest('quoteMint: cannot be changed once the config is issued');
  }
  if (known !== undefined && known.flow !== request.flow) {
    throw badRequest('flow: cannot be changed once the config is issued');
  }
  if (known !== undefined && complete) return known;
  const launch = service.state.launches.get(request.baseMint);
  if (launch !== undefined && service.state.launchStatusOf(launch) !== 'PRE_LAUNCH' && known === undefined) {
    throw badRequest('baseMint: the token is already launched');
  }
  const thresholds = service.quotes.get(quoteMint)?.configs;
  const threshold = [...(thresholds ?? [])].find(([type]) => type === serviceConfigType)?.[1] ?? '0';
  const pair = { baseMint: request.baseMint, quoteMint, quoteTokenProgram: asset.tokenProgram };
  return {
    ...pair,
    configKey: feeShareConfig(pairOf(pair)),
    flow: request.flow,
    configType: serviceConfigType,
    graduationThresholdRaw:
      known?.configType === serviceConfigType ? known.graduationThresholdRaw : threshold,
    venueConfigKey: request.flow === 'dbc' ? service.keys.venueConfig(request.baseMint).address : null,
    feeLimits: appliedFeeLimits(asset, request.feeLimits ?? undefined),
    claimers: claimersOf(request),
    admin: admin ?? request.payer,
    deployer: request.payer,
    ...(request.partner ? { partner: request.partner } : {}),
    ...(known?.lookupTable === undefined ? {} : { lookupTable: known.lookupTable }),
  };
}

function claimersOf({ claimersArray, basisPointsArray }: Request): Claimer[] {
  return claimersArray.map((address, index) => ({ address, basisPoints: basisPointsArray[index] ?? 0 }));
}
