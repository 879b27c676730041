/**
 * Types of decoded transactions. All data comes from the transaction itself, never from a service's declarations.
 */

/** A 32-byte public key as base58 text. */
export type Address = string;

/** Supported wire formats. `v1` messages contain their own fee configuration. */
export type TransactionFormat = 'legacy' | 'v0' | 'v1';

/** A compiled instruction: indexes into the account list, and data. */
export interface CompiledInstruction {
  readonly programIndex: number;
  readonly accountIndexes: readonly number[];
  readonly data: Uint8Array;
}

/** A v0 message's reference to an address lookup table. */
export interface TableLookup {
  readonly table: Address;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

/** The fee fields of a v1 message. Absent fields are `undefined`. */
export interface TransactionConfig {
  /** Total priority fee in lamports (not a price per compute unit). */
  readonly priorityFeeLamports?: bigint;
  readonly computeUnitLimit?: number;
  readonly loadedAccountsDataSizeLimit?: number;
  readonly heapSize?: number;
}

/** A decoded canonical transaction. */
export interface DecodedTransaction {
  readonly format: TransactionFormat;
  /** All wire bytes. */
  readonly bytes: Uint8Array;
  /** The signed part of `bytes`. */
  readonly message: Uint8Array;
  /** Lower-case hex SHA-256 of `message`. */
  readonly messageSha256: string;
  /** One slot per required signer, in order; `null` for an empty (all-zero) slot. */
  readonly signatures: readonly (Uint8Array | null)[];
  readonly numRequiredSignatures: number;
  readonly numReadonlySigned: number;
  readonly numReadonlyUnsigned: number;
  readonly staticAccounts: readonly Address[];
  /** Blockhash or durable nonce value, in base58. */
  readonly blockhash: string;
  readonly instructions: readonly CompiledInstruction[];
  /** Empty for legacy and v1. */
  readonly lookups: readonly TableLookup[];
  /** Present for v1 only. */
  readonly config?: TransactionConfig;
}

/** An account of an instruction, with its message-wide privileges. */
export interface AccountUse {
  readonly address: Address;
  readonly signer: boolean;
  readonly writable: boolean;
  /** The lookup table that contains the address; absent for static accounts. */
  readonly table?: Address;
}

/** An instruction with its accounts resolved. */
export interface ResolvedInstruction {
  readonly index: number;
  readonly program: Address;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

/** Entries of a lookup table. */
export interface LookupTableContent {
  readonly table: Address;
  readonly addresses: readonly Address[];
}
