/**
 * The strict transaction reader: bytes in, facts out, or a refusal. One transaction has exactly one accepted
 * form, so whatever was checked here is what the chain will run (T42, T43, B63).
 *
 * Legacy and v0 put the signatures first, behind their count; v1 puts the message first and the signatures,
 * uncounted, after it.
 */
import { createHash } from 'node:crypto';
import { Reader, Writer } from './bytes.ts';
import { noncanonical, TransactionError } from './errors.ts';
import { encodeMessage, type MessageParts, readMessage } from './message.ts';
import type { DecodedTransaction, TransactionFormat } from './types.ts';

export { encodeMessage, type MessageParts } from './message.ts';

const SIGNATURE_BYTES = 64;
const EMPTY_SLOT = new Uint8Array(SIGNATURE_BYTES);
/** Largest wire size in bytes. */
export const SIZE_LIMITS: Readonly<Record<TransactionFormat, number>> = { legacy: 1232, v0: 1232, v1: 4096 };

/**
 * Reads a whole transaction. Only the bytes are believed; signatures are only split off
 * here, `verifyCosignatures` checks them.
 * @throws TransactionError NONCANONICAL_BYTES or FORMAT_MISMATCH
 */
export function readTransaction(input: Uint8Array): DecodedTransaction {
  const first = input[0];
  if (first === undefined) throw noncanonical('there are no bytes');
  if (input.length > SIZE_LIMITS.v1) throw noncanonical(`${input.length} bytes are over the limit`);
  const bytes = new Uint8Array(input); // a copy: what was checked cannot change under the caller’s hands
  const reader = new Reader(bytes);

  // A signature count is never 128 or more (it would not fit), so a set high bit means a message comes first.
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
    throw noncanonical('encoding the transaction again gives other bytes');
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

/** The wire bytes of a transaction; an empty slot becomes 64 zeroes. The inverse of `readTransaction`. */
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

/** Lower-case hex SHA-256 of a message. */
export const messageSha256 = (message: Uint8Array): string =>
  createHash('sha256').update(message).digest('hex');

/** Whether two byte strings are the same. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
