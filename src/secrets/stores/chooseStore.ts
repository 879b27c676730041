// Selects the secret store of a home. The user chooses once; the choice is recorded and only `migrate` changes it. A
// chosen store that does not work is an error: there is no fallback, and secrets are never stored in plain text.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { SecretError } from '../errors.ts';
import { type Environment, ensureHome } from '../home.ts';
import { readPrivateFile, writePrivateFile } from '../privateFile.ts';
import { createEnvStore } from './envStore.ts';
import { createFileStore, type PassphrasePrompt } from './fileStore.ts';
import { createKeychainStore } from './keychainStore.ts';
import type { SecretStore } from './store.ts';

export const PERSISTENT_KINDS = ['keychain', 'file', 'env'] as const;
export type PersistentKind = (typeof PERSISTENT_KINDS)[number];

/** Content of `secret-store.json`. */
const storeRecord = z.object({
  version: z.literal(1),
  kind: z.enum(PERSISTENT_KINDS),
  /** Distinguishes this home's keychain entries from another home's. */
  id: z.string().regex(/^[0-9a-f]{12}$/),
});
export type StoreRecord = z.infer<typeof storeRecord>;

/** Returns the path of the recorded choice. */
export const storeRecordPath = (home: string) => join(home, 'secret-store.json');

const SETUP_HINT =
  'Run `countersign login` or `countersign wallet create` and choose: the keychain or the encrypted file.';

/** Parses a `--secret-store` value; throws `KEYSTORE_NOT_CHOSEN` for an unknown one. */
export function parseStoreKind(value: string | undefined): PersistentKind | undefined {
  if (value === undefined || value === '') return undefined;
  const kind = PERSISTENT_KINDS.find((known) => known === value);
  if (kind !== undefined) return kind;
  throw new SecretError(
    'KEYSTORE_NOT_CHOSEN',
    'There are three secret stores: keychain, file and env.',
    SETUP_HINT,
  );
}

/** Returns the recorded choice, or undefined; throws `KEYSTORE_CORRUPT` for a malformed record. */
export function readStoreRecord(home: string): StoreRecord | undefined {
  const file = readPrivateFile(storeRecordPath(home), 4_096);
  if (file === undefined) return undefined;
  try {
    return storeRecord.parse(JSON.parse(new TextDecoder().decode(file.bytes)));
  } catch {
    throw new SecretError(
      'KEYSTORE_CORRUPT',
      `${storeRecordPath(home)} does not name a known secret store.`,
      'Restore it from a backup, or move it away and run `countersign login` again.',
    );
  }
}

export function writeStoreRecord(home: string, record: StoreRecord): void {
  ensureHome(home);
  writePrivateFile(storeRecordPath(home), new TextEncoder().encode(`${JSON.stringify(record)}\n`));
}

/** Returns a random id for a record. */
export const newStoreId = () => randomBytes(6).toString('hex');

export interface OpenStoreParameters {
  home: string;
  env: Environment;
  /** From `--secret-store` or COUNTERSIGN_SECRET_STORE; must match the record if there is one. */
  requested?: string | undefined;
  /** The service of the environment's API key. */
  rootUrl?: string | undefined;
  /** Set by interactive commands; absent in `serve`. */
  prompt?: PassphrasePrompt | undefined;
}

/** Creates a store of this kind without checks or records. */
export function createStore(
  record: StoreRecord,
  parameters: Omit<OpenStoreParameters, 'requested'>,
): SecretStore {
  const { home, env, prompt, rootUrl } = parameters;
  if (record.kind === 'keychain') return createKeychainStore({ id: record.id, env });
  if (record.kind === 'file') return createFileStore({ home, env, prompt });
  return createEnvStore({ home, env, rootUrl });
}

/**
 * Returns the home's store without opening or writing a file. Without a record only the environment store is
 * available, if requested by name. Throws `KEYSTORE_NOT_CHOSEN` if nothing was chosen and `KEYSTORE_MISMATCH` if a
 * store other than the recorded one is requested.
 */
export function openStore(parameters: OpenStoreParameters): SecretStore {
  const requested = parseStoreKind(parameters.requested ?? parameters.env.COUNTERSIGN_SECRET_STORE);
  const record = readStoreRecord(parameters.home);
  if (record === undefined) {
    if (requested === 'env') return createStore({ version: 1, kind: 'env', id: '' }, parameters);
    throw new SecretError('KEYSTORE_NOT_CHOSEN', 'No secret store was set up in this home.', SETUP_HINT);
  }
  if (requested !== undefined && requested !== record.kind) {
    throw new SecretError(
      'KEYSTORE_MISMATCH',
      `This home keeps its secrets in the ${record.kind} store, but the ${requested} store was requested.`,
      `Run \`countersign secrets migrate\` to move them, or use \`${record.kind}\`.`,
    );
  }
  return createStore(record, parameters);
}

/**
 * Chooses a home's store, once: tests that it works, then records it. With an existing record the same as
 * `openStore`. A keychain must pass its canary test; a file needs a passphrase or a prompt.
 */
export async function setUpStore(parameters: OpenStoreParameters): Promise<SecretStore> {
  const { home, env } = parameters;
  if (readStoreRecord(home) !== undefined) return openStore(parameters);
  const kind = parseStoreKind(parameters.requested ?? env.COUNTERSIGN_SECRET_STORE);
  if (kind === undefined) {
    throw new SecretError('KEYSTORE_NOT_CHOSEN', 'No secret store was chosen.', SETUP_HINT);
  }
  const record: StoreRecord = { version: 1, kind, id: newStoreId() };
  if (kind === 'keychain') await createKeychainStore({ id: record.id, env }).prove();
  if (kind === 'file' && !env.COUNTERSIGN_PASSPHRASE && parameters.prompt === undefined) {
    throw new SecretError(
      'KEYSTORE_LOCKED',
      'The encrypted file needs a passphrase.',
      'Run `countersign login` in a terminal, or set COUNTERSIGN_PASSPHRASE.',
    );
  }
  writeStoreRecord(home, record);
  return createStore(record, parameters);
}

/** Returns whether the system keychain works here; setup offers it first. Leaves only a canary entry. */
export async function keychainWorks(env: Environment): Promise<boolean> {
  return (await createKeychainStore({ id: 'probe', env }).status()).ok;
}
