/**
 * The key that authenticates a checkpoint, stored in the secret store with the ledger's identity. A read-only store
 * (the environment) yields a key derived from the wallet's and stores no identity, so a ledger removed together with
 * its checkpoint looks like a new home (docs/safety.md).
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { CheckpointKeeper, Vouched } from '../../ledger/checkpoint/checkpointFile.ts';
import { Secret } from '../../secrets/secret.ts';
import { type SecretStore, secretNames } from '../../secrets/stores/store.ts';

const STORE_KEY = 'store';
const KEY_BYTES = 32;

/** Creates the keeper over a home's secret store. */
export function keeperOf(store: SecretStore): CheckpointKeeper {
  const stores = store.kind === 'keychain' || store.kind === 'file';
  const vouched = async (): Promise<Vouched> => {
    if (store.kind === 'memory') return {};
    if (!stores) return derived(store);
    const secret = await store.get(secretNames.ledger);
    if (secret === undefined) return {};
    try {
      const [, ledger, key] = /^([0-9a-f]{32})-([0-9a-f]{64})$/.exec(secret.expose()) ?? [];
      if (ledger === undefined || key === undefined) return {};
      return { ledger, key: { name: STORE_KEY, key: Buffer.from(key, 'hex') } };
    } finally {
      secret.wipe();
    }
  };
  return {
    vouched,
    remember: async (ledger, first) => {
      if (!stores) return first(await vouched());
      const key = randomBytes(KEY_BYTES);
      await first({ ledger, key: { name: STORE_KEY, key } });
      const secret = Secret.fromText(`${ledger}-${key.toString('hex')}`);
      await store.set(secretNames.ledger, secret).finally(() => secret.wipe());
    },
  };
}

/** Derives a key that only the holder of the wallet's key can derive. */
async function derived(store: SecretStore): Promise<Vouched> {
  const prefix = secretNames.wallet('');
  const name = (await store.list()).find((known) => known.startsWith(prefix));
  const secret = name === undefined ? undefined : await store.get(name);
  if (name === undefined || secret === undefined) return {};
  try {
    const key = createHmac('sha256', secret.exposeBytes())
      .update('countersign ledger checkpoint key v1')
      .digest();
    return { key: { name, key } };
  } finally {
    secret.wipe();
  }
}
