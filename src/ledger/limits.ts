/** Limits as the ledger counts them: what is allowed within a window, and what was taken of it. Amounts are bigint. */

/** What a window limit looks like to the ledger; made from the policy file. */
export interface LimitSpec {
  readonly id: string;
  /** `asset`: sums amounts. `count`: counts plans of an operation. */
  readonly kind: 'asset' | 'count';
  /** Asset (`SOL` or mint) or operation (`any` for all). */
  readonly of: string;
  readonly window:
    | { readonly rollingMs: number }
    | { readonly calendar: 'day' | 'week' | 'month'; readonly timeZone: string };
  readonly max: bigint;
}

/** What a stage really took, by asset (`SOL` or mint), base units. */
export interface ActualUse {
  readonly asset: string;
  readonly amount: bigint;
}

/** Something taken of a limit within its window: base units, or plans. */
export interface TakenOfLimit {
  readonly time: number;
  readonly amount: bigint;
}
