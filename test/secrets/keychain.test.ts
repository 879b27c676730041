import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import {
  keychainWorks,
  openStore,
  readStoreRecord,
  setUpStore,
} from '../../src/secrets/stores/chooseStore.ts';
import { createFileStore } from '../../src/secrets/stores/fileStore.ts';
import { callKeychain } from '../../src/secrets/stores/keychainProcess.ts';
import { createKeychainStore } from '../../src/secrets/stores/keychainStore.ts';
import { migrate } from '../../src/secrets/stores/migrate.ts';
import { eventually, HANGS_MS } from '../eventually.ts';
import { missing, PASSWORD, type SecretService, startSecretService } from './secretService.ts';
import { TEST_WORK_FACTOR, temporaryHome, thrownBy } from './temporaryHome.ts';

/** Message of the bus; it contains "locked". */
const NO_REPLY =
  'Did not receive a reply. Possible causes include: the message bus security policy blocked the reply, the reply timeout expired.';

const basic = { PATH: process.env.PATH };

describe.skipIf(process.platform !== 'linux')('a machine without a keychain', () => {
  it('reports it with the alternative, without any session bus (F49)', async () => {
    const store = createKeychainStore({ id: 'test', env: { ...basic, DBUS_SESSION_BUS_ADDRESS: undefined } });
    const uses = [
      () => store.get('jwt'),
      () => store.list(),
      () => store.set('jwt', Secret.fromText('a.b.c')),
      () => store.delete('jwt'),
      () => store.prove(),
    ];
    for (const use of uses) {
      expect(await thrownBy(use)).toMatchObject({
        code: 'KEYSTORE_UNAVAILABLE',
        class: 'availability',
        hint: expect.stringMatching(/countersign doctor.*countersign secrets migrate/),
      });
    }
    expect(await store.status()).toMatchObject({ ok: false, kind: 'keychain' });
    expect(await keychainWorks(basic)).toBe(false);
  });

  it('reports an unreachable bus address', async () => {
    const env = { ...basic, DBUS_SESSION_BUS_ADDRESS: `unix:path=${temporaryHome()}/none` };
    const store = createKeychainStore({ id: 'test', env });
    expect(await thrownBy(() => store.get('jwt'))).toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
  });

  it('times out if nothing responds (F52)', async () => {
    const store = createKeychainStore({ id: 'test', env: basic, timeoutMs: 1 });
    expect(await thrownBy(() => store.get('jwt'))).toMatchObject({
      code: 'KEYSTORE_UNAVAILABLE',
      message: expect.stringContaining('timed out'),
    });
  });

  it('passes no secret of the environment to the helper process', async () => {
    // The client library starts `dbus-launch` only without a bus address. The helper's whole environment is read from
    // the system while it waits for a bus that accepts and never answers.
    const folder = temporaryHome();
    const socket = join(folder, 'silent');
    const server = spawn(
      process.execPath,
      ['-e', `require('net').createServer(()=>{}).listen(${JSON.stringify(socket)},()=>console.log('up'))`],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    try {
      await new Promise((resolve) => server.stdout.once('data', resolve));
      const env = {
        ...basic,
        DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`,
        COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic',
        COUNTERSIGN_API_KEY: 'key-1',
        NODE_OPTIONS: '--no-warnings',
      };
      const pending = thrownBy(() =>
        callKeychain({
          action: 'get',
          service: 'countersign-envtest',
          name: 'jwt',
          env,
          timeoutMs: HANGS_MS,
        }),
      );
      const environment = await eventually(() => {
        const found = environmentOfHelper('countersign-envtest');
        expect(found).toContain(socket);
        return found;
      });
      expect(environment).not.toMatch(/COUNTERSIGN_|NODE_OPTIONS/);
      server.kill('SIGKILL');
      expect(await pending).toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
    } finally {
      server.kill('SIGKILL');
    }
  });
});

describe('an unreliable keychain library', () => {
  function storeWith(body: string, timeoutMs?: number) {
    const modulePath = join(temporaryHome(), 'library.cjs');
    writeFileSync(modulePath, `exports.AsyncEntry = class { ${body} };`);
    return createKeychainStore({
      id: 'test',
      env: basic,
      modulePath,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  it('is detected if it reports success and stores nothing, as kernel memory does across sessions', async () => {
    const store = storeWith('async setSecret() {} async getSecret() { return null; }');
    expect(await thrownBy(() => store.prove())).toMatchObject({
      code: 'KEYSTORE_UNAVAILABLE',
      message: expect.stringContaining('could not read it back'),
    });
    expect((await store.status()).ok).toBe(false);
  });

  it('is detected if it returns another value', async () => {
    const store = storeWith('async setSecret() {} async getSecret() { return [116, 120]; }');
    expect(await thrownBy(() => store.set('jwt', Secret.fromText('a.b.c')))).toMatchObject({
      code: 'KEYSTORE_UNAVAILABLE',
    });
  });

  it('is awaited if no reply came within the bus timeout, and is not reported as locked', async () => {
    const folder = temporaryHome();
    const kept = JSON.stringify(join(folder, 'kept'));
    const silent = `require('node:fs').existsSync(${JSON.stringify(join(folder, 'asked'))}) || (
      require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'asked'))}, ''),
      (() => { throw new Error('DBus error: ${NO_REPLY}'); })()
    );`;
    const slow = storeWith(`
      async setSecret(value) { ${silent} require('node:fs').writeFileSync(${kept}, value); }
      async getSecret() { return require('node:fs').readFileSync(${kept}); }`);
    await slow.prove();
    const never = storeWith(`async getSecret() { throw new Error('DBus error: ${NO_REPLY}'); }`, 2_000);
    expect(await thrownBy(() => never.get('jwt'))).toMatchObject({
      code: 'KEYSTORE_UNAVAILABLE',
      message: expect.stringContaining('timed out'),
    });
  });

  it('is detected if it reports a deletion it did not make', async () => {
    const store = storeWith(
      'async deleteCredential() { return true; } async getSecret() { return [116, 120]; }',
    );
    expect(await thrownBy(() => store.delete('jwt'))).toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
  });

  it('crashes only its own process and cannot leak text through errors (F52)', async () => {
    const crashing = storeWith('async getSecret() { process.abort(); }');
    expect(await thrownBy(() => crashing.get('jwt'))).toMatchObject({
      code: 'KEYSTORE_UNAVAILABLE',
      message: expect.stringContaining('crashed'),
    });
    const talking = storeWith(
      'async getSecret() { throw new Error("\\u001b[2J\\nrun this now " + "x".repeat(999)); }',
    );
    const error = await thrownBy(() => talking.get('jwt'));
    expect(error).toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
    expect(String(error)).toMatch(/^[\x20-\x7e]{0,300}$/);
  });
});

/** Returns the environment of the helper process with `marker` on its command line. */
function environmentOfHelper(marker: string): string {
  for (const pid of readdirNumbers()) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(marker)) {
        return readFileSync(`/proc/${pid}/environ`, 'utf8');
      }
    } catch {
      // The process has exited.
    }
  }
  return '';
}

function readdirNumbers(): string[] {
  return execFileSync('ls', ['/proc'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => /^\d+$/.test(name));
}

describe.skipIf(missing.length > 0)('a real secret service on a private session bus', () => {
  let service: SecretService;
  let env: SecretService['env'];

  beforeAll(async () => {
    service = await startSecretService();
    ({ env } = service);
  });
  afterAll(() => service.end());

  it('verifies itself, then stores texts and bytes', async () => {
    const store = createKeychainStore({ id: 'one', env, timeoutMs: HANGS_MS });
    expect(await thrownBy(() => store.get('jwt'))).toMatchObject({ code: 'KEYSTORE_LOCKED' });
    await store.prove();
    const { address, secret } = createKeypair();
    await store.set('jwt', Secret.fromText('a.b.c'));
    await store.set(`wallet:${address}`, secret);
    const again = createKeychainStore({ id: 'one', env, timeoutMs: HANGS_MS });
    expect(await again.list()).toEqual(['jwt', `wallet:${address}`]);
    expect((await again.get('jwt'))?.expose()).toBe('a.b.c');
    expect((await again.get(`wallet:${address}`))?.equals(secret)).toBe(true);
    expect(await again.get('nothing')).toBeUndefined();
    expect(await again.delete('jwt')).toBe(true);
    expect(await again.delete('jwt')).toBe(false);
    expect(await again.list()).toEqual([`wallet:${address}`]);
    expect(await again.status()).toMatchObject({
      ok: true,
      detail: expect.stringContaining('another process'),
    });
  });

  it('is slow, not locked, while its daemon responds slower than the bus timeout', async () => {
    const store = createKeychainStore({ id: 'slow', env, timeoutMs: HANGS_MS });
    await store.prove();
    service.signal('SIGSTOP');
    const resumeTimer = setTimeout(() => service.signal('SIGCONT'), 3_000);
    onTestFinished(() => clearTimeout(resumeTimer));
    await store.set('jwt', Secret.fromText('a.b.c'));
    expect((await store.get('jwt'))?.expose()).toBe('a.b.c');
  });

  it('keeps the secrets of two homes apart', async () => {
    const [left, right] = [
      createKeychainStore({ id: 'left', env, timeoutMs: HANGS_MS }),
      createKeychainStore({ id: 'right', env, timeoutMs: HANGS_MS }),
    ];
    await left.prove();
    await right.prove();
    await left.set('jwt', Secret.fromText('left'));
    expect(await right.get('jwt')).toBeUndefined();
  });

  it('is chosen at setup, recorded, and filled by a migration from the file', async () => {
    const home = temporaryHome();
    const store = await setUpStore({ home, env, requested: 'keychain' });
    expect(readStoreRecord(home)?.kind).toBe('keychain');
    const passphrase = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };
    const from = createFileStore({ home, env: passphrase, workFactor: TEST_WORK_FACTOR });
    await from.set('jwt', Secret.fromText('a.b.c'));
    expect(await migrate({ from, to: store })).toEqual({ moved: ['jwt'], notDeleted: [] });
    expect((await openStore({ home, env }).get('jwt'))?.expose()).toBe('a.b.c');
    expect(await from.list()).toEqual([]);
  });

  it('is locked, not empty, if its keyring is locked (F49)', async () => {
    const store = createKeychainStore({ id: 'locked', env, timeoutMs: HANGS_MS });
    await store.prove();
    await store.set('jwt', Secret.fromText('a.b.c'));
    await service.stopKeyring();
    await service.startKeyring(undefined);
    for (const use of [
      () => store.get('jwt'),
      () => store.get('other'),
      () => store.list(),
      () => store.prove(),
    ]) {
      expect(await thrownBy(use)).toMatchObject({
        code: 'KEYSTORE_LOCKED',
        hint: expect.stringContaining('countersign doctor'),
      });
    }
    expect((await store.status()).ok).toBe(false);
    await service.stopKeyring();
    await service.startKeyring(PASSWORD);
    expect((await store.get('jwt'))?.expose()).toBe('a.b.c');
  });

  it('is unavailable, not empty, once its daemon died (F49)', async () => {
    const store = createKeychainStore({ id: 'dead', env, timeoutMs: HANGS_MS });
    await store.prove();
    await store.set('jwt', Secret.fromText('a.b.c'));
    service.signal('SIGKILL');
    await service.stopKeyring();
    expect(await thrownBy(() => store.get('jwt'))).toMatchObject({ class: 'availability' });
    expect(await thrownBy(() => store.set('jwt', Secret.fromText('d.e.f')))).toMatchObject({
      class: 'availability',
    });
    await service.startKeyring(PASSWORD);
    expect((await store.get('jwt'))?.expose()).toBe('a.b.c');
  });
});
