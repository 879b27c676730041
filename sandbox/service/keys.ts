/**
 * The service's key pairs, every one derived from the sandbox's seed and a label with HKDF, so that a sandbox of
 * the same seed has the same addresses.
 */
import { hkdfSync } from 'node:crypto';
import { type Keypair, keypairFromSeed } from '../keypair.ts';

/** Key pairs by label, made on first use. */
export interface Keyring {
  get(label: string): Keypair;
}

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
