/** `countersign login`: a login JWT becomes an API key in the secret store. Neither is ever shown or in argv. */
import { readFileSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { profiles } from '../contract/profiles/index.ts';
import { checkJwt } from '../secrets/jwt.ts';
import { Secret } from '../secrets/secret.ts';
import { secretNames } from '../secrets/store.ts';
import { createMemoryBudget, createServiceClient } from '../service/index.ts';
import { type Command, type CommandInput, textOption } from './command.ts';
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
      'Pass `--root-url URL` or set COUNTERSIGN_ROOT_URL.',
    );
  }
  const token = await loginToken(input);
  const check = checkJwt(token, systemClock.now() / 1000);
  if (!check.ok)
    throw new SetupError(check.reason, 'Get a fresh login token from the service and try again.');
  if (check.expired) terminal.tell('The token says that it has expired; trying it all the same.');
  const service = createServiceClient({
    profile,
    rootUrl,
    apiKey: async () => undefined,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    budget: createMemoryBudget({ now: systemClock.now }),
  });
  const store = await storeForSetup({ ...input, options: { ...options, 'root-url': service.origin } });
  const { apiKey } = await service.call('createAgentKey', {
    token,
    name: textOption(options, 'name') ?? 'countersign',
  });
  await store.set(secretNames.apiKey(service.origin), Secret.fromText(apiKey.key));
  terminal.print(`API key ${apiKey.keyId ?? ''} for ${service.origin} is in the ${store.kind} store.`);
  terminal.tell('Next: `countersign policy init --template creator`, then `countersign setup`.');
  return 0;
};

/** From `--token-file`, the environment, or a prompt that does not echo. */
async function loginToken({ options, env, terminal }: CommandInput): Promise<string> {
  const file = textOption(options, 'token-file');
  if (file !== undefined) return readFileSync(file, 'utf8').trim();
  if (env.COUNTERSIGN_JWT) return env.COUNTERSIGN_JWT;
  const or = 'Set COUNTERSIGN_JWT or pass `--token-file FILE`.';
  return (await terminal.ask('Login token (JWT):', { secret: true, or })).trim();
}
