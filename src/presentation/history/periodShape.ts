/** Types of a period's summary in results. */
import type { ShownAmount } from '../tokens.ts';

/** A plan in one line. */
export interface ShownActivity {
  planId: string;
  /** Time of the latest event, ISO 8601. */
  at: string;
  outcome: string;
  asked: string;
  /** Reason for the outcome; absent for a plan that landed. */
  why?: string;
}

/** Summary of a period in results. */
export interface ShownPeriod {
  from: string;
  to: string;
  /** Number of plans by outcome. */
  outcomes: Record<string, number>;
  /** Combined balance changes of landed transactions, without network fees. */
  changes: ShownAmount[];
  /** `serviceFees` are the fees of landed swaps, as stated by the service. */
  cost: { networkFee: string; newAccounts?: string; serviceFees: ShownAmount[] };
  /** Newest first. */
  happened: ShownActivity[];
  /** Plans that are open, waiting for approval or in doubt, regardless of when they were built. */
  pending: ShownActivity[];
  /** Offset of the next page, and the number of rows left in each list. */
  nextOffset?: number;
  more?: { happened: number; pending: number };
  /** Number of landed transactions whose balance changes could not be read from the chain. */
  unknown?: number;
}
