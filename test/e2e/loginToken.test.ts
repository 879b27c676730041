/**
 * Exchange of a login token for an API key through the agent's tool, in every secret store; neither is visible to the
 * agent.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loginCommand } from '../../src/cli/keys/login.ts';
import { openStore, setUpStore } from '../../src/secrets/stores/chooseStore.ts';
import { secretNames } from '../../src/secrets/stores/store.ts';
import '../secrets/cheapPassphrases.mjs';
import { run } from '../cli/terminal.ts';
import { missing, type SecretService, startSecretService } from '../secrets/secretService.ts';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { createHome, McpProcess, type SandboxProcess, startSandbox } from './harness.ts';

type Env = Record<string, string>;
interface Place {
  readonly kind: 'file' | 'keychain' | 'env';
  readonly home: string;
  readonly env: Env;
}

let sandbox: SandboxProcess;
let keychain: SecretService | undefined;
beforeAll(async () => {
  sandbox = await startSandbox();
  if (missing.length === 0) keychain = await startSecretService();
});
afterAll(async () => {
  sandbox.stop();
  await keychain?.end();
});

/** Creates an empty home with a chosen store. */
async function place(kind: Place['kind']): Promise<Place> {
  const { home, file } = createHome();
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const around = kind === 'keychain' ? (keychain?.env ?? {}) : {};
  const env: Env = { ...CHEAP_PASSPHRASES, COUNTERSIGN_HOME: home, COUNTERSIGN_SECRET_STORE: kind };
  for (const [name, value] of Object.entries(around)) if (value !== undefined) env[name] = value;
  if (kind === 'file') env.COUNTERSIGN_PASSPHRASE = 'orbit velvet canyon mosaic';
  if (kind === 'env') env.COUNTERSIGN_WALLET_FILE = file;
  await setUpStore({ home, env, requested: kind });
  return { kind, home, env };
}

const secretOf = async ({ home, env }: Place, name: string): Promise<string | undefined> =>
  (await openStore({ home, env, rootUrl: sandbox.rootUrl }).get(name))?.expose();

/** Starts a server. Returns its output to client and log. */
async function serve(env: Env): Promise<{ server: McpProcess; output: () => string }> {
  const server = new McpProcess(['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl], env);
  onTestFinished(async () => void (await server.stop()));
  let out = '';
  server.child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  await server.initialize();
  return { server, output: () => out + server.stderr };
}

/** Returns the contents of all files of a home. */
const filesOf = (home: string): string =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

/** Checks that `text` contains neither secret, also in base64. */
function expectAbsent(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    expect(text.includes(secret)).toBe(false);
    expect(text.includes(Buffer.from(secret).toString('base64').slice(0, -4))).toBe(false);
  }
}

const KINDS = (['file', 'keychain', 'env'] as const).filter(
  (kind) => kind !== 'keychain' || missing.length === 0,
);

describe.each(KINDS)('with the %s store', (kind) => {
  it('COUNTERSIGN_JWT reaches create_agent_key, and the key persists across a restart without the token', async () => {
    const at = await place(kind);
    const first = await serve({ ...at.env, COUNTERSIGN_JWT: sandbox.jwt });
    expect((await first.server.call('get_launch_feed')).isError).toBe(true);
    const made = await first.server.ok('create_agent_key', { name: 'agent' });
    expect(made).toMatchObject({ status: 'active', storedIn: kind });
    // Only the user can remove the token from the environment.
    expect(made.next).toMatch(/COUNTERSIGN_JWT/);
    await first.server.ok('get_launch_feed');
    await first.server.stop('SIGTERM');

    const second = await serve(at.env);
    await second.server.ok('get_launch_feed');
    expect((await second.server.call('create_agent_key', { name: 'again' })).isError).toBe(true);
    await second.server.stop('SIGTERM');

    const key = await secretOf(at, secretNames.apiKey(sandbox.rootUrl));
    expect(await secretOf(at, secretNames.jwt(sandbox.rootUrl))).toBeUndefined();
    expectAbsent(first.output() + second.output() + filesOf(at.home), [sandbox.jwt, key ?? '']);

    // A copied home needs the same wallet file.
    if (kind !== 'env') return;
    const other = await place('env');
    for (const name of readdirSync(at.home).filter((each) => each.endsWith('.sealed')))
      cpSync(join(at.home, name), join(other.home, name));
    await expect(secretOf(other, secretNames.apiKey(sandbox.rootUrl))).rejects.toMatchObject({
      code: 'KEYSTORE_LOCKED',
    });
    const sameWallet = {
      ...other,
      env: { ...other.env, COUNTERSIGN_WALLET_FILE: join(at.home, 'wallet.json') },
    };
    expect(await secretOf(sameWallet, secretNames.apiKey(sandbox.rootUrl))).toBe(key);
  });
});

it('reports an invalid token by its variable and does not repeat it', async () => {
  const at = await place('file');
  const { server, output } = await serve({ ...at.env, COUNTERSIGN_JWT: `Bearer ${sandbox.jwt}` });
  const { isError, text } = await server.call('create_agent_key', { name: 'agent' });
  expect(isError).toBe(true);
  expect(text).toContain('COUNTERSIGN_JWT');
  expectAbsent(output(), [sandbox.jwt]);
});

it.each(KINDS.filter((kind) => kind !== 'env'))(
  'a token stored by a person, with the %s store, reaches create_agent_key, is kept if that fails, and is deleted once the key is stored',
  async (kind) => {
    const at = await place(kind);
    const stored = await run(loginCommand, {
      home: at.home,
      words: ['token'],
      options: { 'root-url': sandbox.rootUrl },
      env: { ...at.env, COUNTERSIGN_JWT: sandbox.jwt },
    });
    expect(stored).toMatchObject({ code: 0, err: expect.stringContaining('create_agent_key') });
    expect(await secretOf(at, secretNames.jwt(sandbox.rootUrl))).toBe(sandbox.jwt);
    // Valid for this service only.
    expect(await secretOf(at, secretNames.jwt('https://other.example'))).toBeUndefined();

    const { server, output } = await serve(at.env);
    await sandbox.control('fault', { name: 'server_error' });
    const { isError } = await server.call('create_agent_key', { name: 'agent' });
    await sandbox.control('fault', { name: null });
    expect(isError).toBe(true);
    expect(await secretOf(at, secretNames.jwt(sandbox.rootUrl))).toBe(sandbox.jwt);

    const made = await server.ok('create_agent_key', { name: 'agent' });
    expect(made).toMatchObject({ status: 'active', storedIn: kind });
    expect(made.next).toBeUndefined();
    await server.ok('get_launch_feed');
    await server.stop('SIGTERM');
    expect(await secretOf(at, secretNames.jwt(sandbox.rootUrl))).toBeUndefined();
    const key = await secretOf(at, secretNames.apiKey(sandbox.rootUrl));
    expectAbsent(stored.out + stored.err + output() + filesOf(at.home), [sandbox.jwt, key ?? '']);
  },
);

it('the environment store without a wallet file encrypts the key under the login token and does not suggest removing the token', async () => {
  const at = await place('env');
  const { COUNTERSIGN_WALLET_FILE: _, ...bare } = at.env;
  const env = { ...bare, COUNTERSIGN_JWT: sandbox.jwt };
  const first = await serve(env);
  const made = await first.server.ok('create_agent_key', { name: 'agent' });
  expect([made.storedIn, made.next]).toEqual(['env', undefined]);
  await first.server.stop('SIGTERM');
  const second = await serve(env);
  await second.server.ok('get_launch_feed');
  const key = await secretOf({ ...at, env }, secretNames.apiKey(sandbox.rootUrl));
  expectAbsent(first.output() + second.output() + filesOf(at.home), [sandbox.jwt, key ?? '']);
});
