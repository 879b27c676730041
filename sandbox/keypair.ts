/** Ed25519 key pairs of the sandbox, derived from seeds. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { remember } from '../src/base/remember.ts';
import { addressFromBytes } from '../src/transaction/base58.ts';
import type { Address } from '../src/transaction/types.ts';

/** A key pair that signs raw messages. */
export interface Keypair {
  readonly address: Address;
  /** Seed and public key, 64 bytes, as in key files. */
  readonly secretKey: Uint8Array;
  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX_LENGTH = 12;

const pairs = new Map<string, Keypair>();

/** Returns the key pair of a 32-byte Ed25519 seed. Cached, since OpenSSL takes a third of a millisecond per pair. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  const name = Buffer.from(seed).toString('hex');
  const pair = pairs.get(name) ?? remember(pairs, name, made(seed));
  return { ...pair, secretKey: pair.secretKey.slice() };
}

function made(seed: Uint8Array): Keypair {
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
