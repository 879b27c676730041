/** What a result says of a period. Types only. */
import type { ShownAmount } from '../tokens.ts';

/** One plan in a line. */
export interface ShownActivity {
  planId: string;
  /** When something last happened to it, ISO. */
  at: string;
  outcome: string;
  asked: string;
  /** Why it ended so, where it did not simply land. */
  why?: string;
}

/** A period as results show it. */
export interface ShownPeriod {
  from: string;
  to: string;
  /** How many plans ended how. */
  outcomes: Record<string, number>;
  /** What everything that landed moved together, network fees apart. */
  changes: ShownAmount[];
  /** `serviceFees` are the fees of swaps that landed, as the service stated them with the transaction. */
  cost: { networkFee: string; newAccounts?: string; serviceFees: ShownAmount[] };
  /** Newest first. */
  happened: ShownActivity[];
  /** What is open, asked or in doubt, whenever it was built. */
  pending: ShownActivity[];
  /** Where the lists go on, and how many rows of each follow. */
  nextOffset?: number;
  more?: { happened: number; pending: number };
  /** Transactions that landed and of which the chain does not tell what they moved. */
  unknown?: number;
}
