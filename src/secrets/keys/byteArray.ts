// Reads and writes `[12,34,…]`, the format of solana-keygen keypair files, directly between byte arrays: strings and
// number arrays cannot be zeroed afterwards.

import { allocateSecretBytes } from '../secret.ts';

const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
const ZERO = 0x30;

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number) => code >= ZERO && code <= ZERO + 9;

/**
 * Parses a JSON array of integers from 0 to 255. Returns undefined for anything else, including more
 * than `maxLength` elements, leading zeros, signs, fractions or text after the closing bracket.
 */
export function parseByteArray(source: Uint8Array, maxLength: number): Uint8Array | undefined {
  const scratch = allocateSecretBytes(maxLength);
  let at = 0;
  let count = 0;
  const skipSpaces = () => {
    while (at < source.length && isSpace(source[at] ?? 0)) at++;
  };
  const fail = () => {
    scratch.fill(0);
    return undefined;
  };

  skipSpaces();
  if (source[at++] !== OPEN) return fail();
  skipSpaces();
  while (source[at] !== CLOSE || count > 0) {
    const start = at;
    let value = 0;
    while (at < source.length && isDigit(source[at] ?? 0) && at - start < 4) {
      value = value * 10 + (source[at] ?? 0) - ZERO;
      at++;
    }
    const digits = at - start;
    const leadingZero = digits > 1 && source[start] === ZERO;
    if (digits === 0 || digits > 3 || value > 255 || leadingZero || count === maxLength) return fail();
    scratch[count++] = value;
    skipSpaces();
    if (source[at] === CLOSE) break;
    if (source[at++] !== COMMA) return fail();
    skipSpaces();
  }
  at++;
  skipSpaces();
  if (at !== source.length) return fail();

  const bytes = allocateSecretBytes(count);
  bytes.set(scratch.subarray(0, count));
  scratch.fill(0);
  return bytes;
}

/** Formats bytes without spaces, as ASCII bytes that the caller zeroes. */
export function formatByteArray(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  let length = bytes.length === 0 ? 2 : bytes.length + 1;
  for (const value of bytes) length += value > 99 ? 3 : value > 9 ? 2 : 1;
  const out = allocateSecretBytes(length);
  let at = 0;
  out[at++] = OPEN;
  bytes.forEach((value, index) => {
    if (index > 0) out[at++] = COMMA;
    if (value > 99) out[at++] = ZERO + Math.floor(value / 100);
    if (value > 9) out[at++] = ZERO + (Math.floor(value / 10) % 10);
    out[at++] = ZERO + (value % 10);
  });
  out[at] = CLOSE;
  return out;
}
