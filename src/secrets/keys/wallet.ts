// Signs with a wallet's private key; all transaction signatures of this program are made here.

import { createHash, type KeyObject, randomFillSync } from 'node:crypto';
import bs58 from 'bs58';
import { verifySignature } from '../../base/ed25519.ts';
import { SecretError } from '../errors.ts';
import { allocateSecretBytes, Secret } from '../secret.ts';
import { type SecretStore, secretNames } from '../stores/store.ts';
import { openPrivateKey, publicKeyOf, SEED_BYTES, signWith } from './ed25519.ts';
import { KEYPAIR_BYTES, type OpenedKeypair, openKeypair } from './keypairFile.ts';

export { importKeypairFile } from './keypairFile.ts';

/**
 * The decision that allowed a signature, and the allowed message. Created by the code that reserved and recorded the
 * decision, never from data of the agent or the service.
 */
export interface SigningPermit {
  /** SHA-256 of the message bytes, 64 lower-case hex digits. */
  readonly messageSha256: string;
  readonly decisionId: string;
}

export interface Signer {
  /** Base58 address of the wallet. */
  readonly address: string;
  readonly locked: boolean;
  /**
   * Returns the 64-byte Ed25519 signature of `message` (the transaction message, without signatures). Throws
   * `PERMIT_MISMATCH` if the permit names no decision or another message, `SIGNER_LOCKED` after `lock`, errors of
   * `beforeSign`, and `SIGNATURE_INVALID` if the result does not verify (F52: a corrupted signature is never used).
   */
  sign(message: Uint8Array, permit: SigningPermit): Uint8Array;
  /** Drops the key; the signer cannot sign any more. */
  lock(): void;
}

export interface SignerOptions {
  /** Called before each signature; throws to refuse it. `openWallet` passes the store's check (F51). */
  beforeSign?: () => void;
}

/** Creates a random keypair: the address, and seed and public key as a 64-byte secret. */
export function createKeypair(): { address: string; secret: Secret } {
  const keypair = allocateSecretBytes(KEYPAIR_BYTES);
  randomFillSync(keypair, 0, SEED_BYTES);
  const publicKey = publicKeyOf(openPrivateKey(keypair));
  keypair.set(publicKey, SEED_BYTES);
  return { address: bs58.encode(publicKey), secret: Secret.adoptBytes(keypair) };
}

/**
 * Creates a signer for a 64-byte keypair and takes ownership of the secret: the bytes are copied into one OpenSSL key
 * and zeroed before this returns, so that one copy remains, outside the JavaScript heap. `lock` drops it; OpenSSL
 * overwrites it when the engine collects the key object, some time later. JavaScript cannot zero that copy before the
 * collection, registers and stack of finished calls, swapped-out pages, or earlier copies of the key.
 */
export function createSigner(keypair: Secret, options: SignerOptions = {}): Signer {
  let opened: OpenedKeypair;
  try {
    opened = openKeypair(keypair.exposeBytes());
  } finally {
    keypair.wipe();
  }
  const { address, publicKey } = opened;
  let key: KeyObject | undefined = opened.key;

  return {
    address,
    get locked() {
      return key === undefined;
    },
    sign(message, permit) {
      // Hashes and signs one copy, so that the bytes cannot change in between.
      const signed = Uint8Array.from(message);
      const digest = createHash('sha256').update(signed).digest('hex');
      if (permit.decisionId === '' || permit.messageSha256 !== digest) {
        throw new SecretError(
          'PERMIT_MISMATCH',
          'The decision for this signature allows another message.',
          'Nothing was signed. Run `countersign audit show` to see the decision, then build the plan again.',
        );
      }
      options.beforeSign?.();
      if (key === undefined) {
        throw new SecretError(
          'SIGNER_LOCKED',
          `The wallet ${address} is locked.`,
          'Restart `countersign serve`, which opens it again from the secret store.',
        );
      }
      // PrivateKeyUse: the wallet's key.
      const signature = signWith(key, signed);
      if (!verifySignature(publicKey, signature, signed)) {
        throw new SecretError(
          'SIGNATURE_INVALID',
          'The signature does not verify and was discarded.',
          'Restart `countersign serve`; if it happens again, run `countersign doctor` and check the hardware.',
        );
      }
      return signature;
    },
    lock() {
      key = undefined;
    },
  };
}

/**
 * Opens the signer of a wallet in `store`; it refuses to sign once the store was tampered with (F51). Returns
 * undefined if the store has no such wallet; throws `INVALID_KEY` if the entry is another wallet's key.
 */
export async function openWallet(store: SecretStore, address: string): Promise<Signer | undefined> {
  const secret = await store.get(secretNames.wallet(address));
  if (secret === undefined) return undefined;
  const signer = createSigner(secret, { beforeSign: () => store.checkUnchanged() });
  if (signer.address === address) return signer;
  signer.lock();
  throw new SecretError(
    'INVALID_KEY',
    `The secret store has another wallet's key under the name of ${address}.`,
    'Run `countersign wallet import FILE` again.',
  );
}

/** Checks that a wallet's key can be opened. Throws the errors of `openWallet`. */
export async function proveWallet(store: SecretStore, address: string): Promise<void> {
  (await openWallet(store, address))?.lock();
}
