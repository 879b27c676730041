/** Limits as the ledger counts them: what is allowed within a window, and what was taken of it. Amounts are bigint. */

import type { WindowLimit } from '../policy/decide/checks/limits.ts';

/** A limit over a window of time, made from the policy file. */
export type LimitSpec = WindowLimit;

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
