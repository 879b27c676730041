// A wallet login signs bytes chosen by the server. Bytes that contain a transaction message in any encoding are
// refused: the "login" could be a transfer. So is anything that a person cannot read in full before it is signed.

import bs58 from 'bs58';
import { SecretError } from '../errors.ts';

const LONGEST_CHALLENGE = 1_024;
/** Maximum number of lines: all of them fit on a screen. */
const MAX_LINES = 20;
const NESTING = 3;

function* readings(bytes: Uint8Array, depth = 0): Generator<Uint8Array> {
  yield bytes;
  if (depth === NESTING) return;
  const text = new TextDecoder().decode(bytes).trim();
  const decoded: (Uint8Array | undefined)[] = [];
  if (/^(?:[0-9a-f]{2}){16,}$/i.test(text)) decoded.push(Buffer.from(text, 'hex'));
  if (/^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(text)) decoded.push(Buffer.from(text, 'base64'));
  if (/^[1-9A-HJ-NP-Za-km-z]{16,}$/.test(text)) decoded.push(bs58.decodeUnsafe(text));
  for (const inner of decoded) if (inner !== undefined) yield* readings(inner, depth + 1);
}

/** Returns the message of the wire format: signature count, signatures, message. */
function afterSignatures(bytes: Uint8Array): Uint8Array | undefined {
  const count = bytes[0] ?? 0;
  return count > 0 && count <= 16 && bytes.length > 1 + count * 64
    ? bytes.subarray(1 + count * 64)
    : undefined;
}

/**
 * Returns the text of a challenge, to be shown before it is signed. Throws `CHALLENGE_REFUSED` for a challenge that is
 * empty, longer than 1,024 bytes or 20 lines, not plain visible text, or recognized by `looksLikeTransaction` as is,
 * after its signatures, or decoded from hex, base64 or base58.
 */
export function challengeText(
  challenge: Uint8Array,
  looksLikeTransaction: (bytes: Uint8Array) => boolean,
): string {
  const refused = (message: string) =>
    new SecretError(
      'CHALLENGE_REFUSED',
      message,
      'Nothing was signed. Log in with a JWT instead: run `countersign login`; and check which service you talk to.',
    );
  for (const reading of readings(challenge)) {
    const message = afterSignatures(reading);
    if (looksLikeTransaction(reading) || (message !== undefined && looksLikeTransaction(message)))
      throw refused('The service asked for a login signature over a transaction.');
  }
  if (challenge.length === 0 || challenge.length > LONGEST_CHALLENGE)
    throw refused(
      'The service asked for a login signature over an empty challenge or more than 1,024 bytes.',
    );
  const text = visibleText(challenge);
  if (text === undefined)
    throw refused('The service asked for a login signature over bytes that cannot be shown as text in full.');
  return text;
}

/** Returns UTF-8 text of few lines without invisible characters, other than tabs and line ends; otherwise `undefined`. */
function visibleText(challenge: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(challenge);
    const isHidden = /[^\P{C}\t\n\r]|[\u2028\u2029]|\r(?!\n)|\p{Default_Ignorable_Code_Point}/u.test(text);
    return isHidden || text.split('\n').length > MAX_LINES ? undefined : text;
  } catch {
    return undefined;
  }
}
