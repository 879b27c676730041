// Moves secrets between stores: copies all, reads all back, records the new choice, and only then deletes from the
// old one. A failure before the last step leaves the old store unchanged.

import { SecretError } from '../errors.ts';
import {
  createStore,
  newStoreId,
  type OpenStoreParameters,
  openStore,
  parseStoreKind,
  readStoreRecord,
  type StoreRecord,
  writeStoreRecord,
} from './chooseStore.ts';
import { createKeychainStore } from './keychainStore.ts';
import type { SecretStore } from './store.ts';

export interface MigrateParameters {
  from: SecretStore;
  to: SecretStore;
  /** Runs after every secret was read back and before deletion; records the choice. */
  beforeDelete?: () => void;
}

export interface MigrateResult {
  moved: string[];
  /** Names in the new store that could not be deleted from the old one. */
  notDeleted: string[];
}

async function copyOne(from: SecretStore, to: SecretStore, name: string): Promise<void> {
  const secret = await from.get(name);
  if (secret === undefined) return;
  const present = await to.get(name);
  const conflict = present !== undefined && !present.equals(secret);
  present?.wipe();
  if (conflict) {
    secret.wipe();
    throw new SecretError(
      'KEYSTORE_MISMATCH',
      `The new store already has a different ${name}; nothing was deleted.`,
      'Remove one of the two, then run `countersign secrets migrate` again.',
    );
  }
  if (present === undefined) await to.set(name, secret);
  secret.wipe();
}

async function isSame(from: SecretStore, to: SecretStore, name: string): Promise<boolean> {
  const [old, copy] = [await from.get(name), await to.get(name)];
  const same = old === undefined || copy?.equals(old) === true;
  old?.wipe();
  copy?.wipe();
  return same;
}

/** Moves all secrets. Throws the stores' errors, and `KEYSTORE_WRITE_FAILED` if a copy does not read back equal. */
export async function migrate({ from, to, beforeDelete }: MigrateParameters): Promise<MigrateResult> {
  const names = await from.list();
  for (const name of names) await copyOne(from, to, name);
  await to.refresh();
  for (const name of names) {
    if (await isSame(from, to, name)) continue;
    throw new SecretError(
      'KEYSTORE_WRITE_FAILED',
      `${name} did not read back from the new store; nothing was deleted from the old one.`,
      'Run `countersign doctor`, then `countersign secrets migrate` again.',
    );
  }
  beforeDelete?.();
  const notDeleted: string[] = [];
  for (const name of names) {
    const deleted = await from.delete(name).catch(() => false);
    if (!deleted) notDeleted.push(name);
  }
  return { moved: names, notDeleted };
}

/**
 * Moves a home's secrets to the store `target` and records it. A read-only source (the environment) keeps its values;
 * `notDeleted` names them. Throws `KEYSTORE_MISMATCH` if the home already uses the target.
 */
export async function migrateHome(
  parameters: OpenStoreParameters & { target: string },
): Promise<MigrateResult & { kind: StoreRecord['kind'] }> {
  const { home, env } = parameters;
  const kind = parseStoreKind(parameters.target);
  const current = readStoreRecord(home);
  const from = openStore(parameters);
  if (kind === undefined || kind === from.kind || kind === 'env') {
    throw new SecretError(
      'KEYSTORE_MISMATCH',
      kind === 'env' ? 'Secrets cannot be moved into the environment.' : 'The secrets are already there.',
      'Run `countersign secrets migrate` with `keychain` or `file`.',
    );
  }
  const record: StoreRecord = { version: 1, kind, id: current?.id || newStoreId() };
  const to = createStore(record, parameters);
  if (kind === 'keychain') await createKeychainStore({ id: record.id, env }).prove();
  const result = await migrate({ from, to, beforeDelete: () => writeStoreRecord(home, record) });
  return { ...result, kind };
}
