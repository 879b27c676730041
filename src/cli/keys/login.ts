/**
 * `countersign login`: exchanges a login for an API key in the secret store, by token (entered, from a file, the
 * environment or a local page) or wallet signature. None of them is shown or in argv. Run again, it replaces the
 * service's key. `login token` leaves the exchange to the tool create_agent_key.
 */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../clock.ts';
import { profiles } from '../../contract/profiles/index.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { Secret } from '../../secrets/secret.ts';
import { secretNames } from '../../secrets/stores/store.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { widthOf, wrap } from '../layout.ts';
import { profileOption } from '../sandbox.ts';
import { keylessClient } from './keylessClient.ts';
import { type KeptKey, keepKey, loginWithToken, saysExpired } from './login/exchange.ts';
import { loginOnPage } from './login/loginPage.ts';
import { loginWithWallet } from './login/walletSignature.ts';
import { storeForSetup } from './wallet.ts';

const USAGE = 'countersign login [FILE] | page | signature | token [FILE]';

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
  const onPage = how === 'page';
  const storesToken = how === 'token';
  if (file !== undefined && !storesToken) throw new SetupError('One login at a time.', USAGE);
  if (bySignature && profile.unavailable.includes('authInit')) {
    throw new SetupError(
      `The service profile "${profile.name}" has no login by wallet signature.`,
      'Run `countersign login` with a login token, or name the profile that has it: `--profile bags`.',
    );
  }
  const token = bySignature || onPage ? undefined : await usableToken(input, storesToken ? file : how);
  const store = await storeForSetup({ ...input, options: { ...options, 'root-url': service.origin } });
  const { origin } = service;
  const keyName = 'countersign';
  const withToken = async (text: string): Promise<KeptKey> =>
    keepKey(store, origin, await loginWithToken(service, text, keyName));

  if (onPage) {
    // Opens the store first, so that it asks for its passphrase here and not behind the page.
    await store.list();
    const save = async (text: string): Promise<KeptKey> => {
      saysExpired(text);
      return withToken(text);
    };
    const { now } = systemClock;
    const { home, env } = input;
    const { tell } = terminal;
    return report(
      input,
      await loginOnPage({ home, env, origin, keyName, storedIn: store.kind, save, now, tell }),
    );
  }
  if (token !== undefined && storesToken) {
    const secret = Secret.fromText(token);
    await store.set(secretNames.jwt(origin), secret).finally(() => secret.wipe());
    terminal.print(`The login token for ${origin} is in the ${store.kind} store.`);
    terminal.tell(
      'Next: start the server; create_agent_key exchanges the token for an API key and deletes it.',
    );
    return 0;
  }
  if (token !== undefined && API_KEY.test(token))
    return report(input, await keepKey(store, origin, { key: Secret.fromText(token), keyId: undefined }));
  if (token !== undefined) return report(input, await withToken(token));
  return report(
    input,
    await keepKey(
      store,
      origin,
      await loginWithWallet(service, store, terminal, keyName, textOption(options, 'wallet')),
    ),
  );
};

/** Prints where the key is stored, and the next step. */
function report({ terminal }: CommandInput, { keyId, origin, storedIn, replaced }: KeptKey): number {
  const kept = `API key ${keyId === undefined ? '' : `${keyId} `}for ${origin} is in the ${storedIn} store.`;
  for (const line of wrap(kept, widthOf(terminal.columns))) terminal.print(line);
  if (replaced) {
    terminal.tell('It replaces the one that was there: revoke that one at the service, and restart servers.');
    return 0;
  }
  terminal.tell('Next: `countersign policy init`.');
  return 0;
}

/** An API key issued by the service: one word, unlike the three parts of a login token. */
const API_KEY = /^[\w-]{16,256}$/;

/** Returns the token if it is well-formed; warns if it has expired. */
async function usableToken(input: CommandInput, file: string | undefined): Promise<string> {
  const token = await loginToken(input, file);
  if (!API_KEY.test(token) && saysExpired(token)) {
    input.terminal.tell('The token says that it has expired; trying it all the same.');
  }
  return token;
}

/** Reads the token from a file, the environment, or a prompt without echo. */
async function loginToken({ env, terminal }: CommandInput, file: string | undefined): Promise<string> {
  if (file !== undefined) return tokenFrom(file);
  if (env.COUNTERSIGN_JWT) return env.COUNTERSIGN_JWT;
  const or = 'Set COUNTERSIGN_JWT, or use `countersign login page` or `countersign login FILE`.';
  return (await terminal.ask('Login token (JWT) or API key:', { secret: true, or })).trim();
}

function tokenFrom(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new SetupError(`The token file ${file} cannot be read.`, USAGE);
  }
}
