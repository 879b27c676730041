/** A login token becomes an API key, and the key goes into the secret store: the same for the terminal and the page. */
import { systemClock } from '../../../clock.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import { checkJwt } from '../../../secrets/jwt.ts';
import { createRedactor } from '../../../secrets/redaction/redact.ts';
import { Secret } from '../../../secrets/secret.ts';
import { type SecretStore, type StoreKind, secretNames } from '../../../secrets/stores/store.ts';
import type { ServiceClient } from '../../../service/index.ts';
import type { NewKey } from './walletSignature.ts';

/** What may be said about a key that is in the store. */
export interface KeptKey {
  readonly keyId: string | undefined;
  /** Of the service. */
  readonly origin: string;
  readonly storedIn: StoreKind;
  /** There was another key for this service. */
  readonly replaced: boolean;
}

/**
 * Whether a token says that it has expired, which is only worth a warning: the service decides.
 * @throws SetupError for what does not have the form of a token; the text is not in it
 */
export function saysExpired(token: string): boolean {
  const check = checkJwt(token, systemClock.now() / 1000);
  if (check.ok) return check.expired;
  throw new SetupError(check.reason, 'Get a fresh login token from the service and try again.');
}

/** Makes an API key. What the service calls it never holds the token or the key. */
export async function loginWithToken(service: ServiceClient, token: string, name: string): Promise<NewKey> {
  const { apiKey } = await service.call('createAgentKey', { token, name });
  const redactor = createRedactor();
  redactor.register(token);
  redactor.register(apiKey.key);
  const { keyId } = apiKey;
  return {
    key: Secret.fromText(apiKey.key),
    keyId: typeof keyId === 'string' ? redactor.redact(keyId) : undefined,
  };
}

/** Stores a key for a service, over the one that is there. */
export async function keepKey(store: SecretStore, origin: string, { key, keyId }: NewKey): Promise<KeptKey> {
  const name = secretNames.apiKey(origin);
  try {
    const replaced = (await store.list()).includes(name);
    await store.set(name, key);
    return { keyId, origin, storedIn: store.kind, replaced };
  } finally {
    key.wipe();
  }
}
