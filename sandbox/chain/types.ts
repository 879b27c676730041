/**
 * The types of the embedded chain: accounts, records of landed transactions, and the results of running bytes.
 * Slots and heights are numbers, lamports and token amounts bigint, addresses and signatures base58 text.
 */
import type { TransactionErrorJson } from './errors.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** A point of view on the chain: a commitment, or the end of one slot. */
export type View = Commitment | number;

/** An account's content. A missing account is `null` where one is asked for. */
export interface ChainAccount {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** The program that owns the account. */
  readonly owner: string;
  readonly executable: boolean;
}

/** A token account's balance around one transaction, as `getTransaction` reports it. */
export interface TokenBalance {
  /** Index into the transaction's accounts, loaded ones included. */
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly amount: bigint;
  readonly decimals: number;
}

/** An instruction a program ran, with indexes into the transaction's accounts. */
export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

/** The inner instructions of the outer instruction at `index`. */
export interface InnerInstructions {
  readonly index: number;
  readonly instructions: readonly InnerInstruction[];
}

/** What the runtime said about one run of a transaction. */
export interface Execution {
  /** `null` when it succeeded. */
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: number;
  readonly innerInstructions: readonly InnerInstructions[];
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
}

/** Addresses a v0 transaction loads from lookup tables, in message order. */
export interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

/** Balances before and after a run, in the order of the transaction's accounts. */
export interface BalanceChanges {
  /** Lamports the fee payer was charged. */
  readonly fee: bigint;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
}

/** A transaction that landed: it is in the chain and its fee is spent, whether it succeeded or not. */
export interface TransactionRecord extends Execution, BalanceChanges {
  readonly signature: string;
  readonly slot: number;
  /** Seconds since the Unix epoch. */
  readonly blockTime: number;
  /** The exact wire bytes that landed. */
  readonly bytes: Uint8Array;
  readonly version: 'legacy' | 0 | 1;
  /** Accounts written in the message itself. */
  readonly staticAccounts: readonly string[];
  readonly loadedAddresses: LoadedAddresses;
}

/** Answer to `submit`: landed in the current slot, or refused before execution (no fee, no record). */
export type SubmitOutcome =
  | { readonly landed: true; readonly signature: string; readonly record: TransactionRecord }
  | { readonly landed: false; readonly signature: string; readonly err: TransactionErrorJson };

/** A dry run against one view; it changes nothing. */
export interface Simulation extends Execution {
  /** The slot of the view it ran on. */
  readonly slot: number;
  /** Post state of the accounts asked for, in that order; all `null` when the run failed. */
  readonly accounts: readonly (ChainAccount | null)[];
  readonly replacementBlockhash?: { readonly blockhash: string; readonly lastValidBlockHeight: number };
}

/** What one view knows of a signature. */
export interface ChainStatus {
  readonly slot: number;
  readonly err: TransactionErrorJson | null;
  /** Slots built on top of it, `null` once finalized. */
  readonly confirmations: number | null;
  readonly commitment: Commitment;
}
