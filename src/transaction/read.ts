/**
 * The strict transaction decoder. Accepts only the canonical encoding of a transaction, so that the checked transaction is
 * the one that the chain executes (T42, T43, B63).
 *
 * Legacy and v0 transactions start with a signature count and the signatures; v1 transactions start with the message,
 * followed by the signatures without a count.
 */
import { createHash } from 'node:crypto';
import { Reader, Writer } from './bytes.ts';
import { noncanonical, TransactionError } from './errors.ts';
import { encodeMessage, type MessageParts, readMessage } from './message.ts';
import type { DecodedTransaction, TransactionFormat } from './types.ts';

export { encodeMessage, type MessageParts } from './message.ts';

const SIGNATURE_BYTES = 64;
const EMPTY_SLOT = new Uint8Array(SIGNATURE_BYTES);
/** Maximum wire size in bytes. */
export const SIZE_LIMITS: Readonly<Record<TransactionFormat, number>> = { legacy: 1232, v0: 1232, v1: 4096 };

/**
 * Decodes a transaction. Does not verify signatures; `verifyCosignatures` does.
 * @throws TransactionError NONCANONICAL_BYTES or FORMAT_MISMATCH
 */
export function readTransaction(input: Uint8Array): DecodedTransaction {
  const first = input[0];
  if (first === undefined) throw noncanonical('the transaction is empty');
  if (input.length > SIZE_LIMITS.v1) throw noncanonical(`${input.length} bytes are over the limit`);
  const bytes = new Uint8Array(input); // a copy, which the caller cannot change after the checks
  const reader = new Reader(bytes);

  // A signature count is below 128, so a set high bit means that the message comes first.
  const messageFirst = first >= 0x80;
  const before = messageFirst ? [] : readSignatures(reader, reader.shortLength());
  const start = reader.offset;
  const parts = readMessage(reader);
  const message = bytes.subarray(start, reader.offset);
  const signatures = messageFirst ? readSignatures(reader, parts.numRequiredSignatures) : before;
  reader.end();

  if (messageFirst !== (parts.format === 'v1')) {
    throw new TransactionError(
      'FORMAT_MISMATCH',
      `signatures of a ${parts.format} transaction are misplaced`,
    );
  }
  if (bytes.length > SIZE_LIMITS[parts.format])
    throw noncanonical(`${bytes.length} bytes are over the limit`);
  if (signatures.length !== parts.numRequiredSignatures) {
    throw noncanonical('the signature slots do not match the header');
  }
  if (!equal(encodeTransaction({ ...parts, signatures }), bytes)) {
    throw noncanonical('re-encoding the transaction gives different bytes');
  }
  return { ...parts, bytes, message, messageSha256: messageSha256(message), signatures };
}

function readSignatures(reader: Reader, count: number): (Uint8Array | null)[] {
  const signatures: (Uint8Array | null)[] = [];
  for (let slot = 0; slot < count; slot++) {
    const signature = reader.take(SIGNATURE_BYTES);
    signatures.push(equal(signature, EMPTY_SLOT) ? null : signature);
  }
  return signatures;
}

/** Encodes a transaction; an empty slot becomes 64 zero bytes. The inverse of `readTransaction`. */
export function encodeTransaction(
  transaction: MessageParts & Pick<DecodedTransaction, 'signatures'>,
): Uint8Array {
  const { format, signatures } = transaction;
  const writer = new Writer();
  const message = encodeMessage(transaction);
  if (format === 'v1') writer.push(message);
  else writer.shortLength(signatures.length);
  for (const signature of signatures) writer.push(signature ?? EMPTY_SLOT);
  if (format !== 'v1') writer.push(message);
  return writer.finish();
}

/** Returns the lower-case hex SHA-256 of a message. */
export const messageSha256 = (message: Uint8Array): string =>
  createHash('sha256').update(message).digest('hex');

/** Whether two byte arrays are equal. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
