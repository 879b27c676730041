/**
 * Transactions as text. The encoding is given by the service profile and never guessed, because about a third of all base58
 * texts are also valid base64. Decoding accepts only canonical text: no white space, no URL alphabet, canonical padding,
 * nothing after the end.
 */
import bs58 from 'bs58';
import { noncanonical } from './errors.ts';

export type WireEncoding = 'base64' | 'base58';

/** Maximum text length of a 4,096-byte transaction, by encoding. Checked before decoding, because base58 is quadratic. */
const MAX_TEXT: Readonly<Record<WireEncoding, number>> = { base64: 5464, base58: 5594 };

/**
 * Decodes a transaction text. Throws NONCANONICAL_BYTES if the text is too long or not canonical.
 */
export function decodeWire(text: string, encoding: WireEncoding): Uint8Array {
  if (text.length === 0) throw noncanonical('the transaction text is empty');
  if (text.length > MAX_TEXT[encoding]) throw noncanonical('the transaction text is too long');
  const bytes = encoding === 'base64' ? new Uint8Array(Buffer.from(text, 'base64')) : bs58.decodeUnsafe(text);
  if (bytes === undefined || encodeWire(bytes, encoding) !== text) {
    throw noncanonical(`the transaction text is not canonical ${encoding}`);
  }
  return bytes;
}

/** Encodes bytes as text. */
export function encodeWire(bytes: Uint8Array, encoding: WireEncoding): string {
  if (encoding === 'base58') return bs58.encode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
