/** Launch records and what the chain says about them: a token is launched when its pool is there. */
import { custodyMemo, launchMemo } from '../../../contract/stockPrograms.ts';
import type { Address } from '../../../transaction/types.ts';
import type { TransactionRecord } from '../../chain/types.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest, forbidden } from '../http/errors.ts';
import type { Launch, LaunchStatus, User, Venue } from '../state.ts';

/** The status of a launch. Also brings its venue and signature up to what the chain shows. */
export function launchStatus(service: ServiceContext, launch: Launch): LaunchStatus {
  const venue = liveVenue(service, launch);
  if (venue === undefined) return 'PRE_LAUNCH';
  if (venue.kind !== 'dbc') return 'MIGRATED';
  const threshold = BigInt(service.state.configs.get(launch.tokenMint)?.graduationThresholdRaw ?? '0');
  const raised = service.onchain.balance(venue.quoteVault);
  return threshold > 0n && raised >= threshold ? 'MIGRATED' : 'PRE_GRAD';
}

/** Where a token trades, once it does. A launch that a fork dropped does not count. */
function liveVenue(service: ServiceContext, launch: Launch): Venue | undefined {
  const { onchain } = service;
  const open = ({ baseVault, quoteVault }: Venue) =>
    onchain.tokenAccount(baseVault) !== undefined && onchain.tokenAccount(quoteVault) !== undefined;
  if (launch.venue !== undefined) {
    if (open(launch.venue)) return launch.venue;
    delete launch.venue;
    delete launch.launchSignature;
  }
  for (const candidate of launch.candidates) {
    if (!open(candidate)) continue;
    const record = openedBy(service, candidate);
    if (record === undefined) continue;
    launch.venue = candidate;
    launch.launchSignature = record.signature;
    launch.updatedAt = record.blockTime * 1000;
    return candidate;
  }
  return undefined;
}

/** The transaction that opened a venue with exactly this config, claimer and partner, as its memo says. */
function openedBy(service: ServiceContext, venue: Venue): TransactionRecord | undefined {
  const { configKey, feeClaimer = '', partner } = venue;
  const named = configKey === undefined ? custodyMemo(feeClaimer, partner) : launchMemo(configKey);
  return service.onchain.chain
    .transactionsFor(venue.baseVault)
    .findLast(({ err, bytes }) => err === null && Buffer.from(bytes).includes(named));
}

/**
 * The record of a token about to be launched. Throws 400 when it is unknown, launched, or its metadata another;
 * 403 when it is another caller's.
 */
export function unlaunched(service: ServiceContext, user: User, tokenMint: Address, ipfs: string): Launch {
  const launch = ownLaunch(service, user, tokenMint);
  if (service.state.launchStatusOf(launch) !== 'PRE_LAUNCH')
    throw badRequest('tokenMint: the token is already launched');
  if (launch.uri !== ipfs) throw badRequest('ipfs: is not the metadata URI of this token');
  return launch;
}

/** The record of a caller's token. Throws 400 when it is unknown, 403 when it is another caller's. */
export function ownLaunch(service: ServiceContext, user: User, tokenMint: Address): Launch {
  const launch = service.state.launches.get(tokenMint);
  if (launch === undefined) throw badRequest('tokenMint: no launch was registered with this mint');
  if (launch.userId !== user.userId)
    throw forbidden('API key does not have permission to access this resource');
  return launch;
}

/** Remembers a venue that was built, newest first, one for each outcome the chain can show. */
export function addCandidate(launch: Launch, wallet: Address, venue: Venue): void {
  const same = (other: Venue) =>
    other.quoteVault === venue.quoteVault &&
    other.configKey === venue.configKey &&
    other.feeClaimer === venue.feeClaimer &&
    other.partner === venue.partner;
  launch.candidates = [venue, ...launch.candidates.filter((other) => !same(other))];
  launch.launchWallet = wallet;
}
