/**
 * Records of the service that are not on chain: users, registered launches, issued configs, open quotes. Facts on chain, such
 * as the existence of a config or the balance of a vault, are read from the chain.
 */
import type { HttpBindings } from '@hono/node-server';
import type { Claimer, FeeLimitText } from '../../src/contract/claimers.ts';
import type { Address } from '../../src/transaction/types.ts';

/** An account of the service; holds API keys and has its own rate limit. */
export interface User {
  readonly userId: string;
  readonly name: string;
}

/** An issued API key. The secret value is `key`. */
export interface ApiKey {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  readonly key: string;
  readonly status: 'active';
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  lastUsedAt: number;
}

export type LaunchStatus = 'PRE_LAUNCH' | 'PRE_GRAD' | 'MIGRATING' | 'MIGRATED';

/** A token that was registered with create-token-info or seeded. `launchStatusOf` returns its status. */
export interface Launch {
  readonly tokenMint: Address;
  readonly userId: string;
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly image: string;
  readonly uri: string;
  readonly telegram: string | null;
  readonly twitter: string | null;
  readonly website: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  updatedAt: number;
  /** Index of the mint among the service's token keys. */
  readonly serial: number;
  /** Venues of built launch transactions, newest first; at most one is on chain. */
  candidates: readonly Venue[];
  /** The venue, once its pool is on chain. */
  venue?: Venue;
  launchWallet?: Address;
  /** The pool's launch transaction, once seen on chain. */
  launchSignature?: string;
}

/** The venue of a token. */
export interface Venue {
  readonly kind: 'custody' | 'damm_v2_direct' | 'dbc' | 'pair';
  readonly baseMint: Address;
  readonly baseTokenProgram: Address;
  /** Address that names the pool in answers. */
  readonly pool: Address;
  readonly quoteMint: Address;
  readonly quoteTokenProgram: Address;
  /** The fee share config; absent for a custody launch and a plain pair. */
  readonly configKey?: Address;
  /** Fee claimer and partner of a custody launch. */
  readonly feeClaimer?: Address;
  readonly partner?: Address;
}

/** An issued fee share config. Its existence and current claimers are read from the chain. */
export interface IssuedConfig {
  readonly baseMint: Address;
  readonly configKey: Address;
  readonly flow: 'dbc' | 'damm_v2_direct';
  readonly quoteMint: Address;
  readonly quoteTokenProgram: Address;
  readonly configType: string;
  /** Threshold at issuance; not affected by later edits of the quote's configuration. */
  readonly graduationThresholdRaw: string;
  readonly venueConfigKey: Address | null;
  readonly feeLimits: readonly FeeLimitText[];
  /** Claimers of the issuing request. */
  readonly claimers: readonly Claimer[];
  readonly admin: Address;
  readonly deployer: Address;
  readonly partner?: Address;
  /** The lookup table of the config's plan, if it needs one. */
  lookupTable?: {
    readonly table: Address;
    readonly recentSlot: bigint;
    readonly addresses: readonly Address[];
  };
}

/** A claim that landed. */
export interface ClaimEvent {
  readonly tokenMint: Address;
  readonly wallet: Address;
  readonly isCreator: boolean;
  /** Base units of the quote mint. */
  readonly amount: bigint;
  readonly signature: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** A cached quote. Amounts in base units. */
export interface Quote {
  readonly requestId: string;
  readonly taker: Address;
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly venue: Venue;
  readonly inAmount: bigint;
  readonly outAmount: bigint;
  readonly minOutAmount: bigint;
  /** Expiry, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Hashes of the transactions built for it, without their blockhashes. */
  messages?: readonly string[];
  /** Parameters and result of its simulation. */
  readonly built: {
    readonly through: 'venue' | 'router';
    readonly slippageBps: number;
    readonly venueOut: bigint;
    readonly serviceFee: bigint;
    readonly outAmount: bigint;
    readonly minOutAmount: bigint;
  };
}

/**
 * The depositor of a direct pool: the service from its holdings; the service, wrapping SOL in the same transaction; or the
 * wallet, which receives the supply first.
 */
export type PoolDeposits = 'service' | 'service-wraps' | 'wallet';

/** Variants of what the service builds. */
interface Variants {
  /** The program that swaps call. */
  swapsThrough: 'venue' | 'router';
  /** The depositor of direct pools. */
  poolDeposits: PoolDeposits;
  /** The holder of the fee claimer's position in a custody launch. */
  claimerPosition: 'custody' | 'wallet';
}

/** Records of the service. */
export interface ServiceState extends Variants {
  readonly users: Map<string, User>;
  /** By secret value. */
  readonly apiKeys: Map<string, ApiKey>;
  /** Open wallet logins by nonce; the message in base58 (C-AUTH-06). */
  readonly challenges: Map<
    string,
    { readonly address: Address; readonly message: string; readonly expiresAt: number }
  >;
  /** By token mint, in order of registration. */
  readonly launches: Map<Address, Launch>;
  /** By base mint. */
  readonly configs: Map<Address, IssuedConfig>;
  /** Pools that are no launches. */
  readonly pairs: Venue[];
  /** By requestId. */
  readonly quotes: Map<string, Quote>;
  /** The service's lookup table for a token's launch, by token mint. */
  readonly launchTables: Map<Address, Address>;
  /** Started incorporations by token mint. */
  readonly incorporations: Map<Address, { readonly userId: string; readonly startedAt: number }>;
  /** Status of a launch, from the chain. */
  launchStatusOf(launch: Launch): LaunchStatus;
  /** Claimers of a token's config on chain; empty if there is none. */
  claimersOf(tokenMint: Address): readonly Claimer[];
  /** Milliseconds since the epoch, on the sandbox's clock. */
  now(): number;
}

/** Hono variables of every request. */
export interface ServiceEnv {
  Bindings: HttpBindings;
  Variables: { user: User; requestId: string };
}

/** Creates empty records. */
export function emptyState(live: Pick<ServiceState, 'launchStatusOf' | 'claimersOf' | 'now'>): ServiceState {
  return {
    users: new Map(),
    apiKeys: new Map(),
    challenges: new Map(),
    launches: new Map(),
    configs: new Map(),
    pairs: [],
    quotes: new Map(),
    swapsThrough: 'router',
    poolDeposits: 'service',
    claimerPosition: 'custody',
    launchTables: new Map(),
    incorporations: new Map(),
    ...live,
  };
}
