// A secret store that registers every secret with the redactor before returning it.

import type { Redactor } from '../redaction/redact.ts';
import type { SecretStore } from './store.ts';

/** Wraps `store`: each secret read or written is registered first. */
export function registeringStore(store: SecretStore, redactor: Redactor): SecretStore {
  return {
    ...store,
    async get(name) {
      const secret = await store.get(name);
      if (secret !== undefined) redactor.register(secret);
      return secret;
    },
    set(name, secret) {
      redactor.register(secret);
      return store.set(name, secret);
    },
  };
}
