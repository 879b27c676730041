/** The account port: a login becomes an API key that only the secret store ever holds; and the status of this server. */

import { checkJwt } from '../secrets/jwt.ts';
import { createRedactor, type Redactor } from '../secrets/redaction/redact.ts';
import { Secret } from '../secrets/secret.ts';
import { createMemoryStore, keepSecret, type SecretStore, secretNames } from '../secrets/stores/store.ts';
import type { ServiceClient } from '../service/index.ts';
import { type Backend, SetupError } from './backends/backend.ts';

/** How long a key that was read serves further calls, so that a burst of reads opens the store once. */
const REMEMBER_MS = 5_000;

export interface AccountKeys {
  /** The API key for the backend's service: from the store, else one that the store did not take (F16). */
  apiKey(): Promise<string | undefined>;
  /** Exchanges a login for a key. `token` is used only when no other login is stored: it passed through the model. */
  create(service: ServiceClient, name: string, token?: string): Promise<Record<string, unknown>>;
  /** What the service was sent in confidence, and may echo: its own answers are kept without it. */
  readonly sent: Pick<Redactor, 'withoutRegistered'>;
}

export function createAccountKeys(
  backend: Pick<Backend, 'rootUrl' | 'secrets' | 'jwt'>,
  redactor: Redactor,
  now: () => number,
): AccountKeys {
  const held: SecretStore = createMemoryStore();
  const keyName = secretNames.apiKey(backend.rootUrl);
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
      const login = token === undefined ? await backend.jwt() : Secret.fromText(token);
      if (login === undefined) {
        throw new SetupError(
          'No login token is at hand.',
          'A person runs `countersign login`, or sets COUNTERSIGN_JWT where the server is started.',
        );
      }
      redactor.register(login);
      sent.register(login);
      const check = checkJwt(login.expose(), now() / 1000);
      if (!check.ok)
        throw new SetupError(check.reason, 'A person runs `countersign login` with a fresh login token.');
      const { apiKey } = await service.call('createAgentKey', { token: login.expose(), name });
      const secret = Secret.fromText(apiKey.key);
      redactor.register(secret);
      remembered = undefined;
      const kept = await keepSecret(backend.secrets, held, keyName, secret);
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
          ? { note: 'The login token says that it has expired; the service accepted it.' }
          : {}),
      };
    },
  };
}
