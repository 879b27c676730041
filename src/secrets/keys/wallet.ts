// The wallet: the only place of this program that signs with a wallet's private key.

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
 * What a signature needs besides the key: the decision that allowed it and the message it allowed. Made by
 * the code that reserved and recorded the decision, never from anything the agent or the service sent.
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
   * The 64-byte Ed25519 signature of `message` (the transaction message, without signatures). Throws
   * `PERMIT_MISMATCH` when the permit names no decision or another message, `SIGNER_LOCKED` after `lock`,
   * whatever `beforeSign` throws, and `SIGNATURE_INVALID` if the result does not verify (F52: a signature
   * that a fault spoiled is never used).
   */
  sign(message: Uint8Array, permit: SigningPermit): Uint8Array;
  /** Forgets the key; signing is over for this signer. */
  lock(): void;
}

export interface SignerOptions {
  /** Called before each signature; throws to refuse it. `openWallet` passes the store's check (F51). */
  beforeSign?: () => void;
}

/** A new random keypair: the address, and seed and public key as a 64-byte secret. */
export function createKeypair(): { address: string; secret: Secret } {
  const keypair = allocateSecretBytes(KEYPAIR_BYTES);
  randomFillSync(keypair, 0, SEED_BYTES);
  const publicKey = publicKeyOf(openPrivateKey(keypair));
  keypair.set(publicKey, SEED_BYTES);
  return { address: bs58.encode(publicKey), secret: Secret.adoptBytes(keypair) };
}

/**
 * A signer for a 64-byte keypair. It takes the secret over: the bytes are copied into one OpenSSL key and
 * zeroed before this returns, so afterwards one copy exists, outside the JavaScript heap. `lock` drops it;
 * OpenSSL overwrites it when the engine collects the key object, soon after and not at that instant. What
 * JavaScript cannot zero: that copy before the collection, registers and stack of finished calls, a page
 * the system swapped out, and whatever held the key before it came here.
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
      // One copy is hashed and signed, so that the bytes cannot change between the two.
      const signed = Uint8Array.from(message);
      const digest = createHash('sha256').update(signed).digest('hex');
      if (permit.decisionId === '' || permit.messageSha256 !== digest) {
        throw new SecretError(
          'PERMIT_MISMATCH',
          'The decision that was given for this signature allows another message.',
          'Nothing was signed. Run `countersign audit show` to see what was decided, then ask for the plan again.',
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
          'The signature that was made does not verify and was thrown away.',
          'Restart `countersign serve`; if it happens again, run `countersign doctor` and suspect the machine.',
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
 * The signer of a wallet kept in `store`, refusing to sign once the store was tampered with (F51). Returns
 * undefined when the store has no such wallet; throws `INVALID_KEY` when what it has is another wallet's.
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

/** Opens the key of a wallet and forgets it at once. Throws what `openWallet` throws, when the key cannot be used. */
export async function proveWallet(store: SecretStore, address: string): Promise<void> {
  (await openWallet(store, address))?.lock();
}
