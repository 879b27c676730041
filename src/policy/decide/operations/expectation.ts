/**
 * What a request leads to: what may leave and must arrive, who takes part, which rights stand afterwards, what stays
 * open. It is made from the request, from what this home stored itself and from our own view of the chain; a field of
 * the service's answer is never part of it. All of it is JSON: a person approves it, and its digest names it.
 */

import type { TokenNames } from '../../../plan/tokenNames.ts';
import type { PlanOperation } from '../../../plan/types.ts';
import type { Asset, Earner, Right } from '../../../programs/acts.ts';
import type { Address } from '../../../transaction/types.ts';

/** An amount of one asset, base units as a decimal text. */
export interface Amount {
  readonly asset: Asset;
  readonly amount: string;
}

export interface Expectation {
  readonly version: 1;
  readonly operation: PlanOperation;
  readonly wallet: Address;
  /** Most that may leave in the whole run, fees and deposits apart. */
  readonly mostOut: readonly Amount[];
  /** Least that must arrive in accounts of the wallet. */
  readonly leastIn: readonly Amount[];
  /** Most lamports deposited in accounts that are made, in the whole run. */
  readonly mostDeposits: string;
  /** Lamports taken above rent that are known: for the name of a token, for a pool. They do not come back. */
  readonly surcharges?: string;
  readonly tip?: { readonly wallet: Address; readonly lamports: string };
  readonly baseMint?: Address;
  readonly quoteMint?: Address;
  /** Everyone who earns, with their shares. */
  readonly earners?: readonly Earner[];
  /** May change who earns afterwards; `null`: no key may. */
  readonly manager?: Address | null;
  readonly partner?: Address;
  /** Earns from positions that are held in custody. */
  readonly feeClaimer?: Address;
  /** Everyone who gets a payment. */
  readonly paid?: readonly Address[];
  /** Words that stand beside payments on the chain. */
  readonly memo?: string;
  /** The token that is made: its mint, the link to what describes it, and its names where this home registered it. */
  readonly token?: { readonly mint: Address; readonly uri: string | undefined } & Partial<TokenNames>;
  /** What is claimed, where it is several claims together. */
  readonly claims?: readonly Pick<Expectation, 'operation' | 'baseMint' | 'quoteMint'>[];
  /** Rights that stand afterwards and did not stand before. */
  readonly rights: readonly { readonly right: Right; readonly of: Address; readonly to: Address | null }[];
  /** What is not fixed before the first signature, as sentences for a person. */
  readonly open: readonly string[];
}
