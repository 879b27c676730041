// A wallet login signs bytes chosen by the server. Bytes that contain a transaction message in any encoding are
// refused: the "login" could be a transfer.

import bs58 from 'bs58';
import { SecretError } from '../errors.ts';

const LONGEST_CHALLENGE = 1_024;
const NESTING = 3;
/** Header, one account, blockhash, no instructions. */
const SHORTEST_MESSAGE = 3 + 1 + 32 + 32 + 1;

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
 * Throws `CHALLENGE_REFUSED` for a challenge that is empty, longer than 1,024 bytes, non-text of at least a message's
 * length, or recognized by `looksLikeTransaction` as is, after its signatures, or decoded from hex, base64 or base58.
 */
export function refuseTransactionChallenge(
  challenge: Uint8Array,
  looksLikeTransaction: (bytes: Uint8Array) => boolean,
): void {
  const refuse = (message: string) => {
    throw new SecretError(
      'CHALLENGE_REFUSED',
      message,
      'Nothing was signed. Log in with a JWT instead: run `countersign login`; and check which service you talk to.',
    );
  };
  for (const reading of readings(challenge)) {
    const message = afterSignatures(reading);
    if (looksLikeTransaction(reading) || (message !== undefined && looksLikeTransaction(message))) {
      refuse('The service asked for a login signature over a transaction.');
    }
  }
  if (challenge.length === 0 || challenge.length > LONGEST_CHALLENGE) {
    refuse('The service asked for a login signature over an empty challenge or more than 1,024 bytes.');
  }
  // A message has at least 69 bytes, some of them below 32 in its header; shorter data and text cannot be one.
  if (challenge.length >= SHORTEST_MESSAGE && !isText(challenge)) {
    refuse('The service asked for a login signature over bytes that are not text.');
  }
}

/** Returns whether bytes are UTF-8 without control characters other than tab and line ends. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return !/[^\P{Cc}\t\n\r]/u.test(text);
  } catch {
    return false;
  }
}
