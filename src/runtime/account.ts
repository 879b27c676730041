/**
 * The account port: exchanges a login for an API key, which only the secret store receives, and reports the server's
 * status.
 */

import { checkJwt } from '../secrets/jwt.ts';
import { createRedactor, type Redactor } from '../secrets/redaction/redact.ts';
import { Secret } from '../secrets/secret.ts';
import { createMemoryStore, keepSecret, type SecretStore, secretNames } from '../secrets/stores/store.ts';
import type { ServiceClient } from '../service/index.ts';
import { type Backend, SetupError } from './backends/backend.ts';

/** Milliseconds a key that was read is reused, so that a burst of reads opens the store once. */
const REMEMBER_MS = 5_000;

const LOGIN_LEFT =
  'The login token is no longer needed: a person can remove COUNTERSIGN_JWT where the server is started.';

export interface AccountKeys {
  /** Returns the API key for the backend's service: from the store, or one that the store failed to store (F16). */
  apiKey(): Promise<string | undefined>;
  /**
   * Exchanges `token`, or the login token of the environment or store, for a key; deletes a stored token afterwards.
   */
  create(service: ServiceClient, name: string, token?: string): Promise<Record<string, unknown>>;
  /** Removes secrets sent to the service from its answers before they are stored, since it may echo them. */
  readonly sent: Pick<Redactor, 'withoutRegistered'>;
}

export function createAccountKeys(
  backend: Pick<Backend, 'mode' | 'rootUrl' | 'secrets'>,
  redactor: Redactor,
  now: () => number,
): AccountKeys {
  const held: SecretStore = createMemoryStore();
  const keyName = secretNames.apiKey(backend.rootUrl);
  const jwtName = secretNames.jwt(backend.rootUrl);
  /** Deletes a stored login token. Returns whether the environment still supplies one that is no longer needed. */
  const forgetLogin = async (): Promise<boolean> => {
    const { secrets } = backend;
    await secrets.delete(jwtName).catch(() => false);
    const given = await secrets.get(jwtName).catch(() => undefined);
    given?.wipe();
    // Without a wallet file the environment store encrypts the API key under the login token.
    const isNeeded =
      secrets.kind === 'env' && !(await secrets.list()).some((name) => name.startsWith('wallet:'));
    return given !== undefined && !isNeeded;
  };
  let remembered: { readonly key: string; readonly at: number } | undefined;
  const sent = createRedactor();
  return {
    sent,
    apiKey: async () => {
      if (remembered !== undefined && now() - remembered.at < REMEMBER_MS) return remembered.key;
      const secret = (await held.get(keyName)) ?? (await backend.secrets.get(keyName));
      const key = secret?.expose();
      if (key !== undefined && key !== remembered?.key) sent.register(key);
      remembered = key === undefined ? undefined : { key, at: now() };
      return key;
    },
    create: async (service, name, token) => {
      const login = token === undefined ? await backend.secrets.get(jwtName) : Secret.fromText(token);
      if (login === undefined) {
        throw new SetupError(
          'There is no login token.',
          'The user runs `countersign login`, or sets COUNTERSIGN_JWT where the server is started and restarts it.',
        );
      }
      redactor.register(login);
      sent.register(login);
      const check = checkJwt(login.expose(), now() / 1000);
      if (!check.ok)
        throw new SetupError(check.reason, 'A person runs `countersign login` with a fresh login token.');
      const { apiKey } = await service
        .call('createAgentKey', { token: login.expose(), name })
        .finally(() => login.wipe());
      const secret = Secret.fromText(apiKey.key);
      redactor.register(secret);
      remembered = undefined;
      const kept = await keepSecret(backend.secrets, held, keyName, secret).finally(() => secret.wipe());
      // The sandbox keeps its login; a key that is not stored is created again after a restart.
      const isSpent = backend.mode === 'live' && kept.problem === undefined;
      const isLoginLeft = isSpent && (await forgetLogin());
      return {
        keyId: apiKey.keyId ?? null,
        userId: apiKey.userId ?? null,
        name: apiKey.name ?? name,
        status: apiKey.status ?? null,
        createdAt: apiKey.createdAt ?? null,
        updatedAt: apiKey.updatedAt ?? null,
        lastUsedAt: apiKey.lastUsedAt ?? null,
        storedIn: kept.storedIn,
        ...(kept.problem === undefined
          ? {}
          : { warning: `The key is held in memory only, until this server ends: ${kept.problem.message}` }),
        ...(check.expired
          ? { note: 'The login token has expired by its own claim, but the service accepted it.' }
          : {}),
        ...(isLoginLeft ? { next: LOGIN_LEFT } : {}),
      };
    },
  };
}
