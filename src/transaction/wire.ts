/**
 * Transaction bytes as text. Which encoding a text is in comes from the service profile and is never guessed:
 * about a third of all base58 texts are also base64. Decoding is strict, the text must be the one that
 * encoding the bytes again would give (no white space, no URL alphabet, canonical padding, nothing after the
 * end).
 */
import bs58 from 'bs58';
import { noncanonical } from './errors.ts';

export type WireEncoding = 'base64' | 'base58';

/** Longest text of a 4,096-byte transaction, by encoding. Base58 is quadratic: look before decoding. */
const MAX_TEXT: Readonly<Record<WireEncoding, number>> = { base64: 5464, base58: 5594 };

/**
 * The bytes of a transaction text. Throws NONCANONICAL_BYTES unless the text is canonical and not too long.
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

/** Bytes as text. */
export function encodeWire(bytes: Uint8Array, encoding: WireEncoding): string {
  if (encoding === 'base58') return bs58.encode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
