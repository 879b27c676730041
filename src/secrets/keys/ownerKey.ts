// The owner key, which a person can open and the agent's machine cannot. It signs approvals, the lifting of freezes
// and accepted policy files. It is encrypted under its own passphrase, which a person enters each time: this module
// takes it as an argument and reads no environment variable.

import { type KeyObject, randomFillSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import bs58 from 'bs58';
import { SecretError } from '../errors.ts';
import { ensureHome } from '../home.ts';
import { readPrivateFile, writePrivateFile } from '../privateFile.ts';
import { allocateSecretBytes, Secret } from '../secret.ts';
import { checkNewPassphrase, decryptWithPassphrase, encryptWithPassphrase } from '../stores/ageFile.ts';
import { type Backoff, createBackoff } from '../stores/backoff.ts';
import { secretFilePath } from '../stores/fileStore.ts';
import { type SecretStore, secretNames } from '../stores/store.ts';
import { openPrivateKey, publicKeyOf, SEED_BYTES, signWith } from './ed25519.ts';
import { KEYPAIR_BYTES, openKeypair } from './keypairFile.ts';
import type { OwnerKey } from './ownerStatement.ts';

const MAX_FILE_BYTES = 65_536;

/** Returns the path of the encrypted owner key. */
export const ownerKeyPath = (home: string) => join(home, 'owner-key.age');

export interface CreateOwnerKeyParameters {
  home: string;
  /** Entered by a person. Refused if it is the wallet's. */
  passphrase: Secret;
  /** Passphrases known on the agent's machine (COUNTERSIGN_PASSPHRASE), which must not be reused here. */
  forbidden?: readonly Secret[];
  /** The wallet's secret store. The public key is stored there, so that the owner key cannot be replaced. */
  store: SecretStore;
  /** For tests: a lower scrypt cost. */
  workFactor?: number;
}

export interface CreatedOwnerKey {
  publicKey: string;
  /** False if the store is read-only: the user sets COUNTERSIGN_OWNER_PUBLIC_KEY instead. */
  publicKeyStored: boolean;
}

const reused = () =>
  new SecretError(
    'PASSPHRASE_REUSED',
    'This is the passphrase of the wallet: the machine that runs the agent could approve with it.',
    'Use another passphrase, kept in your head or password manager only.',
  );

async function opensSecretFile(home: string, passphrase: Secret): Promise<boolean> {
  const file = readPrivateFile(secretFilePath(home), 1_048_576);
  if (file === undefined) return false;
  const result = await decryptWithPassphrase(file.bytes, passphrase);
  if (result.ok) result.plaintext.fill(0);
  return result.ok;
}

/**
 * Creates the owner key, once per home. Throws `FILE_EXISTS` if there is one, `WEAK_PASSPHRASE`, and
 * `PASSPHRASE_REUSED` if the passphrase is in `forbidden` or opens the wallet's secret file.
 */
export async function createOwnerKey(parameters: CreateOwnerKeyParameters): Promise<CreatedOwnerKey> {
  const { home, passphrase, forbidden = [], store, workFactor } = parameters;
  const path = ownerKeyPath(home);
  checkNewPassphrase(passphrase);
  if (forbidden.some((other) => other.equals(passphrase)) || (await opensSecretFile(home, passphrase)))
    throw reused();
  ensureHome(home);
  if (existsSync(path)) {
    throw new SecretError(
      'FILE_EXISTS',
      'This home already has an owner key.',
      'Use it: `countersign owner show` prints its public half. To replace it, move owner-key.age away and run the command again.',
    );
  }

  const keypair = allocateSecretBytes(KEYPAIR_BYTES);
  randomFillSync(keypair, 0, SEED_BYTES);
  try {
    const publicKey = publicKeyOf(openPrivateKey(keypair));
    keypair.set(publicKey, SEED_BYTES);
    const file = await encryptWithPassphrase(keypair, passphrase, workFactor);
    const shown = bs58.encode(publicKey);
    const publicKeyStored = store.kind !== 'env';
    // The file is written last: an interrupted command leaves no key whose public half is unknown.
    if (publicKeyStored) await store.set(secretNames.ownerPublicKey, Secret.fromText(shown));
    writePrivateFile(path, file);
    return { publicKey: shown, publicKeyStored };
  } finally {
    keypair.fill(0);
  }
}

/** Returns the public key in the wallet's store; undefined if there is no owner key. */
export async function ownerPublicKey(store: SecretStore): Promise<string | undefined> {
  const stored = await store.get(secretNames.ownerPublicKey);
  const text = stored?.expose();
  stored?.wipe();
  return text;
}

const backoffs = new Map<string, Backoff>();

function backoffFor(path: string, now: () => number): Backoff {
  const known = backoffs.get(path) ?? createBackoff(now);
  backoffs.set(path, known);
  return known;
}

export interface OpenOwnerKeyParameters {
  home: string;
  passphrase: Secret;
  /** Milliseconds, monotonic. Default: `performance.now`. */
  now?: () => number;
}

/**
 * Opens the owner key. Throws `OWNER_KEY_MISSING`, `INSECURE_FILE`, `WRONG_PASSPHRASE` and, after repeated wrong
 * passphrases in this process, `PASSPHRASE_BACKOFF` (F50). Lock it as soon as the statement is signed.
 */
export async function openOwnerKey(parameters: OpenOwnerKeyParameters): Promise<OwnerKey> {
  const path = ownerKeyPath(parameters.home);
  const backoff = backoffFor(path, parameters.now ?? (() => performance.now()));
  const file = readPrivateFile(path, MAX_FILE_BYTES);
  if (file === undefined) {
    throw new SecretError(
      'OWNER_KEY_MISSING',
      'There is no owner key in this home.',
      'Run `countersign owner create` and choose an owner passphrase.',
    );
  }
  backoff.check();
  const result = await decryptWithPassphrase(file.bytes, parameters.passphrase);
  if (!result.ok && result.reason === 'wrong passphrase') {
    backoff.failed();
    throw new SecretError(
      'WRONG_PASSPHRASE',
      'The passphrase does not open the owner key.',
      'Run the command again with the owner passphrase, which is not the one of the wallet.',
    );
  }
  const damaged = new SecretError(
    'KEYSTORE_CORRUPT',
    `${path} is damaged or not an owner key.`,
    'Restore it from a backup, then run the command again.',
  );
  if (!result.ok) throw damaged;
  backoff.succeeded();
  try {
    const { address, key } = openKeypair(result.plaintext);
    return holdKey(address, key);
  } catch {
    throw damaged;
  } finally {
    result.plaintext.fill(0);
  }
}

function holdKey(publicKey: string, opened: KeyObject): OwnerKey {
  let key: KeyObject | undefined = opened;
  return {
    publicKey,
    sign(message) {
      if (key === undefined) {
        throw new SecretError(
          'SIGNER_LOCKED',
          'The owner key is locked.',
          'Run the command again and type its passphrase.',
        );
      }
      // PrivateKeyUse: the owner key, for statements only.
      return signWith(key, message);
    },
    lock() {
      key = undefined;
    },
  };
}
