/**
 * The expected outcome of a request: the maximum amounts that may leave, and the parties. Derived from the request, this
 * home's records and our own RPC, never from the service's answer. JSON.
 */

import type { TokenNames } from '../../../plan/notes.ts';
import type { Asset, ClaimerShare } from '../../../programs/acts.ts';
import type { Address } from '../../../transaction/types.ts';

/** An amount of one asset, in base units as a decimal string. */
export interface Amount {
  readonly asset: Asset;
  readonly amount: string;
}

export interface ExpectedOutcome {
  /** Maximum amounts that may leave in the whole run, without fees and deposits. */
  readonly maxOut: readonly Amount[];
  /** Maximum lamports deposited in new accounts, in the whole run. */
  readonly maxDeposits: string;
  /** Non-refundable lamports above rent, for token metadata and the pool. */
  readonly surcharges?: string;
  readonly tip?: { readonly wallet: Address; readonly lamports: string };
  readonly baseMint?: Address;
  readonly quoteMint?: Address;
  /** Claimers with their shares. */
  readonly claimers?: readonly ClaimerShare[];
  /** The key that may change the claimers later; `null` if no key may. */
  readonly manager?: Address | null;
  readonly partner?: Address;
  /** Receives the fees of positions in custody. */
  readonly feeClaimer?: Address;
  /** Recipients of payments. */
  readonly paid?: readonly Address[];
  /** The launched token: its mint, its metadata URI and, if this home registered it, its names. */
  readonly token?: { readonly mint: Address; readonly uri: string | undefined } & Partial<TokenNames>;
}
