// Ed25519 with private keys held by OpenSSL, through node:crypto.
//
// Why not a JavaScript implementation: measured by searching a process's memory after 50 signatures, a key
// expanded in JavaScript left over forty copies of its scalar and nonce prefix on the heap, most of them
// still there after a garbage collection, and each is enough to sign. A key object leaves one copy outside
// the heap, which OpenSSL overwrites when the object is collected; one object per signature would leave as
// many copies as there were signatures. So: one object per open key, and the bytes zeroed when it exists.

import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { allocateSecretBytes } from '../secret.ts';

const PKCS8_HEADER = Uint8Array.from([
  0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
]);
/** Length of the DER header of a public key (RFC 8410); the 32 key bytes follow. */
const SPKI_HEADER_BYTES = 12;

export const SEED_BYTES = 32;

/** Opens the private key of a 32-byte seed. The caller zeroes the seed. */
export function openPrivateKey(seed: Uint8Array): KeyObject {
  const der = allocateSecretBytes(PKCS8_HEADER.length + SEED_BYTES);
  der.set(PKCS8_HEADER);
  der.set(seed.subarray(0, SEED_BYTES), PKCS8_HEADER.length);
  try {
    return createPrivateKey({ key: Buffer.from(der.buffer), format: 'der', type: 'pkcs8' });
  } finally {
    der.fill(0);
  }
}

/** Returns the 32-byte public key of a private key. */
export function publicKeyOf(key: KeyObject): Uint8Array {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return Uint8Array.from(der.subarray(SPKI_HEADER_BYTES));
}

/** Returns the 64-byte signature. PrivateKeyUse: every signature of this program is made here. */
export function signWith(key: KeyObject, message: Uint8Array): Uint8Array {
  return Uint8Array.from(sign(null, message, key));
}
