/** Venues of tokens, curves and pools, read from their accounts. */
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

/** Returns the curve of an issued config; `undefined` for configs of direct pools. */
export function curveOf(issued: IssuedConfig): CurvePool | undefined {
  if (issued.venueConfigKey === null) return undefined;
  const { baseMint, quoteMint, quoteTokenProgram } = issued;
  return { config: issued.venueConfigKey, baseMint, quoteMint, quoteProgram: quoteTokenProgram };
}

/** Returns the venue record of a curve. */
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

/** Reads a curve's pool and terms; `undefined` before they are on chain. */
export function curveAccounts(service: ServiceContext, place: CurvePool) {
  const pool = read(service, accounts.virtualPool, curvePoolAddress(place));
  const terms = read(service, accounts.poolConfig, place.config);
  return pool && terms && { pool, terms };
}

/** The direct pool of an issued config. */
export function directVenue(issued: IssuedConfig, quote: TokenAsset): Venue {
  return venueOfPool(issued.baseMint, quote, { kind: 'damm_v2_direct', configKey: issued.configKey });
}

/** Returns the venue record of a pool with positions in custody. */
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

/** Whether a built pool is the one on chain, with the same claimers. */
function isLive(service: ServiceContext, { pool, kind, feeClaimer, partner }: Venue): boolean {
  if (service.onchain.account(pool) === null) return false;
  const terms = custodyTerms(service, pool);
  if (kind !== 'custody' || terms === undefined) return (kind === 'custody') === (terms !== undefined);
  return terms.feeClaimer === feeClaimer && terms.partner?.wallet === partner;
}

/** Returns the venue and status of a launched token. */
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

/** Returns the status of a launch from the chain, and updates the record's venue, wallet and signature. */
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

/** Returns the venues on chain. */
export function openVenues(service: ServiceContext): Venue[] {
  const launched = [...service.state.launches.values()].flatMap((launch) =>
    // Updates `launch.venue`.
    service.state.launchStatusOf(launch) !== 'PRE_LAUNCH' && launch.venue !== undefined ? [launch.venue] : [],
  );
  return [...launched, ...service.state.pairs];
}

/** Returns the venue of a pair. Throws 400 if there is none. */
export function venueFor(service: ServiceContext, inputMint: Address, outputMint: Address): Venue {
  const found = openVenues(service).find(
    ({ baseMint, quoteMint }) =>
      (baseMint === outputMint && quoteMint === inputMint) ||
      (baseMint === inputMint && quoteMint === outputMint),
  );
  if (found === undefined) throw badRequest('no route between inputMint and outputMint');
  return found;
}
