// Imports wallet keys from solana-keygen keypair files: read once, checked and zeroed (B75).

import type { KeyObject } from 'node:crypto';
import bs58 from 'bs58';
import { SecretError } from '../errors.ts';
import { currentUserId, type FileIdentity, readPrivateFile } from '../privateFile.ts';
import { constantTimeEqual, Secret } from '../secret.ts';
import { parseByteArray } from './byteArray.ts';
import { openPrivateKey, publicKeyOf, SEED_BYTES } from './ed25519.ts';

export const KEYPAIR_BYTES = 64;
const MAX_FILE_BYTES = 4_096;

const invalidKey = (message: string) =>
  new SecretError(
    'INVALID_KEY',
    message,
    'Make a keypair file with `solana-keygen new` or `solana-keygen recover -o FILE`, then run `countersign wallet import FILE`.',
  );

export interface OpenedKeypair {
  key: KeyObject;
  publicKey: Uint8Array;
  /** Base58. */
  address: string;
}

/**
 * Opens a 64-byte keypair (seed, then public key); the caller zeroes the bytes. Throws `INVALID_KEY` unless there are
 * exactly 64 and the second half is the public key of the first.
 */
export function openKeypair(keypair: Uint8Array): OpenedKeypair {
  if (keypair.length === SEED_BYTES) {
    throw invalidKey(
      'This is a 32-byte seed; a 64-byte keypair is needed, so that the address can be checked.',
    );
  }
  if (keypair.length !== KEYPAIR_BYTES) {
    throw invalidKey(`A keypair has 64 bytes; this has ${keypair.length}.`);
  }
  const key = openPrivateKey(keypair);
  const publicKey = publicKeyOf(key);
  if (!constantTimeEqual(publicKey, keypair.subarray(SEED_BYTES))) {
    throw invalidKey('The public key in this keypair does not match its private key.');
  }
  return { key, publicKey, address: bs58.encode(publicKey) };
}

/** Describes a file that is not a byte array by its character set, without quoting it. */
function describeForeign(bytes: Uint8Array): string {
  const text = (allowed: (code: number) => boolean) => bytes.length > 0 && bytes.every(allowed);
  const isLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
  const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
  if (bytes.some(isSpace) && text((code) => isLetter(code) || isSpace(code))) {
    return 'This looks like a mnemonic (seed phrase), which is not accepted: it gives access to every wallet derived from it.';
  }
  if (text((code) => isLetter(code) || isDigit(code) || isSpace(code))) {
    return 'This looks like a key in base58 or hex; a keypair file is a JSON array of 64 numbers.';
  }
  return 'This is not a keypair file: a JSON array of 64 numbers from 0 to 255.';
}

export interface ImportedKeypair {
  address: string;
  /** 64 bytes: seed and public key. The caller wipes them. */
  secret: Secret;
  /** Identity of the file when it was read. */
  identity: FileIdentity;
}

/**
 * Reads a keypair file. Throws `FILE_MISSING`; `INSECURE_FILE` unless it is a regular file of `userId` with mode
 * 0600; `INVALID_KEY` for anything but a consistent 64-byte array. Everything read except the returned secret is
 * zeroed.
 */
export function importKeypairFile(path: string, userId = currentUserId()): ImportedKeypair {
  const file = readPrivateFile(path, MAX_FILE_BYTES, userId);
  if (file === undefined) {
    throw new SecretError(
      'FILE_MISSING',
      // A name without folder or extension may be a key pasted instead of a path.
      /[/\\.]/.test(path) && !path.includes(',') ? `There is no file ${path}.` : 'There is no such file.',
      'Run `countersign wallet import FILE` with the right path.',
    );
  }
  let keypair: Uint8Array | undefined;
  try {
    keypair = parseByteArray(file.bytes, 1_024);
    if (keypair === undefined) throw invalidKey(describeForeign(file.bytes));
    const { address } = openKeypair(keypair);
    return { address, secret: Secret.adoptBytes(keypair), identity: file.identity };
  } catch (error) {
    keypair?.fill(0);
    throw error;
  } finally {
    file.bytes.fill(0);
  }
}
