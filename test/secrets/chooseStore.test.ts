import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { createRedactor } from '../../src/secrets/redaction/redact.ts';
import { Secret } from '../../src/secrets/secret.ts';
import {
  openStore,
  readStoreRecord,
  setUpStore,
  storeRecordPath,
  writeStoreRecord,
} from '../../src/secrets/stores/chooseStore.ts';
import { createFileStore, secretFilePath } from '../../src/secrets/stores/fileStore.ts';
import { migrate, migrateHome } from '../../src/secrets/stores/migrate.ts';
import { registeringStore } from '../../src/secrets/stores/registeringStore.ts';
import { createMemoryStore, keepSecret, secretNames } from '../../src/secrets/stores/store.ts';
import { TEST_WORK_FACTOR, temporaryHome, thrownBy } from './temporaryHome.ts';

const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };

describe('choosing a secret store', () => {
  it('is recorded once and used from then on', async () => {
    const home = join(temporaryHome(), 'new');
    const store = await setUpStore({ home, env, requested: 'file' });
    expect(store.kind).toBe('file');
    expect(readStoreRecord(home)).toEqual({
      version: 1,
      kind: 'file',
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(openStore({ home, env }).kind).toBe('file');
    expect((await setUpStore({ home, env })).kind).toBe('file');
    expect(readFileSync(storeRecordPath(home), 'utf8')).not.toContain('orbit');
  });

  it('is an error if no store was chosen, and opening writes nothing', async () => {
    const home = join(temporaryHome(), 'new');
    for (const requested of [undefined, 'file', 'keychain']) {
      expect(await thrownBy(() => openStore({ home, env, requested }))).toMatchObject({
        code: 'KEYSTORE_NOT_CHOSEN',
        hint: expect.stringContaining('countersign login'),
      });
    }
    expect(await thrownBy(() => setUpStore({ home, env }))).toMatchObject({ code: 'KEYSTORE_NOT_CHOSEN' });
    expect(await thrownBy(() => openStore({ home, env, requested: 'plain' }))).toMatchObject({
      code: 'KEYSTORE_NOT_CHOSEN',
    });
    expect(existsSync(home)).toBe(false);
  });

  it('needs no record for the environment, which is named at every start', () => {
    const home = join(temporaryHome(), 'new');
    expect(openStore({ home, env: { COUNTERSIGN_SECRET_STORE: 'env' } }).kind).toBe('env');
    expect(existsSync(home)).toBe(false);
  });

  it('does not change if another store is requested', async () => {
    const home = temporaryHome();
    await setUpStore({ home, env, requested: 'file' });
    for (const requested of ['keychain', 'env']) {
      expect(await thrownBy(() => openStore({ home, env, requested }))).toMatchObject({
        code: 'KEYSTORE_MISMATCH',
        hint: expect.stringContaining('countersign secrets migrate'),
      });
    }
    expect(openStore({ home, env, requested: 'file' }).kind).toBe('file');
  });

  it('does not record a keychain that does not work, and does not fall back to a file', async () => {
    const home = temporaryHome();
    const error = await thrownBy(() =>
      setUpStore({ home, env: { ...env, PATH: process.env.PATH }, requested: 'keychain' }),
    );
    expect(error).toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
    expect(readStoreRecord(home)).toBeUndefined();
    expect(existsSync(secretFilePath(home))).toBe(false);
  });

  it('does not record a file without a passphrase', async () => {
    const home = temporaryHome();
    expect(await thrownBy(() => setUpStore({ home, env: {}, requested: 'file' }))).toMatchObject({
      code: 'KEYSTORE_LOCKED',
    });
    expect(readStoreRecord(home)).toBeUndefined();
  });

  it('refuses an inconsistent record', async () => {
    const home = temporaryHome();
    for (const text of [
      '',
      '{',
      '{"version":2,"kind":"file","id":"0123456789ab"}',
      '{"version":1,"kind":"plain","id":"0123456789ab"}',
    ]) {
      writeFileSync(storeRecordPath(home), text, { mode: 0o600 });
      expect(await thrownBy(() => openStore({ home, env }))).toMatchObject({ code: 'KEYSTORE_CORRUPT' });
    }
    writeStoreRecord(home, { version: 1, kind: 'file', id: '0123456789ab' });
    expect(openStore({ home, env }).kind).toBe('file');
  });
});

describe('moving secrets to another store', () => {
  async function filled() {
    const from = createMemoryStore();
    const { address, secret } = createKeypair();
    await from.set(secretNames.wallet(address), secret);
    await from.set('jwt', Secret.fromText('a.b.c'));
    return { from, address, secret };
  }

  it('copies, reads back from the disk, and only then deletes', async () => {
    const { from, address, secret } = await filled();
    const home = temporaryHome();
    const to = createFileStore({ home, env, workFactor: TEST_WORK_FACTOR });
    const seen: string[][] = [];
    const result = await migrate({
      from,
      to,
      beforeDelete: () => void from.list().then((names) => seen.push(names)),
    });
    expect(result).toEqual({ moved: ['jwt', `wallet:${address}`], notDeleted: [] });
    expect(seen).toEqual([['jwt', `wallet:${address}`]]);
    expect(await from.list()).toEqual([]);
    const reopened = createFileStore({ home, env });
    expect((await reopened.get(`wallet:${address}`))?.equals(secret)).toBe(true);
  });

  it('deletes nothing if the new store lost or corrupted a secret', async () => {
    for (const spoil of [async () => undefined, async () => Secret.fromText('other')]) {
      const { from } = await filled();
      const to = { ...createMemoryStore(), set: async () => {} };
      let promptCount = 0;
      // The first read, before copying, finds nothing; the read-back finds the store's version.
      const get = async () => (promptCount++ < 2 ? undefined : spoil());
      const before = await from.list();
      expect(await thrownBy(() => migrate({ from, to: { ...to, get } }))).toMatchObject({
        code: 'KEYSTORE_WRITE_FAILED',
      });
      expect(await from.list()).toEqual(before);
    }
  });

  it('does not accept a value the new store only cached', async () => {
    const { from } = await filled();
    const remembering = createMemoryStore();
    const to = { ...remembering, refresh: async () => remembering.lock() };
    expect(await thrownBy(() => migrate({ from, to }))).toMatchObject({ code: 'KEYSTORE_WRITE_FAILED' });
    expect(await from.list()).toHaveLength(2);
  });

  it('does not overwrite a different secret of the same name, and can be run again after an interruption', async () => {
    const { from } = await filled();
    const to = createMemoryStore();
    await to.set('jwt', Secret.fromText('x.y.z'));
    expect(await thrownBy(() => migrate({ from, to }))).toMatchObject({ code: 'KEYSTORE_MISMATCH' });
    expect(await from.list()).toHaveLength(2);
    await to.set('jwt', Secret.fromText('a.b.c'));
    expect((await migrate({ from, to })).notDeleted).toEqual([]);
    expect(await to.list()).toHaveLength(2);
  });

  it('moves a home from the environment to the file, records it, and lists the secrets it could not delete', async () => {
    const home = temporaryHome();
    const source = { ...env, COUNTERSIGN_SECRET_STORE: 'env', COUNTERSIGN_API_KEY: 'key-1' };
    const result = await migrateHome({ home, env: source, rootUrl: 'https://api.example', target: 'file' });
    expect(result).toEqual({
      kind: 'file',
      moved: ['api-key:https://api.example'],
      notDeleted: ['api-key:https://api.example'],
    });
    expect((await openStore({ home, env }).get('api-key:https://api.example'))?.expose()).toBe('key-1');
    expect(await thrownBy(() => migrateHome({ home, env, target: 'file' }))).toMatchObject({
      code: 'KEYSTORE_MISMATCH',
    });
    expect(await thrownBy(() => migrateHome({ home, env, target: 'env' }))).toMatchObject({
      code: 'KEYSTORE_MISMATCH',
    });
  });
});

describe('a secret issued only once (F16)', () => {
  it('is stored in two attempts, then held in memory, and the result says so without the value', async () => {
    const secret = Secret.fromText('cs_live_9QmX2vTzB7wK');
    const home = temporaryHome();
    const broken = createFileStore({ home, env: {} });
    const memory = createMemoryStore();
    const result = await keepSecret(broken, memory, 'api-key:https://api.example', secret);
    expect(result).toMatchObject({ storedIn: 'memory', problem: { code: 'KEYSTORE_LOCKED' } });
    expect(`${JSON.stringify(result)} ${String(result.problem)}`).not.toContain('cs_live');
    expect((await memory.get('api-key:https://api.example'))?.expose()).toBe('cs_live_9QmX2vTzB7wK');

    let failures = 1;
    const flaky = createMemoryStore();
    const { set } = flaky;
    const store = {
      ...flaky,
      set: async (...parameters: Parameters<typeof set>) => {
        if (failures-- > 0) throw new Error('once');
        return set(...parameters);
      },
    };
    // The earlier value is superseded: it would hide the stored secret.
    await memory.set('api-key', Secret.fromText('an older key'));
    expect(await keepSecret(store, memory, 'api-key', secret)).toEqual({ storedIn: 'memory' });
    expect([await flaky.list(), await memory.get('api-key')]).toEqual([['api-key'], undefined]);
  });
});

describe('a store with a redactor', () => {
  it('redacts values that are read or written', async () => {
    const redactor = createRedactor();
    const inner = createMemoryStore();
    await inner.set('jwt', Secret.fromText('first-secret-value'));
    const store = registeringStore(inner, redactor);
    expect(redactor.redact('first-secret-value')).toBe('first-secret-value');
    await store.get('jwt');
    await store.set('other', Secret.fromText('second-secret-value'));
    expect(redactor.redact('first-secret-value second-secret-value')).toBe('[redacted] [redacted]');
  });
});
