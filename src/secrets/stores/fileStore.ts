// Secrets in one age-encrypted file in the home folder. The file's owner, mode and identity are checked at every use:
// if it was replaced, removed or made readable to others, the store returns no more secrets (F51).

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SecretError } from '../errors.ts';
import { type Environment, ensureHome } from '../home.ts';
import {
  checkPrivateFolder,
  type FileIdentity,
  inspectPrivateFile,
  readPrivateFile,
  removePrivateFile,
  sameFile,
  writePrivateFile,
} from '../privateFile.ts';
import { constantTimeEqual, Secret } from '../secret.ts';
import { checkNewPassphrase, decryptWithPassphrase, encryptWithPassphrase } from './ageFile.ts';
import { createBackoff } from './backoff.ts';
import { checkStorable, formatSecrets, parseSecrets } from './fileFormat.ts';
import { withFileLock } from './fileLock.ts';
import { checkSecretName, type SecretStore } from './store.ts';

const MAX_FILE_BYTES = 1_048_576;

/** Asks the user for the passphrase; twice for `create`. */
export type PassphrasePrompt = (purpose: 'open' | 'create') => Promise<string>;

export interface FileStoreParameters {
  home: string;
  /** Read for COUNTERSIGN_PASSPHRASE only. */
  env: Environment;
  /** Absent in `serve`, which never prompts: a locked store is then an error with a hint. */
  prompt?: PassphrasePrompt | undefined;
  /** Milliseconds, monotonic. Default: `performance.now`. */
  now?: () => number;
  /** For tests: a lower scrypt cost. */
  workFactor?: number;
}

/** Returns the path of the encrypted file. */
export const secretFilePath = (home: string) => join(home, 'secrets.age');

interface Opened {
  identity: FileIdentity | undefined;
  entries: Map<string, Secret>;
  passphrase: Secret;
}

const corrupt = (path: string) =>
  new SecretError(
    'KEYSTORE_CORRUPT',
    `${path} is damaged or not a secret file of this program.`,
    'Restore it from a backup, or move it away and run `countersign login` and `countersign wallet import FILE`.',
  );

/** Wipes the secrets in `from` that are not the same object in `kept`. */
function wipeMissing(from: ReadonlyMap<string, Secret>, kept: ReadonlyMap<string, Secret>): void {
  for (const [name, secret] of from) if (kept.get(name) !== secret) secret.wipe();
}

/** Creates the store. The file is read, and the passphrase requested, on first use. */
export function createFileStore(parameters: FileStoreParameters): SecretStore {
  const { home, env, prompt, workFactor } = parameters;
  const path = secretFilePath(home);
  const backoff = createBackoff(parameters.now ?? (() => performance.now()));
  let opened: Opened | undefined;
  let opening: Promise<Opened> | undefined;
  let changed: SecretError | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  const forget = () => {
    for (const secret of opened?.entries.values() ?? []) secret.wipe();
    opened?.passphrase.wipe();
    opened = undefined;
  };

  const checkUnchanged = () => {
    if (changed !== undefined) throw changed;
    try {
      if (existsSync(home)) checkPrivateFolder(home);
      const identity = inspectPrivateFile(path);
      if (opened === undefined || sameFile(opened.identity, identity)) return;
    } catch (error) {
      const wasOpen = opened !== undefined;
      forget();
      if (wasOpen && error instanceof SecretError) changed = error;
      throw error;
    }
    forget();
    changed = new SecretError(
      'KEYSTORE_CHANGED',
      `${path} was changed by another program while this process was using it.`,
      'If that was you, restart `countersign serve`; if not, run `countersign freeze` and find out who changed it.',
    );
    throw changed;
  };

  const askPassphrase = async (purpose: 'open' | 'create'): Promise<Secret> => {
    const fromEnvironment = env.COUNTERSIGN_PASSPHRASE;
    const text = fromEnvironment || (await prompt?.(purpose));
    if (text !== undefined && text !== '') return Secret.fromText(text);
    throw new SecretError(
      'KEYSTORE_LOCKED',
      'The secret file is locked and there is no passphrase.',
      'Set COUNTERSIGN_PASSPHRASE where `countersign serve` is started, or run `countersign secrets migrate` to move to the keychain.',
    );
  };

  const decrypt = async (passphrase: Secret): Promise<Omit<Opened, 'passphrase'> | undefined> => {
    const file = readPrivateFile(path, MAX_FILE_BYTES);
    if (file === undefined) return undefined;
    const result = await decryptWithPassphrase(file.bytes, passphrase);
    if (!result.ok && result.reason === 'wrong passphrase') {
      backoff.failed();
      throw new SecretError(
        'WRONG_PASSPHRASE',
        'The passphrase does not open the secret file.',
        'Correct COUNTERSIGN_PASSPHRASE and restart `countersign serve`, or type the passphrase again.',
      );
    }
    const entries = result.ok ? parseSecrets(result.plaintext) : undefined;
    if (result.ok) result.plaintext.fill(0);
    if (entries === undefined) throw corrupt(path);
    return { identity: file.identity, entries };
  };

  const openOnce = async (): Promise<Opened> => {
    backoff.check();
    const exists = inspectPrivateFile(path) !== undefined;
    const passphrase = await askPassphrase(exists ? 'open' : 'create');
    try {
      if (!exists) checkNewPassphrase(passphrase);
      const content = await decrypt(passphrase);
      backoff.succeeded();
      opened = { identity: content?.identity, entries: content?.entries ?? new Map(), passphrase };
      return opened;
    } catch (error) {
      passphrase.wipe();
      throw error;
    }
  };

  const open = async (): Promise<Opened> => {
    checkUnchanged();
    if (opened !== undefined) return opened;
    opening ??= openOnce().finally(() => {
      opening = undefined;
    });
    const result = await opening;
    checkUnchanged();
    return result;
  };

  const replaceFile = async (
    entries: Map<string, Secret>,
    passphrase: Secret,
  ): Promise<FileIdentity | undefined> => {
    if (entries.size === 0) {
      removePrivateFile(path);
      return undefined;
    }
    const plaintext = formatSecrets(entries);
    const file = await encryptWithPassphrase(plaintext, passphrase, workFactor).finally(() =>
      plaintext.fill(0),
    );
    checkUnchanged();
    const identity = writePrivateFile(path, file);
    const readBack = readPrivateFile(path, MAX_FILE_BYTES)?.bytes;
    if (readBack === undefined || !constantTimeEqual(readBack, file)) throw corrupt(path);
    return identity;
  };

  /** Changes the entries and replaces the file, one change at a time across processes. */
  const rewrite = (change: (entries: Map<string, Secret>) => boolean): Promise<boolean> => {
    const run = async () => {
      ensureHome(home);
      return withFileLock(`${path}.lock`, async () => {
        const current = await open();
        const next = new Map(current.entries);
        if (!change(next)) return false;
        try {
          const identity = await replaceFile(next, current.passphrase);
          opened = { identity, entries: next, passphrase: current.passphrase };
        } catch (error) {
          wipeMissing(next, current.entries);
          throw error;
        }
        wipeMissing(current.entries, next);
        return true;
      });
    };
    const result = writing.then(run, run);
    writing = result.catch(() => undefined);
    return result;
  };

  const list = async (): Promise<string[]> => {
    checkUnchanged();
    if (opened === undefined && inspectPrivateFile(path) === undefined) return [];
    return [...(await open()).entries.keys()].sort();
  };

  return {
    kind: 'file',
    async get(name) {
      checkSecretName(name);
      checkUnchanged();
      if (opened === undefined && inspectPrivateFile(path) === undefined) return undefined;
      return (await open()).entries.get(name)?.clone();
    },
    async set(name, secret) {
      checkSecretName(name);
      checkStorable(secret);
      await rewrite((entries) => {
        entries.set(name, secret.clone());
        return true;
      });
    },
    async delete(name) {
      checkSecretName(name);
      checkUnchanged();
      if (inspectPrivateFile(path) === undefined) return false;
      return rewrite((entries) => entries.delete(name));
    },
    list,
    async status() {
      try {
        const count = (await list()).length;
        return { ok: true, kind: 'file', detail: `${path}: opened, ${count} entries.` };
      } catch (error) {
        const text = error instanceof SecretError ? `${error.message} ${error.hint}` : 'It cannot be read.';
        return { ok: false, kind: 'file', detail: `${path}: ${text}` };
      }
    },
    checkUnchanged,
    async refresh() {
      if (opened === undefined) return;
      checkUnchanged();
      const { passphrase, entries } = opened;
      const content = await decrypt(passphrase);
      for (const secret of entries.values()) secret.wipe();
      opened = { identity: content?.identity, entries: content?.entries ?? new Map(), passphrase };
    },
    lock() {
      forget();
      changed = undefined;
    },
  };
}
