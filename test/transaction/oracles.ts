/**
 * Solana Kit's and web3.js's decoding of the same bytes, in one form for comparison. Both are laxer than the strict
 * decoder; they must never disagree with bytes it accepted.
 */
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { VersionedTransaction } from '@solana/web3.js';
import type { DecodedTransaction } from '../../src/transaction/types.ts';

/** The values by which two decoders are compared. */
export interface Reading {
  readonly message: string;
  readonly signatures: readonly string[];
  readonly header: readonly number[];
  readonly accounts: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly string[];
  readonly lookups: readonly string[];
  readonly config: readonly string[];
}

const hex = (bytes: Iterable<number>) => Buffer.from(Uint8Array.from(bytes)).toString('hex');
const instruction = (program: number, accounts: Iterable<number>, data: Iterable<number>) =>
  `${program} [${[...accounts]}] ${hex(data)}`;
const lookup = (table: string, writable: Iterable<number>, readonly: Iterable<number>) =>
  `${table} [${[...writable]}] [${[...readonly]}]`;

export function ourReading(tx: DecodedTransaction): Reading {
  return {
    message: hex(tx.message),
    signatures: tx.signatures.map((signature) => hex(signature ?? new Uint8Array(64))),
    header: [tx.numRequiredSignatures, tx.numReadonlySigned, tx.numReadonlyUnsigned],
    accounts: tx.staticAccounts,
    blockhash: tx.blockhash,
    instructions: tx.instructions.map((i) => instruction(i.programIndex, i.accountIndexes, i.data)),
    lookups: tx.lookups.map((l) => lookup(l.table, l.writableIndexes, l.readonlyIndexes)),
    config: [
      tx.config?.priorityFeeLamports,
      tx.config?.computeUnitLimit,
      tx.config?.loadedAccountsDataSizeLimit,
      tx.config?.heapSize,
    ].flatMap((value) => (value === undefined ? [] : [String(value)])),
  };
}

export function kitReading(bytes: Uint8Array): Reading {
  const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
  const instructions =
    message.version === 1
      ? message.instructionHeaders.map((header, i) => {
          const payload = message.instructionPayloads[i];
          const accounts = payload?.instructionAccountIndices ?? [];
          return instruction(header.programAccountIndex, accounts, payload?.instructionData ?? []);
        })
      : message.instructions.map((i) =>
          instruction(i.programAddressIndex, i.accountIndices ?? [], i.data ?? []),
        );
  const lookups = message.version === 0 ? (message.addressTableLookups ?? []) : [];
  return {
    message: hex(messageBytes),
    signatures: Object.values(signatures).map((signature) => hex(signature ?? new Uint8Array(64))),
    header: [numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts],
    accounts: message.staticAccounts,
    blockhash: message.lifetimeToken,
    instructions,
    lookups: lookups.map((l) => lookup(l.lookupTableAddress, l.writableIndexes, l.readonlyIndexes)),
    config: message.version === 1 ? message.configValues.map((value) => String(value.value)) : [],
  };
}

/** Legacy and v0 only: web3.js cannot encode v1. `message` is its re-encoded form. */
export function web3Reading(bytes: Uint8Array): Reading {
  const { message, signatures } = VersionedTransaction.deserialize(bytes);
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  return {
    message: hex(message.serialize()),
    signatures: signatures.map(hex),
    header: [numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts],
    accounts: message.staticAccountKeys.map((key) => key.toBase58()),
    blockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map((i) =>
      instruction(i.programIdIndex, i.accountKeyIndexes, i.data),
    ),
    lookups: message.addressTableLookups.map((l) =>
      lookup(l.accountKey.toBase58(), l.writableIndexes, l.readonlyIndexes),
    ),
    config: [],
  };
}
