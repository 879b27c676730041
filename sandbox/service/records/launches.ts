/** Records of registered tokens and of the venues built for them. */
import type { Address } from '../../../src/transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest, forbidden } from '../http/errors.ts';
import type { Launch, User, Venue } from '../state.ts';

/**
 * Returns the record of a token before its launch. Throws 400 if it is unknown, launched or has other metadata; 403 if
 * another caller registered it.
 */
export function unlaunched(service: ServiceContext, user: User, tokenMint: Address, ipfs: string): Launch {
  const launch = ownLaunch(service, user, tokenMint);
  if (service.state.launchStatusOf(launch) !== 'PRE_LAUNCH')
    throw badRequest('tokenMint: the token is already launched');
  if (launch.uri !== ipfs) throw badRequest('ipfs: is not the metadata URI of this token');
  return launch;
}

/** Returns the record of a caller's token. Throws 400 if it is unknown, 403 if another caller registered it. */
export function ownLaunch(service: ServiceContext, user: User, tokenMint: Address): Launch {
  const launch = service.state.launches.get(tokenMint);
  if (launch === undefined) throw badRequest('tokenMint: no launch was registered with this mint');
  if (launch.userId !== user.userId)
    throw forbidden('API key does not have permission to access this resource');
  return launch;
}

/** Records a built venue, newest first, without duplicates. */
export function addCandidate(launch: Launch, wallet: Address, venue: Venue): void {
  const same = (other: Venue) =>
    other.pool === venue.pool &&
    other.configKey === venue.configKey &&
    other.feeClaimer === venue.feeClaimer &&
    other.partner === venue.partner;
  launch.candidates = [venue, ...launch.candidates.filter((other) => !same(other))];
  launch.launchWallet = wallet;
}
