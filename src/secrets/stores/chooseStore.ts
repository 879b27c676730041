// Which secret store this home uses. A person chooses once; the choice is written down and only `migrate`
// changes it. A chosen store that does not work is an error: no other store takes its place, and secrets are never kept in plain text.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SecretError } from '../errors.ts';
import { type Environment, ensureHome } from '../home.ts';
import { readPrivateFile, writePrivateFile } from '../privateFile.ts';
import { createEnvStore } from './envStore.ts';
import { createFileStore, type PassphrasePrompt } from './fileStore.ts';
import { createKeychainStore } from './keychainStore.ts';
import type { SecretStore } from './store.ts';

export const PERSISTENT_KINDS = ['keychain', 'file', 'env'] as const;
export type PersistentKind = (typeof PERSISTENT_KINDS)[number];

/** What `secret-store.json` holds. */
export interface StoreRecord {
  version: 1;
  kind: PersistentKind;
  /** Distinguishes this home's keychain entries from another home's. */
  id: string;
}

/** Where the choice is written down. */
export const storeRecordPath = (home: string) => join(home, 'secret-store.json');

const SETUP_HINT =
  'Run `countersign login` or `countersign wallet create` and choose: the keychain or the encrypted file.';

/** Narrows a `--secret-store` value; throws `KEYSTORE_NOT_CHOSEN` for an unknown one. */
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

/** The recorded choice, or undefined; throws `KEYSTORE_CORRUPT` for a record that is not one. */
export function readStoreRecord(home: string): StoreRecord | undefined {
  const file = readPrivateFile(storeRecordPath(home), 4_096);
  if (file === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(file.bytes));
    if (
      typeof value === 'object' &&
      value !== null &&
      'version' in value &&
      'kind' in value &&
      'id' in value
    ) {
      const kind = PERSISTENT_KINDS.find((known) => known === value.kind);
      const { id } = value;
      if (value.version === 1 && kind !== undefined && typeof id === 'string' && /^[0-9a-f]{12}$/.test(id)) {
        return { version: 1, kind, id };
      }
    }
  } catch {
    // Not JSON: the same as a record of another form.
  }
  throw new SecretError(
    'KEYSTORE_CORRUPT',
    `${storeRecordPath(home)} does not say which secret store is in use.`,
    'Restore it from a backup, or move it away and run `countersign login` again.',
  );
}

export function writeStoreRecord(home: string, record: StoreRecord): void {
  ensureHome(home);
  writePrivateFile(storeRecordPath(home), new TextEncoder().encode(`${JSON.stringify(record)}\n`));
}

/** A new random id for a record. */
export const newStoreId = () => randomBytes(6).toString('hex');

export interface OpenStoreParameters {
  home: string;
  env: Environment;
  /** From `--secret-store` or COUNTERSIGN_SECRET_STORE; must agree with the record when there is one. */
  requested?: string | undefined;
  /** The service the environment's API key is for. */
  rootUrl?: string | undefined;
  /** Given by commands a person runs; left out by `serve`. */
  prompt?: PassphrasePrompt | undefined;
}

/** A store of this kind with nothing checked or recorded. */
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
 * The store this home uses; it opens and writes no file yet. Without a record only the
 * environment works, when asked for by name. Throws `KEYSTORE_NOT_CHOSEN` when nothing was chosen and
 * `KEYSTORE_MISMATCH` when another store is asked for than the recorded one.
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
      `This home keeps its secrets in the ${record.kind} store, and the ${requested} store was asked for.`,
      `Run \`countersign secrets migrate\` to move them, or ask for \`${record.kind}\`.`,
    );
  }
  return createStore(record, parameters);
}

/**
 * Chooses the store of a home, once: proves that it works, then records it. With a record already there it
 * is the same as `openStore`. A keychain must pass its canary; a file needs a passphrase or a prompt.
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

/** Whether the system keychain works here: what a setup offers first. Leaves only a canary entry behind. */
export async function keychainWorks(env: Environment): Promise<boolean> {
  return (await createKeychainStore({ id: 'probe', env }).status()).ok;
}
