/**
 * What the sandbox's service remembers beside the chain: who may call, which launches were registered, which
 * configs were issued, which quotes are open. Whatever the chain can tell (does a config exist, was a token
 * launched, what lies in a vault) is read from the chain and not kept here.
 */
import type { HttpBindings } from '@hono/node-server';
import type { Claimer, FeeLimitText } from '../../src/contract/claimers.ts';
import type { Address } from '../../src/transaction/types.ts';

/** An account of the service: the holder of keys, the unit of the rate limit. */
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

/** A token registered with create-token-info (or seeded). Live facts come from `launchStatusOf`. */
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
  /** Which of the service's token keys the mint is. */
  readonly serial: number;
  /** Venues launch transactions were built for, newest first. Which of them landed, the chain decides. */
  candidates: readonly Venue[];
  /** Where it trades, once the pool is on chain. */
  venue?: Venue;
  launchWallet?: Address;
  /** The pool's launch transaction, once seen on chain. */
  launchSignature?: string;
}

/** Where a token trades. */
export interface Venue {
  readonly kind: 'custody' | 'damm_v2_direct' | 'dbc' | 'pair';
  readonly baseMint: Address;
  readonly baseTokenProgram: Address;
  /** Address that names the pool in answers. */
  readonly pool: Address;
  readonly quoteMint: Address;
  readonly quoteTokenProgram: Address;
  /** The config that earns, absent for a custody launch and a plain pair. */
  readonly configKey?: Address;
  /** Custody launches: who earns, and through which partner. */
  readonly feeClaimer?: Address;
  readonly partner?: Address;
}

/** A fee share config as issued; whether and with which claimers it exists is on chain. */
export interface IssuedConfig {
  readonly baseMint: Address;
  readonly configKey: Address;
  readonly flow: 'dbc' | 'damm_v2_direct';
  readonly quoteMint: Address;
  readonly quoteTokenProgram: Address;
  readonly configType: string;
  /** Threshold saved at issuance; later edits of the quote's configuration do not change it. */
  readonly graduationThresholdRaw: string;
  readonly venueConfigKey: Address | null;
  readonly feeLimits: readonly FeeLimitText[];
  /** Claimers of the request that issued it. The chain's list counts once it exists. */
  readonly claimers: readonly Claimer[];
  readonly admin: Address;
  readonly deployer: Address;
  readonly partner?: Address;
  /** The lookup table of this config's plan, when one was needed. */
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
  /** Milliseconds since the epoch; useless from then on. */
  readonly expiresAt: number;
  /** What was built for it, each as a hash without its blockhash. */
  messages?: readonly string[];
  /** What it was simulated with. */
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
 * Who opens a direct pool: the service with what it holds; the service, which wraps SOL for it in the same transaction;
 * or the wallet, which is given the whole supply for that.
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
  /** The service's lookup table for a token's launch, by token mint,. */
  readonly launchTables: Map<Address, Address>;
  /** Token mints with a running incorporation, per user (kept by the reads). */
  readonly incorporations: Map<Address, { readonly userId: string; readonly startedAt: number }>;
  /** Status of a launch, from the chain. */
  launchStatusOf(launch: Launch): LaunchStatus;
  /** Claimers of a token's config as the chain has them now; empty when there is none. */
  claimersOf(tokenMint: Address): readonly Claimer[];
  /** Milliseconds since the epoch, on the sandbox's clock. */
  now(): number;
}

/** Variables every handler finds on its hono context. */
export interface ServiceEnv {
  Bindings: HttpBindings;
  Variables: { user: User; requestId: string };
}

/** State with nothing in it. Live facts are wired by the service. */
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
