// What a secret store is, the names secrets have in it, and the store that forgets.

import { SecretError } from '../errors.ts';
import type { Secret } from '../secret.ts';

export type StoreKind = 'keychain' | 'file' | 'env' | 'memory';

export interface StoreStatus {
  /** True when secrets can be read now. */
  ok: boolean;
  kind: StoreKind;
  /** A sentence for a person, without secret values. */
  detail: string;
}

/**
 * A place for secrets. Every method throws `SecretError` only, and none falls back to another place
 * (F49). `get` returns a copy that the caller owns and wipes.
 */
export interface SecretStore {
  readonly kind: StoreKind;
  /** Undefined means the store was read and holds no such secret, never "could not be read". */
  get(name: string): Promise<Secret | undefined>;
  /** Returns after the value was read back from where it is kept. */
  set(name: string, secret: Secret): Promise<void>;
  /** True when there was one. */
  delete(name: string): Promise<boolean>;
  /** Names in order, no values. */
  list(): Promise<string[]>;
  /** Tries the store for real; does not throw. */
  status(): Promise<StoreStatus>;
  /** Throws when what was read before may no longer be trusted (F51). Called before every signature. */
  checkUnchanged(): void;
  /** Reads again from where the secrets are kept, without asking a person. */
  refresh(): Promise<void>;
  /** Wipes what is in memory; the next use opens the store again. */
  lock(): void;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9:._/@[\]-]{0,199}$/;

/** Throws `INVALID_NAME` unless `name` is 1 to 200 characters of letters, digits and `: . _ / @ [ ] -`. */
export function checkSecretName(name: string): void {
  if (NAME.test(name)) return;
  throw new SecretError(
    'INVALID_NAME',
    'A secret was asked for under a name that no store accepts.',
    'Run `countersign doctor` to see which secrets are stored.',
  );
}

/** The names under which the product keeps its secrets. */
export const secretNames = {
  /** An API key belongs to the origin it was issued for and is sent nowhere else. */
  apiKey: (rootUrl: string) => `api-key:${originOf(rootUrl)}`,
  /** A login token is sent to the service it was stored for and nowhere else. */
  jwt: (rootUrl: string) => `jwt:${originOf(rootUrl)}`,
  wallet: (address: string) => `wallet:${address}`,
  /** The name says it all: what a wallet is called, and which is the default. Not secret, but as hard to replace as the keys. */
  walletLabel: (label: string, address: string) => `wallet-label:${label}:${address}`,
  walletDefault: (address: string) => `wallet-default:${address}`,
  /** Not secret, but as hard to replace as the wallet it guards. */
  ownerPublicKey: 'owner-public-key',
  /** Which ledger belongs to this home, and the key that seals its ledger checkpoint. */
  ledger: 'ledger',
} as const;

/** `https://host[:port]` of a root URL; throws `INVALID_NAME` for anything that has none. */
export function originOf(rootUrl: string): string {
  const parsed = URL.canParse(rootUrl) ? new URL(rootUrl) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new SecretError(
      'INVALID_NAME',
      'The service has no http or https address to keep a key for.',
      'Pass `--root-url` or set COUNTERSIGN_ROOT_URL.',
    );
  }
  return parsed.origin;
}

/** A store in memory: for the sandbox, and for a new key whose own store failed (F16). */
export function createMemoryStore(): SecretStore {
  const entries = new Map<string, Secret>();
  return {
    kind: 'memory',
    async get(name) {
      checkSecretName(name);
      return entries.get(name)?.clone();
    },
    async set(name, secret) {
      checkSecretName(name);
      entries.get(name)?.wipe();
      entries.set(name, secret.clone());
    },
    async delete(name) {
      checkSecretName(name);
      entries.get(name)?.wipe();
      return entries.delete(name);
    },
    list: async () => [...entries.keys()].sort(),
    status: async () => ({ ok: true, kind: 'memory', detail: 'In memory only: gone when the process ends.' }),
    checkUnchanged: () => {},
    refresh: async () => {},
    lock() {
      for (const secret of entries.values()) secret.wipe();
      entries.clear();
    },
  };
}

export interface KeepSecretResult {
  storedIn: StoreKind;
  /** Why the store did not take it; present only when `storedIn` is `memory` instead of the store. */
  problem?: SecretError;
}

/**
 * Stores a secret that cannot be had a second time (F16): one retry, then it is held in `fallback`, in
 * memory, and the result says why. The value itself appears in neither.
 */
export async function keepSecret(
  store: SecretStore,
  fallback: SecretStore,
  name: string,
  secret: Secret,
): Promise<KeepSecretResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      await store.set(name, secret);
      await fallback.delete(name);
      return { storedIn: store.kind };
    } catch (error) {
      if (attempt === 1) continue;
      await fallback.set(name, secret);
      const problem =
        error instanceof SecretError
          ? error
          : new SecretError('KEYSTORE_WRITE_FAILED', 'The secret store failed.', 'Run `countersign doctor`.');
      return { storedIn: 'memory', problem };
    }
  }
}
