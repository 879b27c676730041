import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { Decrypter } from 'age-encryption';
import bs58 from 'bs58';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createOwnerKey,
  openOwnerKey,
  ownerKeyPath,
  ownerPublicKey,
} from '../../src/secrets/keys/ownerKey.ts';
import {
  type OwnerKey,
  type OwnerStatement,
  ownerStatementBytes,
  signOwnerStatement,
  verifyOwnerStatement,
} from '../../src/secrets/keys/ownerStatement.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createEnvStore } from '../../src/secrets/stores/envStore.ts';
import { createFileStore } from '../../src/secrets/stores/fileStore.ts';
import { createMemoryStore } from '../../src/secrets/stores/store.ts';
import fc from '../fc.ts';
import { TEST_WORK_FACTOR, temporaryHome, thrownBy } from './temporaryHome.ts';

const PASSPHRASE = 'glacier pepper lantern owl';
const passphrase = () => Secret.fromText(PASSPHRASE);

async function ownerIn(
  home: string,
  store = createMemoryStore(),
): Promise<{ owner: OwnerKey; publicKey: string }> {
  const { publicKey } = await createOwnerKey({
    home,
    passphrase: passphrase(),
    store,
    workFactor: TEST_WORK_FACTOR,
  });
  return { owner: await openOwnerKey({ home, passphrase: passphrase() }), publicKey };
}

describe('the owner key', () => {
  it("is an age file for this user only, with its public key stored beside the wallet's secret", async () => {
    const home = join(temporaryHome(), 'new');
    const store = createMemoryStore();
    const { owner, publicKey } = await ownerIn(home, store);
    expect(owner.publicKey).toBe(publicKey);
    expect(await ownerPublicKey(store)).toBe(publicKey);
    expect(statSync(ownerKeyPath(home)).mode & 0o777).toBe(0o600);
    const decrypter = new Decrypter();
    decrypter.addPassphrase(PASSPHRASE);
    const keypair = await decrypter.decrypt(Uint8Array.from(readFileSync(ownerKeyPath(home))));
    expect(bs58.encode(ed25519.getPublicKey(keypair.slice(0, 32)))).toBe(publicKey);
  });

  it('is unknown to a store without one', async () => {
    expect(await ownerPublicKey(createMemoryStore())).toBeUndefined();
  });

  it("refuses the wallet's passphrase, as given or as the one that opens its file", async () => {
    const home = temporaryHome();
    const wallet = 'orbit velvet canyon mosaic';
    const store = createFileStore({
      home,
      env: { COUNTERSIGN_PASSPHRASE: wallet },
      workFactor: TEST_WORK_FACTOR,
    });
    await store.set('jwt', Secret.fromText('a.b.c'));
    const create = (more: object) =>
      createOwnerKey({
        home,
        passphrase: Secret.fromText(wallet),
        store,
        workFactor: TEST_WORK_FACTOR,
        ...more,
      });
    expect(await thrownBy(() => create({}))).toMatchObject({ code: 'PASSPHRASE_REUSED' });
    expect(
      await thrownBy(() => create({ passphrase: passphrase(), forbidden: [Secret.fromText(PASSPHRASE)] })),
    ).toMatchObject({ code: 'PASSPHRASE_REUSED' });
    expect(await thrownBy(() => create({ passphrase: Secret.fromText('short') }))).toMatchObject({
      code: 'WEAK_PASSPHRASE',
    });
    expect(existsSync(ownerKeyPath(home))).toBe(false);
  });

  it('reads no passphrase from the environment', async () => {
    const home = temporaryHome();
    await ownerIn(home);
    for (const name of ['COUNTERSIGN_PASSPHRASE', 'COUNTERSIGN_OWNER_PASSPHRASE'])
      vi.stubEnv(name, PASSPHRASE);
    onTestFinished(() => void vi.unstubAllEnvs());
    const open = () => openOwnerKey({ home, passphrase: Secret.fromText('') });
    expect(await thrownBy(open)).toMatchObject({ code: 'WRONG_PASSPHRASE' });
  });

  it('is removed if its public key could not be stored', async () => {
    const home = temporaryHome();
    const store = createFileStore({ home, env: {} });
    expect(await thrownBy(() => ownerIn(home, store))).toMatchObject({ code: 'KEYSTORE_LOCKED' });
    expect(existsSync(ownerKeyPath(home))).toBe(false);
  });

  it('is never overwritten', async () => {
    const home = temporaryHome();
    await ownerIn(home);
    const before = readFileSync(ownerKeyPath(home));
    expect(await thrownBy(() => ownerIn(home))).toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(ownerKeyPath(home))).toEqual(before);
  });

  it('prints its public key if the store is read-only', async () => {
    const home = temporaryHome();
    const created = await createOwnerKey({
      home,
      passphrase: passphrase(),
      store: createEnvStore({ env: {} }),
      workFactor: TEST_WORK_FACTOR,
    });
    expect(created.publicKeyStored).toBe(false);
    const store = createEnvStore({ env: { COUNTERSIGN_OWNER_PUBLIC_KEY: created.publicKey } });
    expect(await ownerPublicKey(store)).toBe(created.publicKey);
  });

  it('does not open without a key, with a wrong passphrase, from an accessible file or a damaged one', async () => {
    const home = temporaryHome();
    let time = 0;
    const open = (text = PASSPHRASE) =>
      openOwnerKey({ home, passphrase: Secret.fromText(text), now: () => time });
    expect(await thrownBy(() => open())).toMatchObject({ code: 'OWNER_KEY_MISSING' });
    await createOwnerKey({
      home,
      passphrase: passphrase(),
      store: createMemoryStore(),
      workFactor: TEST_WORK_FACTOR,
    });
    expect(await thrownBy(() => open('something else'))).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    expect(await thrownBy(() => open('something else'))).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    expect(await thrownBy(() => open())).toMatchObject({ code: 'PASSPHRASE_BACKOFF' });
    time += 60_000;
    expect((await open()).publicKey).toMatch(/^[1-9A-Za-z]{32,44}$/);
    chmodSync(ownerKeyPath(home), 0o640);
    expect(await thrownBy(() => open())).toMatchObject({ code: 'INSECURE_FILE' });
    chmodSync(ownerKeyPath(home), 0o600);
    writeFileSync(ownerKeyPath(home), 'junk');
    expect(await thrownBy(() => open())).toMatchObject({ code: 'KEYSTORE_CORRUPT' });
  });

  it('signs nothing after lock', async () => {
    const { owner } = await ownerIn(temporaryHome());
    owner.lock();
    const sign = () =>
      signOwnerStatement({ ownerKey: owner, kind: 'unfreeze', payload: {}, now: 0, ttlMs: 1 });
    expect(await thrownBy(sign)).toMatchObject({ code: 'SIGNER_LOCKED' });
  });
});

describe('an owner statement', () => {
  const payload = { envelope: 'abc', most: { SOL: '500000000' }, stages: ['LAUNCH'] };
  const now = 1_790_000_000_000;

  async function signed() {
    const { owner, publicKey } = await ownerIn(temporaryHome());
    const statement = signOwnerStatement({ ownerKey: owner, kind: 'approval', payload, now, ttlMs: 600_000 });
    const check = (changes: Partial<Parameters<typeof verifyOwnerStatement>[0]> = {}) =>
      verifyOwnerStatement({ publicKey, statement, kind: 'approval', payload, now: now + 1_000, ...changes });
    return { owner, publicKey, statement, check };
  }

  it('is valid for its key, kind, payload and time, after a JSON round trip and in another verifier too', async () => {
    const { publicKey, statement, check } = await signed();
    expect(check()).toEqual({ ok: true, statement });
    expect(check({ statement: JSON.parse(JSON.stringify(statement)) })).toEqual({ ok: true, statement });
    expect(check({ payload: { stages: ['LAUNCH'], most: { SOL: '500000000' }, envelope: 'abc' } }).ok).toBe(
      true,
    );
    expect(
      ed25519.verify(
        bs58.decode(statement.signature),
        ownerStatementBytes(statement),
        bs58.decode(publicKey),
      ),
    ).toBe(true);
    expect(new TextDecoder().decode(ownerStatementBytes(statement))).toMatch(
      /^countersign owner statement v1\n\{"expiresAt":/,
    );
  });

  it('is refused for anything else, with the reason', async () => {
    const { check, statement } = await signed();
    const other = await signed();
    const refused = (changes: Parameters<typeof check>[0]) => {
      const result = check(changes);
      return result.ok ? 'accepted' : result.reason;
    };
    expect(refused({ kind: 'unfreeze' })).toBe('other kind');
    expect(refused({ payload: { ...payload, envelope: 'abd' } })).toBe('other payload');
    expect(refused({ publicKey: other.publicKey })).toBe('other key');
    expect(refused({ statement: other.statement })).toBe('other key');
    expect(refused({ now: now + 600_000 })).toBe('expired');
    expect(refused({ now: now - 60_001 })).toBe('not yet valid');
    expect(refused({ statement: { ...statement, signature: other.statement.signature } })).toBe(
      'bad signature',
    );
    expect(refused({ statement: { ...statement, nonce: '0'.repeat(32) } })).toBe('bad signature');
    expect(refused({ statement: { ...statement, expiresAt: statement.expiresAt + 1 } })).toBe(
      'bad signature',
    );
    const forms: unknown[] = [
      undefined,
      null,
      'x',
      [],
      {},
      { ...statement, more: 1 },
      { ...statement, version: 2 },
    ];
    forms.push({ ...statement, issuedAt: '0' }, { ...statement, expiresAt: statement.issuedAt });
    forms.push(
      { ...statement, expiresAt: statement.issuedAt + 90_000_000 },
      { ...statement, nonce: 'A'.repeat(32) },
    );
    for (const form of forms) expect(refused({ statement: form })).toBe('malformed');
  });

  it('is unique, so that each can be accepted once', async () => {
    const { owner, statement } = await signed();
    const again = signOwnerStatement({ ownerKey: owner, kind: 'approval', payload, now, ttlMs: 600_000 });
    expect(again.nonce).not.toBe(statement.nonce);
  });

  it('cannot be valid for longer than a day or for no time', async () => {
    const { owner } = await signed();
    for (const ttlMs of [0, -1, Number.NaN, 86_400_001]) {
      const sign = () => signOwnerStatement({ ownerKey: owner, kind: 'policy', payload, now, ttlMs });
      expect(await thrownBy(sign)).toMatchObject({ code: 'STATEMENT_INVALID' });
    }
  });

  it('has no field that can change without invalidating the signature', async () => {
    const { check, statement } = await signed();
    const fields: (keyof OwnerStatement)[] = [
      'kind',
      'payloadSha256',
      'issuedAt',
      'expiresAt',
      'nonce',
      'publicKey',
      'signature',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...fields),
        fc.oneof(fc.string(), fc.integer(), fc.constantFrom('policy', 'unfreeze')),
        (field, value) => {
          fc.pre(statement[field] !== value);
          expect(check({ statement: { ...statement, [field]: value } }).ok).toBe(false);
        },
      ),
    );
  });
});
