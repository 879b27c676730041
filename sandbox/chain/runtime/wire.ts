/** Decodes transactions with kit instead of the project's reader, so that the sandbox verifies that reader independently. */
import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Transaction,
} from '@solana/kit';
import bs58 from 'bs58';
import { remember } from '../../../src/base/remember.ts';
import { ChainError } from '../errors.ts';

/** Maximum bytes of a legacy or v0 transaction: one network packet. */
export const MAX_TRANSACTION_BYTES = 1232;
/** Maximum bytes of a v1 transaction. */
export const MAX_V1_TRANSACTION_BYTES = 4096;
/** Maximum account locks of a transaction. */
export const MAX_ACCOUNT_LOCKS = 64;
const V1_FIRST_BYTE = 0x81;

// Kit builds a codec on every call; these are built once.
const transactionDecoder = getTransactionDecoder();
const transactionEncoder = getTransactionEncoder();
const messageDecoder = getCompiledTransactionMessageDecoder();
const messageEncoder = getCompiledTransactionMessageEncoder();

export interface WireInstruction {
  readonly programIndex: number;
  readonly accountIndexes: readonly number[];
  readonly data: Uint8Array;
}

export interface WireLookup {
  readonly table: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

export interface WireMessage {
  readonly version: 'legacy' | 0 | 1;
  readonly staticAccounts: readonly string[];
  readonly numSigners: number;
  readonly numReadonlySigners: number;
  readonly numReadonlyNonSigners: number;
  readonly blockhash: string;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly WireLookup[];
  /** Fee settings of a v1 message; empty for the others. */
  readonly config: {
    readonly priorityFeeLamports?: bigint;
    readonly computeUnitLimit?: number;
    readonly loadedAccountsDataSizeLimit?: number;
    readonly heapSize?: number;
  };
}

export interface WireTransaction extends WireMessage {
  readonly bytes: Uint8Array;
  /** Kit's own form, which the runtime takes. */
  readonly transaction: Transaction;
  /** The first signature, base58; that of 64 zero bytes when it is missing. */
  readonly signature: string;
  /** One entry for each signer, base58. */
  readonly signatures: readonly string[];
}

/**
 * Decodes wire bytes. Throws `TOO_LARGE` above 1,232 bytes (legacy, v0) or 4,096 bytes (v1), and `MALFORMED`
 * unless the bytes are exactly one transaction that encodes back to the same bytes.
 */
export function decodeTransaction(bytes: Uint8Array): WireTransaction {
  const limit = bytes[0] === V1_FIRST_BYTE ? MAX_V1_TRANSACTION_BYTES : MAX_TRANSACTION_BYTES;
  if (bytes.length > limit) {
    throw new ChainError('TOO_LARGE', `transaction has ${bytes.length} bytes, the limit is ${limit}`);
  }
  const { transaction, message } = malformedIfThrows(() => {
    const transaction = transactionDecoder.decode(bytes);
    if (!same(new Uint8Array(transactionEncoder.encode(transaction)), bytes))
      throw new Error('not canonical');
    return { transaction, message: decodeMessage(new Uint8Array(transaction.messageBytes)) };
  });
  const signatures = Object.values(transaction.signatures).map((s) => bs58.encode(s ?? new Uint8Array(64)));
  const [signature] = signatures;
  if (signature === undefined) throw new ChainError('MALFORMED', 'transaction without a signer');
  return { ...message, bytes: bytes.slice(), transaction, signature, signatures };
}

/** Recently decoded messages by their bytes: each is simulated, landed and listed, and kit converts addresses slowly. */
const decoded = new Map<string, WireMessage>();
const DECODED_MESSAGES = 256;

/** Decodes the signed part alone. Throws `MALFORMED` like `decodeTransaction`. */
function decodeMessage(bytes: Uint8Array): WireMessage {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return decoded.get(key) ?? remember(decoded, key, decodeNewMessage(bytes), DECODED_MESSAGES);
}

function decodeNewMessage(bytes: Uint8Array): WireMessage {
  const message = malformedIfThrows(() => {
    const message = messageDecoder.decode(bytes);
    if (!same(new Uint8Array(messageEncoder.encode(message)), bytes)) {
      throw new Error('not canonical');
    }
    return message;
  });
  const { header, staticAccounts, version } = message;
  if (header.numSignerAccounts === 0 || header.numSignerAccounts > staticAccounts.length) {
    throw new ChainError('MALFORMED', 'the header names signers that are not there');
  }
  if (header.numReadonlySignerAccounts >= header.numSignerAccounts) {
    throw new ChainError('MALFORMED', 'no writable fee payer');
  }
  return {
    version,
    staticAccounts,
    numSigners: header.numSignerAccounts,
    numReadonlySigners: header.numReadonlySignerAccounts,
    numReadonlyNonSigners: header.numReadonlyNonSignerAccounts,
    blockhash: message.lifetimeToken,
    instructions: instructionsOf(message),
    lookups:
      version === 0
        ? (message.addressTableLookups ?? []).map((lookup) => ({
            table: lookup.lookupTableAddress,
            writableIndexes: [...lookup.writableIndexes],
            readonlyIndexes: [...lookup.readonlyIndexes],
          }))
        : [],
    config: version === 1 ? configOf(message) : {},
  };
}

/** Whether a static account is writable by the message header. */
export function isWritable(message: WireMessage, index: number): boolean {
  if (index < message.numSigners) return index < message.numSigners - message.numReadonlySigners;
  return index < message.staticAccounts.length - message.numReadonlyNonSigners;
}

type Compiled = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;

function instructionsOf(message: Compiled): WireInstruction[] {
  if (message.version !== 1) {
    return message.instructions.map((instruction) => ({
      programIndex: instruction.programAddressIndex,
      accountIndexes: [...(instruction.accountIndices ?? [])],
      data: new Uint8Array(instruction.data ?? []),
    }));
  }
  return message.instructionHeaders.map((header, i) => ({
    programIndex: header.programAccountIndex,
    accountIndexes: [...(message.instructionPayloads[i]?.instructionAccountIndices ?? [])],
    data: new Uint8Array(message.instructionPayloads[i]?.instructionData ?? []),
  }));
}

/** Reads the v1 configuration: bits 0 and 1 announce the priority fee, then limit, data size and heap. */
function configOf(message: Extract<Compiled, { version: 1 }>): WireMessage['config'] {
  const values = message.configValues.map((entry) => entry.value);
  const take = (bit: number) => ((message.configMask & bit) === 0 ? undefined : values.shift());
  const [fee, units, loaded, heap] = [take(0b11), take(0b100), take(0b1000), take(0b10000)];
  return {
    ...(fee === undefined ? {} : { priorityFeeLamports: BigInt(fee) }),
    ...(units === undefined ? {} : { computeUnitLimit: Number(units) }),
    ...(loaded === undefined ? {} : { loadedAccountsDataSizeLimit: Number(loaded) }),
    ...(heap === undefined ? {} : { heapSize: Number(heap) }),
  };
}

function malformedIfThrows<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof ChainError) throw cause;
    throw new ChainError('MALFORMED', 'the bytes are not one canonical transaction', { cause });
  }
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
