/** Login during a running server: adoption of the new key, and the error if it cannot be used. */
import { beforeAll, expect, it } from 'vitest';
import { loginCommand } from '../../src/cli/keys/login.ts';
import { createAccountKeys } from '../../src/runtime/account.ts';
import { createRedactor } from '../../src/secrets/redaction/redact.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { openStore } from '../../src/secrets/stores/chooseStore.ts';
import { createMemoryStore, type SecretStore, secretNames } from '../../src/secrets/stores/store.ts';
import { run } from '../cli/terminal.ts';
import { type SandboxProcess, startSandbox } from '../e2e/harness.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';

const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };

let sandbox: SandboxProcess;
beforeAll(async () => {
  sandbox = await startSandbox();
  return () => sandbox.stop();
});

/** Returns the account of a running server over a store, with a clock driven by hand. */
function server(secrets: SecretStore) {
  const clock = { at: 1_000_000 };
  const backend = { mode: 'live', rootUrl: sandbox.rootUrl, secrets } as const;
  return { clock, account: createAccountKeys(backend, createRedactor(), () => clock.at) };
}

it('is picked up within five seconds from a store that may change', async () => {
  const store = createMemoryStore();
  const name = secretNames.apiKey(sandbox.rootUrl);
  await store.set(name, Secret.fromText('first-key-1234567890'));
  const { account, clock } = server(store);
  expect(await account.apiKey()).toBe('first-key-1234567890');
  await store.set(name, Secret.fromText('second-key-1234567890'));
  clock.at += 5_000;
  expect(await account.apiKey()).toBe('second-key-1234567890');
});

it('is refused from a secret file that another process rewrote, with the required restart', async () => {
  const home = temporaryHome();
  const { rootUrl, jwt } = sandbox;
  const login = async () => {
    const options = { 'root-url': rootUrl };
    return (await run(loginCommand, { home, env: { ...env, COUNTERSIGN_JWT: jwt }, options })).err;
  };
  await login();
  const { account, clock } = server(openStore({ home, env, rootUrl }));
  const old = await account.apiKey();
  expect(await login()).toContain('restart servers');
  expect(await account.apiKey()).toBe(old);

  clock.at += 5_000;
  await expect(account.apiKey()).rejects.toMatchObject({
    code: 'KEYSTORE_CHANGED',
    hint: expect.stringContaining('restart `countersign serve`'),
  });
  const restarted = await server(openStore({ home, env, rootUrl })).account.apiKey();
  expect(restarted).not.toBe(old);
  const headers = { 'x-api-key': restarted ?? '' };
  expect((await fetch(`${rootUrl}/api/v1/token-launch/feed`, { headers })).status).toBe(200);
});
