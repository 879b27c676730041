// A secret store whose every secret is known to the redactor before a caller gets it.

import type { Redactor } from '../redaction/redact.ts';
import type { SecretStore } from './store.ts';

/** `store`, with each secret that is read or written registered first. */
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
