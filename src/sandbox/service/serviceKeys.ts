/** The service's own roles and the key of each, all derived from the sandbox's seed. */
import type { Address } from '../../transaction/types.ts';
import { createKeyring, type Keypair } from './keys.ts';

/** Keys by role. Functions take what the key belongs to. */
export interface ServiceKeys {
  readonly wallet: Keypair;
  /** Mint and metadata authority of configs, owner of their fee vaults; the admin of the fee share program. */
  readonly feeShareAuthority: Keypair;
  /** Mint authority of launched tokens and positions until they are sealed. */
  readonly launchAuthority: Keypair;
  /** Receives service fees. Never signs a plan. */
  readonly treasury: Keypair;
  /** Pays for sponsored claims and for the service's own transactions. */
  readonly sponsor: Keypair;
  /** Authority of the global lookup table. */
  readonly tableAuthority: Keypair;
  /** Holds the locked positions of custody launches. */
  readonly custodyAuthority: Keypair;
  /** Mints the sandbox's quote tokens. */
  readonly quoteAuthority: Keypair;
  readonly tracking: Keypair;
  /** May replace the programs behind the service. Never signs. */
  readonly programAuthority: Keypair;
  quoteMint(symbol: string): Keypair;
  seeded(label: string): Keypair;
  tokenMint(index: number): Keypair;
  config(baseMint: Address): Keypair;
  venueConfig(baseMint: Address): Keypair;
  pool(baseMint: Address): Keypair;
  poolAuthority(baseMint: Address): Keypair;
  position(baseMint: Address, which: 'treasury' | 'feeClaimer'): Keypair;
  feeVault(configKey: Address): Keypair;
  escrow(requestId: string): Keypair;
  /** Owner of the aggregate vaults of one wallet and kind. */
  vaultOwner(wallet: Address, kind: 'partner' | 'deployer'): Keypair;
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
    custodyAuthority: ring.get('custody authority'),
    quoteAuthority: ring.get('quote authority'),
    tracking: ring.get('tracking'),
    programAuthority: ring.get('program authority'),
    quoteMint: (symbol) => ring.get(`quote ${symbol}`),
    seeded: (label) => ring.get(`seeded ${label}`),
    tokenMint: (index) => ring.get(`token ${index}`),
    config: (baseMint) => ring.get(`config ${baseMint}`),
    venueConfig: (baseMint) => ring.get(`venue config ${baseMint}`),
    pool: (baseMint) => ring.get(`pool ${baseMint}`),
    poolAuthority: (baseMint) => ring.get(`pool authority ${baseMint}`),
    position: (baseMint, which) => ring.get(`position ${which} ${baseMint}`),
    feeVault: (configKey) => ring.get(`fee vault ${configKey}`),
    escrow: (requestId) => ring.get(`escrow ${requestId}`),
    vaultOwner: (wallet, kind) => ring.get(`${kind} vault ${wallet}`),
  };
}
