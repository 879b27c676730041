/**
 * `countersign login`: a login becomes an API key in the secret store, by a token or by the wallet's signature. None of
 * them is ever shown or in argv. Run again, it replaces the key of that service.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { profiles } from '../contract/profiles/index.ts';
import { checkJwt } from '../secrets/jwt.ts';
import { Secret } from '../secrets/secret.ts';
import { secretNames } from '../secrets/store.ts';
import { createMemoryBudget, createServiceClient, type ServiceClient } from '../service/index.ts';
import { type Command, type CommandInput, textOption } from './command.ts';
import { loginWithWallet, type NewKey } from './login/walletSignature.ts';
import { SetupError } from './runtime/backend.ts';
import { profileOption } from './sandbox.ts';
import { storeForSetup } from './wallet.ts';

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
  const service = createServiceClient({
    profile,
    rootUrl,
    apiKey: async () => undefined,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    budget: createMemoryBudget({ now: systemClock.now }),
  });
  const bySignature = options['wallet-signature'] === true;
  if (bySignature && profile.unavailable.includes('authInit')) {
    throw new SetupError(
      `The service profile "${profile.name}" has no login by wallet signature.`,
      'Run `countersign login` with a login token, or name the profile that has it: `--profile bags`.',
    );
  }
  const token = bySignature ? undefined : await usableToken(input);
  const store = await storeForSetup({ ...input, options: { ...options, 'root-url': service.origin } });
  const keyName = textOption(options, 'name') ?? 'countersign';
  const { key, keyId } =
    token === undefined
      ? await loginWithWallet(service, store, terminal, keyName)
      : await loginWithToken(service, token, keyName);
  const stored = secretNames.apiKey(service.origin);
  const replaced = (await store.list()).includes(stored);
  await store.set(stored, key);
  key.wipe();
  terminal.print(`API key ${keyId ?? ''} for ${service.origin} is in the ${store.kind} store.`);
  if (replaced) {
    terminal.tell('It replaces the one that was there: revoke that one at the service, and restart servers.');
    return 0;
  }
  terminal.tell('Next: `countersign policy init --template creator --out FILE --rpc-url URL`.');
  return 0;
};

async function loginWithToken(service: ServiceClient, token: string, name: string): Promise<NewKey> {
  const { apiKey } = await service.call('createAgentKey', { token, name });
  return { key: Secret.fromText(apiKey.key), keyId: apiKey.keyId ?? undefined };
}

/** The token, when it has the form of one; what it says about its end is only worth a warning. */
async function usableToken(input: CommandInput): Promise<string> {
  const token = await loginToken(input);
  const check = checkJwt(token, systemClock.now() / 1000);
  if (!check.ok) {
    throw new SetupError(check.reason, 'Get a fresh login token from the service and try again.');
  }
  if (check.expired) input.terminal.tell('The token says that it has expired; trying it all the same.');
  return token;
}

/** From `--token-file`, the environment, or a prompt that does not echo. */
async function loginToken({ options, env, terminal }: CommandInput): Promise<string> {
  const file = textOption(options, 'token-file');
  if (file !== undefined) return tokenFrom(file);
  if (env.COUNTERSIGN_JWT) return env.COUNTERSIGN_JWT;
  const or = 'Set COUNTERSIGN_JWT or pass `--token-file FILE`.';
  return (await terminal.ask('Login token (JWT):', { secret: true, or })).trim();
}

function tokenFrom(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new SetupError(`The token file ${file} cannot be read.`, 'Pass `--token-file FILE`.');
  }
}
