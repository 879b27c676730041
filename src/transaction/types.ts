/**
 * The types of the transaction reader. Everything here is plain data decoded from bytes;
 * nothing in it comes from a service's description of those bytes.
 */

/** A 32-byte public key as base58 text. */
export type Address = string;

/** Wire formats the reader knows. `v1` messages carry their own fee configuration. */
export type TransactionFormat = 'legacy' | 'v0' | 'v1';

/** One compiled instruction: indexes into the account list, and opaque data. */
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

/** A transaction exactly as its bytes say, accepted only in canonical form. */
export interface DecodedTransaction {
  readonly format: TransactionFormat;
  /** The whole wire bytes, as received. */
  readonly bytes: Uint8Array;
  /** The signed part of `bytes`. */
  readonly message: Uint8Array;
  /** Lower-case hex SHA-256 of `message`. */
  readonly messageSha256: string;
  /** One slot per required signer, in order; `null` where the slot is all zeroes. */
  readonly signatures: readonly (Uint8Array | null)[];
  readonly numRequiredSignatures: number;
  readonly numReadonlySigned: number;
  readonly numReadonlyUnsigned: number;
  readonly staticAccounts: readonly Address[];
  /** The lifetime token: a blockhash (or a durable nonce value), base58. */
  readonly blockhash: string;
  readonly instructions: readonly CompiledInstruction[];
  /** Empty for legacy and v1. */
  readonly lookups: readonly TableLookup[];
  /** Present for v1 only. */
  readonly config?: TransactionConfig;
}

/** One account as an instruction uses it, with the message-wide privileges it carries. */
export interface AccountUse {
  readonly address: Address;
  readonly signer: boolean;
  readonly writable: boolean;
  /** Where the address came from: the message itself, or a lookup table. */
  readonly table?: Address;
}

/** An instruction with its accounts resolved. */
export interface ResolvedInstruction {
  readonly index: number;
  readonly program: Address;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

/** The content of a lookup table as read from a chain. */
export interface LookupTableContent {
  readonly table: Address;
  readonly addresses: readonly Address[];
}
