import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKeypair, openWallet } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createEnvStore } from '../../src/secrets/stores/envStore.ts';
import { temporaryHome, thrownBy } from './temporaryHome.ts';

const rootUrl = 'https://api.example/v1/';
const JWT = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from('{"exp":1}').toString('base64url')}.c2ln`;

function walletFile() {
  const { address, secret } = createKeypair();
  const path = join(temporaryHome(), 'id.json');
  writeFileSync(path, JSON.stringify([...secret.exposeBytes()]), { mode: 0o600 });
  return { address, secret, path };
}

describe('secrets from the environment', () => {
  it('are the key, the JWT and the wallet of the variables only', async () => {
    const { address, secret, path } = walletFile();
    const store = createEnvStore({
      env: { COUNTERSIGN_API_KEY: 'key-1', COUNTERSIGN_JWT: JWT, COUNTERSIGN_WALLET_FILE: path },
      rootUrl,
    });
    expect(await store.list()).toEqual([
      'api-key:https://api.example',
      'jwt:https://api.example',
      `wallet:${address}`,
    ]);
    expect((await store.get('api-key:https://api.example'))?.expose()).toBe('key-1');
    expect((await store.get('jwt:https://api.example'))?.expose()).toBe(JWT);
    expect(await store.get('jwt:https://other.example')).toBeUndefined();
    expect((await store.get(`wallet:${address}`))?.equals(secret)).toBe(true);
    expect(await store.get(`wallet:${createKeypair().address}`)).toBeUndefined();
    expect(await store.get('something-else')).toBeUndefined();
    expect(await createEnvStore({ env: {} }).list()).toEqual([]);
  });

  it('provide the API key to its own service only', async () => {
    const env = { COUNTERSIGN_API_KEY: 'key-1' };
    const store = createEnvStore({ env, rootUrl });
    expect(await store.get('api-key:https://api.example:8443')).toBeUndefined();
    expect(await store.get('api-key:http://api.example')).toBeUndefined();
    const unbound = createEnvStore({ env });
    expect(await unbound.get('api-key:https://api.example')).toBeUndefined();
    expect((await unbound.status()).detail).toContain('COUNTERSIGN_ROOT_URL');
    const named = createEnvStore({ env: { ...env, COUNTERSIGN_ROOT_URL: rootUrl } });
    expect((await named.get('api-key:https://api.example'))?.expose()).toBe('key-1');
  });

  it('are refused with a space, line break or invalid character, and not repeated (B74)', async () => {
    for (const value of ['se cret', 'secret\n', '\tsecret', 'sécret', 'secret\0x', 'secret'.repeat(4_000)]) {
      const store = createEnvStore({ env: { COUNTERSIGN_API_KEY: value, COUNTERSIGN_JWT: value }, rootUrl });
      for (const name of ['api-key:https://api.example', 'jwt:https://api.example']) {
        const error = await thrownBy(() => store.get(name));
        expect(error).toMatchObject({
          code: 'INVALID_SECRET',
          hint: expect.stringContaining('COUNTERSIGN_'),
        });
        expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/se ?cret|sécret/);
      }
      expect(await store.status()).toMatchObject({ ok: false });
    }
    const notJwt = createEnvStore({ env: { COUNTERSIGN_JWT: 'secret' }, rootUrl });
    expect(await thrownBy(() => notJwt.get('jwt:https://api.example'))).toMatchObject({
      code: 'INVALID_SECRET',
    });
  });

  it('cannot be changed, except an API key that COUNTERSIGN_API_KEY does not override', async () => {
    const { path } = walletFile();
    const [name, key] = ['api-key:https://api.example', Secret.fromText('key-of-the-service')];
    const readOnly = { code: 'KEYSTORE_READ_ONLY' };
    const home = temporaryHome();
    for (const env of [{}, { COUNTERSIGN_WALLET_FILE: path, COUNTERSIGN_API_KEY: 'key-1' }]) {
      const store = createEnvStore({ env, home, rootUrl });
      expect(await thrownBy(() => store.set(name, key))).toMatchObject(readOnly);
      expect(await thrownBy(() => store.delete(name))).toMatchObject(readOnly);
    }
    const store = createEnvStore({ env: { COUNTERSIGN_WALLET_FILE: path }, home, rootUrl });
    for (const other of ['jwt:https://api.example', 'wallet:x', 'owner-public-key'])
      expect(await thrownBy(() => store.set(other, key))).toMatchObject(readOnly);
    await store.set(name, key);
    expect((await store.get(name))?.expose()).toBe('key-of-the-service');
    expect(await store.get('api-key:https://other.example')).toBeUndefined();
    expect(await store.list()).toContain(name);
    expect(await store.delete(name)).toBe(true);
    expect(await store.get(name)).toBeUndefined();
  });

  it('sign nothing more once the wallet file was modified or opened to others (F51)', async () => {
    const message = Uint8Array.of(1);
    const permit = {
      messageSha256: '4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a',
      decisionId: 'd',
    };
    const rewritten = walletFile();
    const store = createEnvStore({ env: { COUNTERSIGN_WALLET_FILE: rewritten.path } });
    const signer = await openWallet(store, rewritten.address);
    expect(signer?.sign(message, permit)).toHaveLength(64);
    writeFileSync(rewritten.path, readFileSync(rewritten.path));
    expect(await thrownBy(() => signer?.sign(message, permit))).toMatchObject({ code: 'KEYSTORE_CHANGED' });
    const widened = walletFile();
    const other = createEnvStore({ env: { COUNTERSIGN_WALLET_FILE: widened.path } });
    const otherSigner = await openWallet(other, widened.address);
    chmodSync(widened.path, 0o644);
    expect(await thrownBy(() => otherSigner?.sign(message, permit))).toMatchObject({ code: 'INSECURE_FILE' });
  });
});
