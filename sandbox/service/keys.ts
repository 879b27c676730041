/** Key pairs of the service, derived with HKDF from the sandbox's seed and a label. */
import { hkdfSync } from 'node:crypto';
import { type Keypair, keypairFromSeed } from '../keypair.ts';

/** Key pairs by label, made on first use. */
export interface Keyring {
  get(label: string): Keypair;
}

/** Creates the key pairs of a sandbox. Equal seeds and labels give equal pairs. */
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

/** Derives other secret bytes the same way. */
export function derivedBytes(seed: string, label: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', seed, 'countersign sandbox', label, length));
}
