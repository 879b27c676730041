/**
 * What a request leads to: what may leave and who takes part. It is made from the request, from what this home stored
 * itself and from our own view of the chain; a field of the service's answer is never part of it. JSON.
 */

import type { TokenNames } from '../../../plan/tokenNames.ts';
import type { Asset, ClaimerShare } from '../../../programs/acts.ts';
import type { Address } from '../../../transaction/types.ts';

/** An amount of one asset, base units as a decimal text. */
export interface Amount {
  readonly asset: Asset;
  readonly amount: string;
}

export interface ExpectedOutcome {
  /** Most that may leave in the whole run, fees and deposits apart. */
  readonly mostOut: readonly Amount[];
  /** Most lamports deposited in accounts that are made, in the whole run. */
  readonly mostDeposits: string;
  /** Lamports taken above rent that are known: for the name of a token, for a pool. They do not come back. */
  readonly surcharges?: string;
  readonly tip?: { readonly wallet: Address; readonly lamports: string };
  readonly baseMint?: Address;
  readonly quoteMint?: Address;
  /** Everyone who earns, with their shares. */
  readonly claimers?: readonly ClaimerShare[];
  /** May change who earns afterwards; `null`: no key may. */
  readonly manager?: Address | null;
  readonly partner?: Address;
  /** Earns from positions that are held in custody. */
  readonly feeClaimer?: Address;
  /** Everyone who gets a payment. */
  readonly paid?: readonly Address[];
  /** The token that is made: its mint, the link to what describes it, and its names where this home registered it. */
  readonly token?: { readonly mint: Address; readonly uri: string | undefined } & Partial<TokenNames>;
}
