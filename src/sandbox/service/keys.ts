/**
 * The service's key pairs, every one derived from the sandbox's seed and a label with HKDF, so that a sandbox of
 * the same seed has the same addresses.
 */
import { createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto';
import { addressFromBytes } from '../../transaction/base58.ts';
import type { Address } from '../../transaction/types.ts';

/** A key pair that signs raw messages. */
export interface Keypair {
  readonly address: Address;
  /** Seed and public key, 64 bytes, the form key files use. */
  readonly secretKey: Uint8Array;
  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** Key pairs by label, made on first use. */
export interface Keyring {
  get(label: string): Keypair;
}

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX_LENGTH = 12;

/** Key pairs of one sandbox. The same seed and label always give the same pair. */
export function createKeyring(seed: string): Keyring {
  const pairs = new Map<string, Keypair>();
  return {
    get(label) {
      const known = pairs.get(label);
      if (known !== undefined) return known;
      const secret = new Uint8Array(hkdfSync('sha256', seed, 'countersign sandbox', label, 32));
      const pair = keypairFromSeed(secret);
      pairs.set(label, pair);
      return pair;
    },
  };
}

/** Bytes derived the same way, for secrets that are no keys. */
export function derivedBytes(seed: string, label: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', seed, 'countersign sandbox', label, length));
}

/** The key pair of a 32-byte Ed25519 seed. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX_LENGTH);
  const secretKey = new Uint8Array(64);
  secretKey.set(seed, 0);
  secretKey.set(publicKey, 32);
  return {
    address: addressFromBytes(new Uint8Array(publicKey)),
    secretKey,
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}
