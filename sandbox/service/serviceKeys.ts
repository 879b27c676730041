/** Keys of the service by role, derived from the sandbox's seed. */

import type { Address } from '../../src/transaction/types.ts';
import type { Keypair } from '../keypair.ts';
import { createKeyring } from './keys.ts';

/** Keys by role. The functions return the key of their argument. */
export interface ServiceKeys {
  readonly wallet: Keypair;
  /** The admin of the fee share program. */
  readonly feeShareAuthority: Keypair;
  /** Mint authority of launched tokens and positions until they are sealed. */
  readonly launchAuthority: Keypair;
  /** Receives service fees. Never signs a plan. */
  readonly treasury: Keypair;
  /** Pays for sponsored claims and for the service's own transactions. */
  readonly sponsor: Keypair;
  /** Authority of the global lookup table. */
  readonly tableAuthority: Keypair;
  /** Mints the sandbox's quote tokens. */
  readonly quoteAuthority: Keypair;
  readonly tracking: Keypair;
  /** May replace the programs behind the service. Never signs. */
  readonly programAuthority: Keypair;
  quoteMint(symbol: string): Keypair;
  seeded(label: string): Keypair;
  tokenMint(index: number): Keypair;
  /** The curve config of a token. */
  venueConfig(baseMint: Address): Keypair;
  position(baseMint: Address, which: 'treasury' | 'feeClaimer'): Keypair;
}

export function createServiceKeys(seed: string): ServiceKeys {
  const ring = createKeyring(seed);
  return {
    wallet: ring.get('wallet'),
    feeShareAuthority: ring.get('fee share authority'),
    launchAuthority: ring.get('launch authority'),
    treasury: ring.get('treasury'),
    sponsor: ring.get('sponsor'),
    tableAuthority: ring.get('table authority'),
    quoteAuthority: ring.get('quote authority'),
    tracking: ring.get('tracking'),
    programAuthority: ring.get('program authority'),
    quoteMint: (symbol) => ring.get(`quote ${symbol}`),
    seeded: (label) => ring.get(`seeded ${label}`),
    tokenMint: (index) => ring.get(`token ${index}`),
    venueConfig: (baseMint) => ring.get(`venue config ${baseMint}`),
    position: (baseMint, which) => ring.get(`position ${which} ${baseMint}`),
  };
}
