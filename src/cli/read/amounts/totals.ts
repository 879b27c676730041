/** Amounts of a transaction as one wallet sees them: what leaves, what arrives, and where it goes. */
import type { Asset, Holder } from '../../../programs/acts.ts';
import type { Address } from '../../../transaction/types.ts';

/** Where an amount goes. */
export type Way =
  | { readonly way: 'to'; readonly to: Holder }
  | { readonly way: 'trade'; readonly venue: string }
  | { readonly way: 'position'; readonly position: Address }
  | {
      readonly way: 'deposit';
      readonly account: Address;
      /** The program that controls the account. */
      readonly program?: Address;
      readonly returnedIn?: number;
    }
  | { readonly way: 'closed'; readonly to: Address }
  | { readonly way: 'metadata' | 'burnt' };

/** One amount that leaves, at most. */
export interface Leaving {
  readonly step: number;
  /** Absent: a token the accounts at hand do not name. */
  readonly asset?: Asset;
  /** Absent: the bytes do not bound it. */
  readonly amount?: bigint;
  readonly from: Holder;
  readonly goes: Way;
}

/** One amount that arrives, at least: in the wallet, or bought, claimed or made with it and put elsewhere. */
export interface Arriving {
  readonly step: number;
  readonly asset?: Asset;
  /** Absent: an amount only the chain knows. */
  readonly amount?: bigint;
  readonly to: Holder;
  readonly how: 'transfer' | 'trade' | 'claim' | 'made' | 'closed';
  /** What the chain shows as set aside for a claim now. */
  readonly owed?: bigint;
  readonly addedBy?: Added;
  /** Of an account that is closed: it was the wallet's before the transaction, so nothing is gained. */
  readonly own?: boolean;
}

/** An earlier step of the transaction that adds to what a claim pays. */
export interface Added {
  readonly step: number;
  /** What it brings in for all, and the claimant's share of that, where the chain shows both. */
  readonly amount?: bigint;
  readonly bps?: number;
  /** The partner who takes a part before; `null` where the chain shows that there is none. */
  readonly partner?: Address | null;
}

/** SOL put into a token account of the wallet. */
export interface Filled {
  readonly account: Address;
  readonly amount: bigint;
}

export interface Totals {
  readonly leaves: readonly Leaving[];
  readonly arrives: readonly Arriving[];
  /** What is bought, claimed or made at the wallet's cost and does not arrive in an account known as its own. */
  readonly elsewhere: readonly Arriving[];
  /** SOL of the wallet that lies wrapped in its own account afterwards. */
  readonly wrapped: readonly Filled[];
  /** SOL the wallet puts into token accounts of its own and that no step that is read spends. */
  readonly filled: readonly Filled[];
  /** Positions that are opened and that the wallet controls afterwards. */
  readonly positions: readonly Address[];
}
