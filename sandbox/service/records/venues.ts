/** Where tokens trade: on curves and in pools, read from their accounts. */
import { readAs } from '../../../src/programs/account.ts';
import * as accounts from '../../../src/programs/dbc/accounts.ts';
import { TOKEN_PROGRAM } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { CustodyTerms } from '../../programs/custody.ts';
import { type CurvePool, curvePoolAddress } from '../../programs/dbc.ts';
import type { TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
import type { IssuedConfig, Launch, LaunchStatus, Venue } from '../state.ts';
import { custodyTerms } from './custody.ts';
import { venueOfPool } from './pools.ts';

/** The curve of an issued config; `undefined` for configs of direct pools. */
export function curveOf(issued: IssuedConfig): CurvePool | undefined {
  if (issued.venueConfigKey === null) return undefined;
  const { baseMint, quoteMint, quoteTokenProgram } = issued;
  return { config: issued.venueConfigKey, baseMint, quoteMint, quoteProgram: quoteTokenProgram };
}

/** The curve as answers and reads describe where a token trades. */
export function venueOfCurve(place: CurvePool, issued: IssuedConfig): Venue {
  return {
    kind: 'dbc',
    baseMint: place.baseMint,
    baseTokenProgram: TOKEN_PROGRAM,
    pool: curvePoolAddress(place),
    quoteMint: place.quoteMint,
    quoteTokenProgram: place.quoteProgram,
    configKey: issued.configKey,
  };
}

const read = <F>(
  service: ServiceContext,
  layout: Parameters<typeof readAs<F>>[0],
  address: Address,
): F | undefined => {
  const account = service.onchain.account(address);
  const fields = account && readAs(layout, account);
  return fields === null || typeof fields === 'string' ? undefined : fields;
};

/** A curve's pool and terms, while they are on chain. */
export function curveAccounts(service: ServiceContext, place: CurvePool) {
  const pool = read(service, accounts.virtualPool, curvePoolAddress(place));
  const terms = read(service, accounts.poolConfig, place.config);
  return pool && terms && { pool, terms };
}

/** The direct pool of an issued config. */
export function directVenue(issued: IssuedConfig, quote: TokenAsset): Venue {
  return venueOfPool(issued.baseMint, quote, { kind: 'damm_v2_direct', configKey: issued.configKey });
}

/** A pool whose positions are in custody. */
export function custodyVenue(
  baseMint: Address,
  quote: TokenAsset,
  { feeClaimer, partner }: CustodyTerms,
): Venue {
  return venueOfPool(baseMint, quote, {
    kind: 'custody',
    feeClaimer,
    ...(partner === undefined ? {} : { partner: partner.wallet }),
  });
}

/** Whether a pool that was built is the one on chain: for the same claimers, of a custody or of a config. */
function isLive(service: ServiceContext, { pool, kind, feeClaimer, partner }: Venue): boolean {
  if (service.onchain.account(pool) === null) return false;
  const terms = custodyTerms(service, pool);
  if (kind !== 'custody' || terms === undefined) return (kind === 'custody') === (terms !== undefined);
  return terms.feeClaimer === feeClaimer && terms.partner?.wallet === partner;
}

/** Where a token trades now, and how far it has come. */
function liveVenue(
  service: ServiceContext,
  launch: Launch,
): { readonly venue: Venue; readonly status: LaunchStatus } | undefined {
  const issued = service.state.configs.get(launch.tokenMint);
  const place = issued && curveOf(issued);
  const found = place && curveAccounts(service, place);
  if (issued && place && found) {
    const complete = found.pool.quoteReserve >= found.terms.migrationQuoteThreshold;
    const status = found.pool.isMigrated === 1 ? 'MIGRATED' : complete ? 'MIGRATING' : 'PRE_GRAD';
    return { venue: venueOfCurve(place, issued), status };
  }
  // A pool has no curve to complete.
  const venue = launch.candidates.find((each) => isLive(service, each));
  return venue && { venue, status: 'MIGRATED' };
}

/** The status of a launch as its pool's account says. Brings venue, wallet and signature up to it. */
export function launchStatus(service: ServiceContext, launch: Launch): LaunchStatus {
  const live = liveVenue(service, launch);
  if (live === undefined) return 'PRE_LAUNCH';
  if (launch.venue?.pool !== live.venue.pool) {
    const opened = service.onchain.chain.transactionsFor(live.venue.pool).findLast(({ err }) => err === null);
    launch.venue = live.venue;
    if (opened !== undefined) {
      launch.launchWallet = opened.staticAccounts[0];
      launch.launchSignature = opened.signature;
      launch.updatedAt = opened.blockTime * 1000;
    }
  }
  return live.status;
}

/** Venues that are on chain. */
export function openVenues(service: ServiceContext): Venue[] {
  const launched = [...service.state.launches.values()].flatMap((launch) =>
    // Asking for the status is what finds the venue of a launch that has landed since.
    service.state.launchStatusOf(launch) !== 'PRE_LAUNCH' && launch.venue !== undefined ? [launch.venue] : [],
  );
  return [...launched, ...service.state.pairs];
}

/** Where one token trades for another. Throws 400 when nowhere. */
export function venueFor(service: ServiceContext, inputMint: Address, outputMint: Address): Venue {
  const found = openVenues(service).find(
    ({ baseMint, quoteMint }) =>
      (baseMint === outputMint && quoteMint === inputMint) ||
      (baseMint === inputMint && quoteMint === outputMint),
  );
  if (found === undefined) throw badRequest('no route between inputMint and outputMint');
  return found;
}
