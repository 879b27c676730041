/** Exchanges a login token for an API key and stores it, for both the terminal and the page. */
import { systemClock } from '../../../clock.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import { checkJwt } from '../../../secrets/jwt.ts';
import { createRedactor } from '../../../secrets/redaction/redact.ts';
import { Secret } from '../../../secrets/secret.ts';
import { type SecretStore, type StoreKind, secretNames } from '../../../secrets/stores/store.ts';
import type { ServiceClient } from '../../../service/index.ts';
import type { NewKey } from './walletSignature.ts';

/** Public facts about a stored key. */
export interface KeptKey {
  readonly keyId: string | undefined;
  /** Origin of the service. */
  readonly origin: string;
  readonly storedIn: StoreKind;
  /** Whether another key of this service was replaced. */
  readonly replaced: boolean;
}

/**
 * Returns whether a token has expired by its own claim; only a warning, since the service decides.
 * @throws SetupError for a malformed token, without its text
 */
export function saysExpired(token: string): boolean {
  const check = checkJwt(token, systemClock.now() / 1000);
  if (check.ok) return check.expired;
  throw new SetupError(check.reason, 'Get a fresh login token from the service and try again.');
}

/** Creates an API key. Its name at the service never contains the token or the key. */
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

/** Stores a service's key, replacing the existing one. */
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
