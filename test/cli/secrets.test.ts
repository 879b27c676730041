import { describe, expect, it } from 'vitest';
import { secretsCommand } from '../../src/cli/keys/secrets.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { openStore, readStoreRecord, setUpStore } from '../../src/secrets/stores/chooseStore.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { run } from './terminal.ts';

const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };

describe('countersign secrets migrate', () => {
  it('moves every secret, lists their names, and prints no value', async () => {
    const home = temporaryHome();
    const source = {
      ...env,
      COUNTERSIGN_SECRET_STORE: 'env',
      COUNTERSIGN_API_KEY: 'an-api-key-from-the-environment',
    };
    const options = { 'root-url': 'https://api.example' };
    const { code, out, err } = await run(secretsCommand, {
      home,
      env: source,
      options,
      words: ['migrate', 'file'],
    });
    expect([code, out]).toEqual([0, 'api-key:https://api.example']);
    expect(err).toContain('1 secret moved; this home now keeps its secrets in the file store.');
    expect(err).toContain('Still in the old store as well, remove by hand: api-key:https://api.example.');
    expect(`${out}${err}`).not.toContain('an-api-key');
    const store = openStore({ home, env });
    expect((await store.get('api-key:https://api.example'))?.expose()).toBe(
      'an-api-key-from-the-environment',
    );
  });

  it('does not move secrets to their own store or into the environment', async () => {
    const home = temporaryHome();
    const store = await setUpStore({ home, env, requested: 'file' });
    await store.set('api-key:https://service.example', Secret.fromText('a-secret-value'));
    for (const target of ['file', 'env']) {
      const ran = await run(secretsCommand, { home, env, words: ['migrate', target] });
      expect(ran.error).toMatchObject({ code: 'KEYSTORE_MISMATCH' });
    }
    expect(readStoreRecord(home)?.kind).toBe('file');
  });

  it('refuses an unknown store and a missing target', async () => {
    const home = temporaryHome();
    await setUpStore({ home, env, requested: 'file' });
    const unknown = await run(secretsCommand, { home, env, words: ['migrate', 'cloud'] });
    expect(unknown.error).toMatchObject({ code: 'KEYSTORE_NOT_CHOSEN' });
    expect((await run(secretsCommand, { home, env, words: ['migrate'] })).error).toMatchObject({
      hint: 'countersign secrets migrate keychain | file',
    });
  });
});
