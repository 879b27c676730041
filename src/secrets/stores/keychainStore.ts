// Secrets in the operating system's keychain. Every write is verified by reading it back in another process, and "no
// such entry" counts only while a known entry, the canary, can be read (F49).

import { randomBytes } from 'node:crypto';
import { SecretError } from '../errors.ts';
import type { Environment } from '../home.ts';
import { allocateSecretBytes, constantTimeEqual, Secret } from '../secret.ts';
import { checkStorable } from './fileFormat.ts';
import { callKeychain, KEYCHAIN_TIMEOUT_MS, keychainLocked } from './keychainProcess.ts';
import { checkSecretName, type SecretStore } from './store.ts';

/** Names of the store's own entries; the `_` prefix separates them from secrets. */
const CANARY = '_canary';
const INDEX = '_index';

const KIND_TEXT = 0x74;
const KIND_BYTES = 0x62;

export interface KeychainStoreParameters {
  /** Distinguishes entries of different homes; recorded in the home (`secret-store.json`). */
  id: string;
  env: Environment;
  timeoutMs?: number;
  /** Path of the keychain library. Default: the installed one. */
  modulePath?: string;
}

export interface KeychainStore extends SecretStore {
  /**
   * Writes a fresh canary and reads it back in another process. Throws `KEYSTORE_UNAVAILABLE` or `KEYSTORE_LOCKED`
   * unless the values match. Required once before storing.
   */
  prove(): Promise<void>;
}

const notKept = () =>
  new SecretError(
    'KEYSTORE_UNAVAILABLE',
    'The system keychain reported a stored value, but another process could not read it back.',
    'Run `countersign doctor`, or `countersign secrets migrate` to use the encrypted file.',
  );

/** Creates the store. The keychain is first accessed by the first call. */
export function createKeychainStore(parameters: KeychainStoreParameters): KeychainStore {
  const { id, env, timeoutMs = KEYCHAIN_TIMEOUT_MS, modulePath } = parameters;
  const common = { service: `countersign-${id}`, env, timeoutMs, modulePath };
  let writing: Promise<unknown> = Promise.resolve();

  const read = async (name: string): Promise<Uint8Array | undefined> => {
    const value = await callKeychain({ ...common, action: 'get', name });
    return value === true ? undefined : value;
  };

  const write = async (name: string, value: Uint8Array): Promise<void> => {
    await callKeychain({ ...common, action: 'set', name, value });
    const back = await read(name);
    const kept = back !== undefined && constantTimeEqual(back, value);
    back?.fill(0);
    if (!kept) throw notKept();
  };

  /** Reads an entry; absence is accepted only if the canary can be read. */
  const readSurely = async (name: string): Promise<Uint8Array | undefined> => {
    const value = await read(name);
    if (value !== undefined) return value;
    if ((await read(CANARY)) === undefined) throw keychainLocked();
    return undefined;
  };

  const prove = () => write(CANARY, new TextEncoder().encode(randomBytes(16).toString('hex')));

  const readIndex = async (): Promise<string[]> => {
    const bytes = await readSurely(INDEX);
    return bytes === undefined
      ? []
      : new TextDecoder()
          .decode(bytes)
          .split('\n')
          .filter((name) => name !== '');
  };

  const writeIndex = async (names: readonly string[]) =>
    write(INDEX, new TextEncoder().encode([...new Set(names)].sort().join('\n') || '\n'));

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = writing.then(work, work);
    writing = result.catch(() => undefined);
    return result;
  };

  return {
    kind: 'keychain',
    prove,
    async get(name) {
      checkSecretName(name);
      const stored = await readSurely(name);
      if (stored === undefined) return undefined;
      const bytes = allocateSecretBytes(Math.max(0, stored.length - 1));
      bytes.set(stored.subarray(1));
      const kind = stored[0];
      stored.fill(0);
      if (kind === KIND_TEXT) return Secret.adoptText(bytes);
      if (kind === KIND_BYTES) return Secret.adoptBytes(bytes);
      bytes.fill(0);
      throw new SecretError(
        'KEYSTORE_CORRUPT',
        'The system keychain contains an entry of this program in an unknown format.',
        'Store it again: run `countersign login` or `countersign wallet import FILE`.',
      );
    },
    set(name, secret) {
      checkSecretName(name);
      checkStorable(secret);
      return inTurn(async () => {
        const names = await readIndex();
        const value = allocateSecretBytes(secret.length + 1);
        value[0] = secret.kind === 'text' ? KIND_TEXT : KIND_BYTES;
        value.set(secret.exposeBytes(), 1);
        await write(name, value).finally(() => value.fill(0));
        if (!names.includes(name)) await writeIndex([...names, name]);
      });
    },
    delete(name) {
      checkSecretName(name);
      return inTurn(async () => {
        const names = await readIndex();
        // Also checks the index: a repeated deletion finds no entry.
        const existed =
          (await callKeychain({ ...common, action: 'delete', name })) === true || names.includes(name);
        if ((await read(name)) !== undefined) throw notKept();
        if (names.includes(name)) await writeIndex(names.filter((other) => other !== name));
        return existed;
      });
    },
    list: readIndex,
    async status() {
      try {
        await prove();
        return {
          ok: true,
          kind: 'keychain',
          detail: 'System keychain: a test value was written and read back by another process.',
        };
      } catch (error) {
        const text = error instanceof SecretError ? `${error.message} ${error.hint}` : 'It cannot be used.';
        return { ok: false, kind: 'keychain', detail: text };
      }
    },
    // The system protects its entries; there is no file to check.
    checkUnchanged: () => {},
    refresh: async () => {},
    lock: () => {},
  };
}
