/** The stock encoding: what the service reads of it, beside its handlers. */
import type { Encoding } from './encoding.ts';
import { seedMarket } from './market.ts';
import { claimersOnChain } from './records/configs.ts';
import { settle } from './records/fees.ts';
import { launchStatus } from './records/launches.ts';
import { openVenues } from './records/venues.ts';

export const stockEncoding: Encoding = {
  name: 'stock',
  seedMarket,
  launchStatus,
  claimers: claimersOnChain,
  // Fees count by the split in force when they came in, so both are looked at as they land.
  landed: (service, named) => {
    for (const venue of openVenues(service)) {
      if (named.has(venue.feeVault) || named.has(venue.configKey ?? '')) settle(service, venue);
    }
  },
};
