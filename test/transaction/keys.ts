/** Deterministic Ed25519 keys for tests, so that signatures are real and runs repeatable. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { addressFromBytes } from '../../src/transaction/base58.ts';
import type { Address } from '../../src/transaction/types.ts';

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface TestKey {
  readonly address: Address;
  readonly secret: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** The key pair whose secret is the SHA-256 of `name`. */
export function testKey(name: string): TestKey {
  const secret = createHash('sha256').update(name).digest();
  const key: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    address: addressFromBytes(Uint8Array.from(spki.subarray(-32))),
    secret: Uint8Array.from(secret),
    sign: (message) => Uint8Array.from(sign(null, message, key)),
  };
}

/** Returns the SHA-256 of `name` as an address, which need not have a key. */
export function testAddress(name: string): Address {
  return addressFromBytes(Uint8Array.from(createHash('sha256').update(`address ${name}`).digest()));
}
