// The secret store interface, names of secrets, and the in-memory store.

import { SecretError } from '../errors.ts';
import type { Secret } from '../secret.ts';

export type StoreKind = 'keychain' | 'file' | 'env' | 'memory';

export interface StoreStatus {
  /** Whether secrets can be read now. */
  ok: boolean;
  kind: StoreKind;
  /** A sentence for the user, without secret values. */
  detail: string;
}

/**
 * A store of secrets. Every method throws only `SecretError`, and none falls back to another store (F49). `get`
 * returns a copy that the caller owns and wipes.
 */
export interface SecretStore {
  readonly kind: StoreKind;
  /** Returns undefined only if the store was read and has no such secret, never because it could not be read. */
  get(name: string): Promise<Secret | undefined>;
  /** Resolves after the value was read back from storage. */
  set(name: string, secret: Secret): Promise<void>;
  /** Returns whether there was such a secret. */
  delete(name: string): Promise<boolean>;
  /** Sorted names, without values. */
  list(): Promise<string[]>;
  /** Tests the store with real access; never throws. */
  status(): Promise<StoreStatus>;
  /** Throws if previously read secrets can no longer be trusted (F51). Called before every signature. */
  checkUnchanged(): void;
  /** Reads the secrets again from storage, without prompting. */
  refresh(): Promise<void>;
  /** Wipes secrets in memory; the next use opens the store again. */
  lock(): void;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9:._/@[\]-]{0,199}$/;

/** Throws `INVALID_NAME` unless `name` is 1 to 200 characters of letters, digits and `: . _ / @ [ ] -`. */
export function checkSecretName(name: string): void {
  if (NAME.test(name)) return;
  throw new SecretError(
    'INVALID_NAME',
    'The name of the requested secret is invalid.',
    'Run `countersign doctor` to see which secrets are stored.',
  );
}

/** Names of the product's secrets. */
export const secretNames = {
  /** An API key belongs to the origin it was issued for and is sent only there. */
  apiKey: (rootUrl: string) => `api-key:${originOf(rootUrl)}`,
  /** A login token is sent only to the service it was stored for. */
  jwt: (rootUrl: string) => `jwt:${originOf(rootUrl)}`,
  wallet: (address: string) => `wallet:${address}`,
  /**
   * The name contains the whole value: a wallet's label, and the default wallet. Not secret, but as hard to replace
   * as the keys.
   */
  walletLabel: (label: string, address: string) => `wallet-label:${label}:${address}`,
  walletDefault: (address: string) => `wallet-default:${address}`,
  /** Not secret, but as hard to replace as the wallet it guards. */
  ownerPublicKey: 'owner-public-key',
  /** The identity of this home's ledger, and the key that seals its checkpoint. */
  ledger: 'ledger',
} as const;

/** Returns `https://host[:port]` of a root URL; throws `INVALID_NAME` for other text. */
export function originOf(rootUrl: string): string {
  const parsed = URL.canParse(rootUrl) ? new URL(rootUrl) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new SecretError(
      'INVALID_NAME',
      'The service has no http or https address.',
      'Pass `--root-url` or set COUNTERSIGN_ROOT_URL.',
    );
  }
  return parsed.origin;
}

/** Creates a store in memory: for the sandbox, and for a new key whose own store failed (F16). */
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
  /** Why the store failed; present only if `storedIn` is `memory`. */
  problem?: SecretError;
}

/**
 * Stores a secret that cannot be issued again (F16): after one retry it is kept in `fallback`, in memory, and the
 * result gives the reason. Neither contains the value.
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
