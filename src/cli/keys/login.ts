/**
 * `countersign login`: exchanges a login for an API key in the secret store, by token (entered, from a file or the
 * environment) or wallet signature. None of them is shown or in argv. Run again, it replaces the service's key.
 * `login token` leaves the exchange to the tool create_agent_key.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../clock.ts';
import { profiles } from '../../contract/profiles/index.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { checkJwt } from '../../secrets/jwt.ts';
import { createRedactor } from '../../secrets/redaction/redact.ts';
import { Secret } from '../../secrets/secret.ts';
import { type SecretStore, secretNames } from '../../secrets/stores/store.ts';
import type { ServiceClient } from '../../service/index.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { widthOf, wrap } from '../layout.ts';
import { profileOption } from '../sandbox.ts';
import { keylessClient } from './keylessClient.ts';
import { storeForSetup } from './wallet.ts';
import { loginWithWallet, type NewKey } from './walletSignature.ts';

/** Name of the key at the service. */
const KEY_NAME = 'countersign';
const USAGE = 'countersign login [FILE] | signature | token [FILE]';

export const loginCommand: Command = async (input) => {
  const { options, terminal } = input;
  const profile = profiles[profileOption(options)];
  const rootUrl = textOption(options, 'root-url') ?? profile.rootUrl;
  if (rootUrl === undefined) {
    throw new SetupError(
      'Which service is this login for?',
      'Pass `--root-url URL` or set COUNTERSIGN_ROOT_URL; `--profile bags` brings its own.',
    );
  }
  const service = keylessClient(profile, rootUrl);
  const [how, file] = input.words;
  const bySignature = how === 'signature';
  const storesToken = how === 'token';
  if (file !== undefined && !storesToken) throw new SetupError('One login at a time.', USAGE);
  if (bySignature && profile.unavailable.includes('authInit')) {
    throw new SetupError(
      `The service profile "${profile.name}" has no login by wallet signature.`,
      'Run `countersign login` with a login token, or name the profile that has it: `--profile bags`.',
    );
  }
  const token = bySignature ? undefined : await usableToken(input, storesToken ? file : how);
  const store = await storeForSetup({ ...input, options: { ...options, 'root-url': service.origin } });
  const { origin } = service;
  if (token !== undefined && storesToken) {
    const secret = Secret.fromText(token);
    await store.set(secretNames.jwt(origin), secret).finally(() => secret.wipe());
    terminal.print(`The login token for ${origin} is in the ${store.kind} store.`);
    terminal.tell(
      'Next: start the server; create_agent_key exchanges the token for an API key and deletes it.',
    );
    return 0;
  }
  const { key, keyId } =
    token === undefined
      ? await loginWithWallet(service, store, terminal, KEY_NAME, textOption(options, 'wallet'))
      : API_KEY.test(token)
        ? { key: Secret.fromText(token), keyId: undefined }
        : await loginWithToken(service, token, KEY_NAME);
  const replaced = await keepKey(store, secretNames.apiKey(origin), key);
  const kept = `API key ${keyId === undefined ? '' : `${keyId} `}for ${origin} is in the ${store.kind} store.`;
  for (const line of wrap(kept, widthOf(terminal.columns))) terminal.print(line);
  terminal.tell(
    replaced
      ? 'It replaces the previous key: revoke that one at the service, and restart servers.'
      : 'Next: `countersign policy init`.',
  );
  return 0;
};

/** Stores a service's key. Returns whether it replaced another one. */
async function keepKey(store: SecretStore, name: string, key: Secret): Promise<boolean> {
  try {
    const replaced = (await store.list()).includes(name);
    await store.set(name, key);
    return replaced;
  } finally {
    key.wipe();
  }
}

/** Creates an API key. Its name at the service never contains the token or the key. */
async function loginWithToken(service: ServiceClient, token: string, name: string): Promise<NewKey> {
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

/** An API key issued by the service: one word, unlike the three parts of a login token. */
const API_KEY = /^[\w-]{16,256}$/;

/** Returns the token if it is well-formed; warns if it has expired. */
async function usableToken(input: CommandInput, file: string | undefined): Promise<string> {
  const token = await loginToken(input, file);
  if (API_KEY.test(token)) return token;
  const check = checkJwt(token, systemClock.now() / 1000);
  if (!check.ok)
    throw new SetupError(check.reason, 'Get a fresh login token from the service and try again.');
  if (check.expired) input.terminal.tell('The login token has expired by its own claim; trying it anyway.');
  return token;
}

/** Reads the token from a file, the environment, or a prompt without echo. */
async function loginToken({ env, terminal }: CommandInput, file: string | undefined): Promise<string> {
  if (file !== undefined) return tokenFrom(file);
  if (env.COUNTERSIGN_JWT) return env.COUNTERSIGN_JWT;
  const or = 'Set COUNTERSIGN_JWT, or use `countersign login FILE`.';
  return (await terminal.ask('Login token (JWT) or API key:', { secret: true, or })).trim();
}

function tokenFrom(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new SetupError(`The token file ${file} cannot be read.`, USAGE);
  }
}
