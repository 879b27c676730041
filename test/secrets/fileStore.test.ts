import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Decrypter, Encrypter } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { withFileLock } from '../../src/secrets/stores/fileLock.ts';
import { createFileStore, secretFilePath } from '../../src/secrets/stores/fileStore.ts';
import { TEST_WORK_FACTOR, temporaryHome, thrownBy } from './temporaryHome.ts';

const PASSPHRASE = 'orbit velvet canyon mosaic';
const env = { COUNTERSIGN_PASSPHRASE: PASSPHRASE };

function open(home: string, more: Partial<Parameters<typeof createFileStore>[0]> = {}) {
  return createFileStore({ home, env, workFactor: TEST_WORK_FACTOR, ...more });
}

async function readWithAge(path: string, passphrase = PASSPHRASE): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  return decrypter.decrypt(Uint8Array.from(readFileSync(path)), 'text');
}

describe('the encrypted file', () => {
  it('keeps texts and bytes for the next process', async () => {
    const home = join(temporaryHome(), 'new');
    const { address, secret } = createKeypair();
    const first = open(home);
    await first.set('api-key:https://api.example', Secret.fromText('cs_live_9QmX2vTzB7wK'));
    await first.set(`wallet:${address}`, secret);

    const second = open(home);
    expect(await second.list()).toEqual(['api-key:https://api.example', `wallet:${address}`]);
    expect((await second.get('api-key:https://api.example'))?.expose()).toBe('cs_live_9QmX2vTzB7wK');
    expect((await second.get(`wallet:${address}`))?.equals(secret)).toBe(true);
    expect(await second.get('jwt')).toBeUndefined();
    expect(await second.status()).toEqual({
      ok: true,
      kind: 'file',
      detail: expect.stringContaining('2 entries'),
    });
  });

  it('is a standard age file with the real work factor, mode 0600, in a folder with mode 0700', async () => {
    const home = join(temporaryHome(), 'new');
    const store = createFileStore({ home, env });
    await store.set('wallet:x', Secret.fromBytes(Uint8Array.of(7, 8, 255)));
    const path = secretFilePath(home);
    expect(await readWithAge(path)).toBe('countersign-secrets 1\nwallet:x bytes [7,8,255]\n');
    expect(readFileSync(path, 'latin1')).toMatch(/^age-encryption.org\/v1\n-> scrypt \S+ 17\n/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(['secrets.age']);
  });

  it('shows neither values nor names without the passphrase', async () => {
    const home = temporaryHome();
    await open(home).set('api-key:https://api.example', Secret.fromText('cs_live_9QmX2vTzB7wK'));
    const raw = readFileSync(secretFilePath(home), 'latin1');
    expect(raw).not.toContain('cs_live');
    expect(raw).not.toContain('api.example');
  });

  it('changes nothing until it is used, and creates nothing by reading', async () => {
    const home = join(temporaryHome(), 'new');
    const store = createFileStore({ home, env: {} });
    expect(existsSync(home)).toBe(false);
    expect(await store.get('jwt')).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(existsSync(home)).toBe(false);
  });

  it('deletes permanently, and the file with the last secret', async () => {
    const home = temporaryHome();
    const store = open(home);
    await store.set('a', Secret.fromText('one-secret'));
    await store.set('b', Secret.fromText('two-secret'));
    expect(await store.delete('a')).toBe(true);
    expect(await store.delete('a')).toBe(false);
    expect(await readWithAge(secretFilePath(home))).not.toContain('one-secret');
    expect(await store.delete('b')).toBe(true);
    expect(existsSync(secretFilePath(home))).toBe(false);
    expect(await store.list()).toEqual([]);
    await store.set('c', Secret.fromText('three-secret'));
    expect(await open(home).list()).toEqual(['c']);
  });

  it('refuses names and values that it could not encode exactly', async () => {
    const store = open(temporaryHome());
    for (const name of ['', 'a b', 'a\nb', '../x y', 'ü', 'x'.repeat(201)]) {
      expect(await thrownBy(() => store.set(name, Secret.fromText('v')))).toMatchObject({
        code: 'INVALID_NAME',
      });
    }
    for (const value of ['', 'two\nlines', 'tab\there', 'x'.repeat(20_000)]) {
      const error = await thrownBy(() => store.set('jwt', Secret.fromText(value)));
      expect(error).toMatchObject({ code: 'INVALID_SECRET' });
      expect(String(error)).not.toContain('lines');
    }
  });

  it('serializes concurrent writes, also by two stores', async () => {
    const home = temporaryHome();
    const store = open(home);
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.set(name, Secret.fromText(`value-${name}`))));
    expect(await open(home).list()).toEqual(['a', 'b', 'c', 'd']);
    const [left, right] = [open(home), open(home)];
    await Promise.all([
      left.set('e', Secret.fromText('value-e')),
      right.set('f', Secret.fromText('value-f')),
    ]);
    expect(await open(home).list()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('lets one process at a time take over an abandoned lock', async () => {
    const lock = join(temporaryHome(), 'x.lock');
    writeFileSync(lock, '2147483646', { mode: 0o600 });
    // A living process is deciding about the lock.
    writeFileSync(`${lock}.turn`, `${process.ppid}`, { mode: 0o600 });
    const done: string[] = [];
    const mine = withFileLock(lock, async () => void done.push(readFileSync(lock, 'utf8')));
    await setTimeout(200);
    expect(done).toEqual([]);
    expect(readFileSync(lock, 'utf8')).toBe('2147483646');
    unlinkSync(`${lock}.turn`);
    await mine;
    expect(done).toEqual([`${process.pid}`]);
    // A turn that a crash left does not block the lock for good.
    for (const left of [lock, `${lock}.turn`]) writeFileSync(left, '2147483646', { mode: 0o600 });
    await withFileLock(lock, async () => void done.push('again'));
    expect(done).toHaveLength(2);
    expect([existsSync(lock), existsSync(`${lock}.turn`)]).toEqual([false, false]);
  });

  it('takes over the lock of a process that died', async () => {
    const home = temporaryHome();
    writeFileSync(`${secretFilePath(home)}.lock`, '2147483646', { mode: 0o600 });
    await open(home).set('a', Secret.fromText('one-secret'));
    expect(await open(home).list()).toEqual(['a']);
    expect(existsSync(`${secretFilePath(home)}.lock`)).toBe(false);
  });

  it('returns copies: wiping one leaves the store intact', async () => {
    const store = open(temporaryHome());
    await store.set('a', Secret.fromText('one-secret'));
    (await store.get('a'))?.wipe();
    expect((await store.get('a'))?.expose()).toBe('one-secret');
  });
});

describe('the passphrase of the encrypted file', () => {
  it('is typed by a person if the environment has none, once for many reads', async () => {
    const home = temporaryHome();
    const prompts: string[] = [];
    const prompt = async (purpose: 'open' | 'create') => {
      prompts.push(purpose);
      return PASSPHRASE;
    };
    await open(home, { env: {}, prompt }).set('a', Secret.fromText('one-secret'));
    const store = open(home, { env: {}, prompt });
    await Promise.all([store.get('a'), store.get('a'), store.list()]);
    expect(prompts).toEqual(['create', 'open']);
  });

  it('is missing under serve: the error names the alternatives and no prompt is shown', async () => {
    const home = temporaryHome();
    await open(home).set('a', Secret.fromText('one-secret'));
    const store = open(home, { env: {} });
    const error = await thrownBy(() => store.get('a'));
    expect(error).toMatchObject({
      code: 'KEYSTORE_LOCKED',
      hint: expect.stringContaining('COUNTERSIGN_PASSPHRASE'),
    });
    expect(await store.status()).toMatchObject({ ok: false, detail: expect.stringContaining('locked') });
  });

  it('must not be short when a file is created', async () => {
    const home = temporaryHome();
    const error = await thrownBy(() =>
      open(home, { env: { COUNTERSIGN_PASSPHRASE: 'short' } }).set('a', Secret.fromText('v')),
    );
    expect(error).toMatchObject({ code: 'WEAK_PASSPHRASE' });
    expect(existsSync(secretFilePath(home))).toBe(false);
  });

  it('is delayed after two wrong attempts, then accepted if right (F50)', async () => {
    const home = temporaryHome();
    await open(home).set('a', Secret.fromText('one-secret'));
    let time = 0;
    const wrong = { COUNTERSIGN_PASSPHRASE: 'not the passphrase' };
    const mutable: Record<string, string> = { ...wrong };
    const store = open(home, { env: mutable, now: () => time });
    const first = await thrownBy(() => store.get('a'));
    expect(first).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    expect(String(first)).not.toContain('not the passphrase');
    expect(await thrownBy(() => store.get('a'))).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    mutable.COUNTERSIGN_PASSPHRASE = PASSPHRASE;
    expect(await thrownBy(() => store.get('a'))).toMatchObject({
      code: 'PASSPHRASE_BACKOFF',
      retryAfterMs: 1_000,
    });
    time += 1_000;
    mutable.COUNTERSIGN_PASSPHRASE = 'wrong a third time';
    expect(await thrownBy(() => store.get('a'))).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    time += 1_999;
    mutable.COUNTERSIGN_PASSPHRASE = PASSPHRASE;
    expect(await thrownBy(() => store.get('a'))).toMatchObject({ code: 'PASSPHRASE_BACKOFF' });
    time += 1;
    expect((await store.get('a'))?.expose()).toBe('one-secret');
  });

  it('is not reported as wrong if the file is damaged', async () => {
    const home = temporaryHome();
    const path = secretFilePath(home);
    await open(home).set('a', Secret.fromText('one-secret'));
    const good = readFileSync(path);
    const flipped = Buffer.from(good);
    flipped[flipped.length - 1] = (flipped[flipped.length - 1] ?? 0) ^ 1;
    for (const bytes of [Buffer.from('not an age file\n'), good.subarray(0, 40), flipped, Buffer.alloc(0)]) {
      writeFileSync(path, bytes);
      expect(await thrownBy(() => open(home).get('a'))).toMatchObject({ code: 'KEYSTORE_CORRUPT' });
    }
  });

  it('refuses a file that opens but holds another format', async () => {
    const home = temporaryHome();
    const encrypter = new Encrypter();
    encrypter.setPassphrase(PASSPHRASE);
    encrypter.setScryptWorkFactor(TEST_WORK_FACTOR);
    for (const text of [
      '',
      'hello\n',
      'countersign-secrets 1\na text v',
      'countersign-secrets 1\na bytes [300]\n',
    ]) {
      writeFileSync(secretFilePath(home), await encrypter.encrypt(text), { mode: 0o600 });
      expect(await thrownBy(() => open(home).get('a'))).toMatchObject({ code: 'KEYSTORE_CORRUPT' });
    }
  });
});

describe('a secret file that changes during use (F51)', () => {
  async function opened() {
    const home = temporaryHome();
    const store = open(home);
    await store.set('a', Secret.fromText('one-secret'));
    const path = secretFilePath(home);
    return { home, store, path };
  }

  it('returns nothing once others can read the file, even after the mode is restored', async () => {
    const { store, path } = await opened();
    chmodSync(path, 0o644);
    expect(() => store.checkUnchanged()).toThrow(
      expect.objectContaining({ code: 'INSECURE_FILE', hint: expect.stringContaining('chmod 600') }),
    );
    chmodSync(path, 0o600);
    expect(await thrownBy(() => store.get('a'))).toMatchObject({ code: 'INSECURE_FILE' });
    store.lock();
    expect((await store.get('a'))?.expose()).toBe('one-secret');
  });

  it('returns nothing once the file was replaced by one with the same passphrase', async () => {
    const { home, store, path } = await opened();
    await open(home).set('a', Secret.fromText('two-secret'));
    expect(() => store.checkUnchanged()).toThrow(expect.objectContaining({ code: 'KEYSTORE_CHANGED' }));
    expect(await thrownBy(() => store.set('b', Secret.fromText('v')))).toMatchObject({
      code: 'KEYSTORE_CHANGED',
    });
    expect(await readWithAge(path)).toContain('two-secret');
  });

  it('returns nothing once the file is gone, is a link, or the folder is open to others', async () => {
    const gone = await opened();
    renameSync(gone.path, `${gone.path}.away`);
    expect(await thrownBy(() => gone.store.get('a'))).toMatchObject({ code: 'KEYSTORE_CHANGED' });
    const linked = await opened();
    renameSync(linked.path, `${linked.path}.away`);
    symlinkSync(`${linked.path}.away`, linked.path);
    expect(await thrownBy(() => linked.store.get('a'))).toMatchObject({ code: 'INSECURE_FILE' });
    const wide = await opened();
    chmodSync(wide.home, 0o755);
    expect(await thrownBy(() => wide.store.get('a'))).toMatchObject({ code: 'INSECURE_FILE' });
  });
});
