/** Checks Ed25519 signatures with OpenSSL. Only `secrets/keys/ed25519.ts` makes them. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { remember } from './remember.ts';

/** The DER header of an Ed25519 public key (RFC 8410); the 32 key bytes follow. */
const SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

const keys = new Map<string, KeyObject>();

function keyObject(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, PUBLIC_KEY_BYTES).toString('latin1');
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = Buffer.concat([SPKI_HEADER, publicKey]);
  return remember(keys, name, createPublicKey({ key, format: 'der', type: 'spki' }), 256);
}

/** Whether `signature` is the Ed25519 signature of `message` by `publicKey`. False for bytes that are neither. */
export function verifySignature(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  try {
    return verify(null, message, keyObject(publicKey), signature);
  } catch {
    return false;
  }
}
