/** Compressed text columns. Base64, because libsql ends the process when it reads damaged bytes as text. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { corrupt } from '../errors.ts';

/** Maximum size of a text. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export const deflate = (text: string): string => deflateRawSync(text).toString('base64');

/** Returns the text of a deflated column. Throws `LEDGER_CORRUPT` if it cannot be inflated. */
export function inflate(stored: string): string {
  try {
    const options = { maxOutputLength: MAX_TEXT_BYTES };
    return inflateRawSync(Buffer.from(stored, 'base64'), options).toString();
  } catch {
    throw corrupt('A text of the ledger cannot be inflated.');
  }
}
