/** Where tokens trade, and for what. */

import type { Address } from '../../../transaction/types.ts';
import type { TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
import type { Venue } from '../state.ts';

/** Virtual quote reserve of a new pool, in dollars. */
const VIRTUAL_USD = 4_500;
export const CUSTODY_FEE_BPS = 200;

/** Quote units a new pool counts beside its real ones, so that it has a price before its first trade. */
export function virtualQuoteOf({ quotes }: ServiceContext, quote: TokenAsset): bigint {
  const usd = quotes.get(quote.mint)?.usd ?? 1;
  return BigInt(Math.round(VIRTUAL_USD / usd)) * 10n ** BigInt(quote.decimals);
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
