/**
 * Numbers and well-known addresses of the contract: docs/contract.md C-LIMIT-01, C-BUNDLE-02, C-EVM-02, C-EVM-07.
 */

/** The only `contractVersion` of config answers and plans this project signs for (C-PLAN-01). */
export const CONTRACT_VERSION = 1;

export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/** Total of every basis-point split. */
export const TOTAL_BASIS_POINTS = 10_000;

/** Decimals of the tokens the service launches. */
export const LAUNCH_DECIMALS = 6;
/** The service's fee of a swap in basis points, in addition to the pool's fee (C-TRADE-07). */
export const SERVICE_FEE_BPS = 100;
/** The deployer's share of the claimers' gross fees in a SOL-quoted config (C-CONFIG-12). */
export const DEPLOYER_SHARE_BPS = 2_500;

/** Largest value of a u64, the type behind every raw token amount. */
export const MAX_U64 = 18_446_744_073_709_551_615n;

export const LIMITS = {
  /** Fee claimers per launch, the creator included. */
  claimers: 100,
  feeLimits: 4,
  additionalLookupTables: 8,
  /** Transactions of a custody launch bundle. */
  bundleTransactions: 5,
  /** Unicode code points. */
  ipfs: 200,
  keyName: 255,
  jwt: 8192,
  requestId: 128,
  tokenName: 32,
  tokenSymbol: 10,
  tokenDescription: 1000,
  /** Bytes; an image must be smaller. */
  imageBytes: 15 * 1024 * 1024,
  link: 512,
  username: 100,
  evmTrades: 200,
  evmTokenCreations: 100,
  claimEvents: 100,
  /** Requests an hour, over all keys of an account. */
  requestsPerHour: 5000,
  /** Slots after `LUT_DEACTIVATE` landed from which `LUT_CLOSE` is valid (C-BUNDLE-09). */
  tableCloseSlots: 513,
  /** Seconds a quote stays usable (C-TRADE-03). */
  quoteSeconds: 60,
} as const;

/** Maximum unix time in seconds; larger values are milliseconds (C-FIELD-06). */
export const MAX_UNIX_SECONDS = 4_294_967_295;
