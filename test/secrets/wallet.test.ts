import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { createKeypair, createSigner, importKeypairFile, openWallet } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createFileStore, secretFilePath } from '../../src/secrets/stores/fileStore.ts';
import { createMemoryStore } from '../../src/secrets/stores/store.ts';
import { TEST_WORK_FACTOR, temporaryHome, thrownBy } from './temporaryHome.ts';

const message = new TextEncoder().encode('a transaction message');
const permitFor = (bytes: Uint8Array) => ({
  messageSha256: createHash('sha256').update(bytes).digest('hex'),
  decisionId: 'decision-1',
});

function keypairFile(content: string | Uint8Array, mode = 0o600): string {
  const path = join(temporaryHome(), 'id.json');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe('importing a keypair file (B75)', () => {
  it('accepts what solana-keygen writes and derives the same address as other tools', () => {
    const keypair = Keypair.generate();
    for (const indent of [undefined, 2]) {
      const imported = importKeypairFile(keypairFile(JSON.stringify([...keypair.secretKey], null, indent)));
      expect(imported.address).toBe(keypair.publicKey.toBase58());
      expect(imported.secret.exposeBytes()).toEqual(Uint8Array.from(keypair.secretKey));
    }
  });

  const { secretKey } = Keypair.generate();
  const foreignPublicKey = [...secretKey.slice(0, 32), ...Keypair.generate().publicKey.toBytes()];
  const mnemonic = 'abandon ability able about above absent absorb abstract absurd abuse access accident';
  const refused: [string, string, RegExp][] = [
    ['a 32-byte seed', JSON.stringify([...secretKey.slice(0, 32)]), /32-byte seed/],
    [
      'a public key that is not the derived one',
      JSON.stringify(foreignPublicKey),
      /does not match its private key/,
    ],
    ['65 bytes', JSON.stringify([...secretKey, 0]), /this has 65/],
    ['63 bytes', JSON.stringify([...secretKey.slice(0, 63)]), /this has 63/],
    ['no bytes', '[]', /this has 0/],
    ['a mnemonic', mnemonic, /mnemonic/],
    ['a mnemonic on lines', mnemonic.replaceAll(' ', '\n'), /mnemonic/],
    ['a base58 key', bs58.encode(secretKey), /base58 or hex/],
    ['a hex key', Buffer.from(secretKey).toString('hex'), /base58 or hex/],
    ['an object', JSON.stringify({ secretKey: [...secretKey] }), /not a keypair file/],
    ['numbers over 255', JSON.stringify([...secretKey.slice(0, 63), 256]), /not a keypair file/],
    ['text after the array', `${JSON.stringify([...secretKey])} x`, /not a keypair file/],
    ['an empty file', '', /not a keypair file/],
  ];
  for (const [name, content, sentence] of refused) {
    it(`B75 refuses ${name} with the reason and repeats none of it`, async () => {
      const error = await thrownBy(() => importKeypairFile(keypairFile(content)));
      expect(error).toMatchObject({
        code: 'INVALID_KEY',
        message: expect.stringMatching(sentence),
        hint: expect.stringContaining('countersign wallet import FILE'),
      });
      for (const piece of content.split(/[\s,[\]]+/).filter((word) => word.length > 7)) {
        expect(String(error)).not.toContain(piece);
      }
    });
  }

  it("refuses a file that others can read, a link, another user's file and a missing file", async () => {
    const content = JSON.stringify([...secretKey]);
    for (const mode of [0o644, 0o640, 0o602, 0o610]) {
      expect(await thrownBy(() => importKeypairFile(keypairFile(content, mode)))).toMatchObject({
        code: 'INSECURE_FILE',
        hint: expect.stringContaining('chmod 600'),
      });
    }
    const path = keypairFile(content);
    symlinkSync(path, `${path}.link`);
    expect(await thrownBy(() => importKeypairFile(`${path}.link`))).toMatchObject({ code: 'INSECURE_FILE' });
    expect(await thrownBy(() => importKeypairFile(path, statSync(path).uid + 1))).toMatchObject({
      code: 'INSECURE_FILE',
    });
    expect(await thrownBy(() => importKeypairFile(`${path}.none`))).toMatchObject({ code: 'FILE_MISSING' });
  });

  it('leaves the file unchanged', () => {
    const content = JSON.stringify([...secretKey]);
    const path = keypairFile(content);
    importKeypairFile(path).secret.wipe();
    expect(readFileSync(path, 'utf8')).toBe(content);
  });
});

describe('signing', () => {
  it('produces signatures that other Ed25519 implementations accept', () => {
    const { address, secret } = createKeypair();
    const signer = createSigner(secret);
    expect(signer.address).toBe(address);
    const signature = signer.sign(message, permitFor(message));
    expect(signature).toHaveLength(64);
    expect(ed25519.verify(signature, message, bs58.decode(address))).toBe(true);
  });

  it('generates a different key each time, consistent with other tools', () => {
    const [one, two] = [createKeypair(), createKeypair()];
    expect(one.address).not.toBe(two.address);
    expect(Keypair.fromSecretKey(Uint8Array.from(one.secret.exposeBytes())).publicKey.toBase58()).toBe(
      one.address,
    );
  });

  it('refuses a message other than the permitted one, and a permit without a decision', async () => {
    const signer = createSigner(createKeypair().secret);
    const other = Uint8Array.of(...message, 0);
    const refusals = [
      () => signer.sign(other, permitFor(message)),
      () => signer.sign(message, { ...permitFor(message), decisionId: '' }),
      () => signer.sign(message, { ...permitFor(message), messageSha256: '' }),
      () =>
        signer.sign(message, {
          ...permitFor(message),
          messageSha256: permitFor(message).messageSha256.toUpperCase(),
        }),
    ];
    for (const refusal of refusals)
      expect(await thrownBy(refusal)).toMatchObject({ code: 'PERMIT_MISMATCH', class: 'security' });
  });

  it('B75 wipes its input secret, even if that is not a key', async () => {
    const { secret } = createKeypair();
    const live = secret.exposeBytes();
    createSigner(secret);
    expect(secret.wiped).toBe(true);
    expect(live.every((value) => value === 0)).toBe(true);
    const wrong = Secret.fromBytes(new Uint8Array(64).fill(7));
    expect(await thrownBy(() => createSigner(wrong))).toMatchObject({ code: 'INVALID_KEY' });
    expect(wrong.wiped).toBe(true);
  });

  it('is refused after the wallet is locked', async () => {
    const signer = createSigner(createKeypair().secret);
    signer.lock();
    signer.lock();
    expect(signer.locked).toBe(true);
    expect(await thrownBy(() => signer.sign(message, permitFor(message)))).toMatchObject({
      code: 'SIGNER_LOCKED',
    });
  });
});

describe('a wallet kept in a store', () => {
  const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };

  it('refuses the next signature once the secret file was opened to others (F51)', async () => {
    const home = temporaryHome();
    const store = createFileStore({ home, env, workFactor: TEST_WORK_FACTOR });
    const { address, secret } = createKeypair();
    await store.set(`wallet:${address}`, secret);
    const signer = await openWallet(store, address);
    expect(signer?.sign(message, permitFor(message))).toHaveLength(64);
    chmodSync(secretFilePath(home), 0o644);
    expect(await thrownBy(() => signer?.sign(message, permitFor(message)))).toMatchObject({
      code: 'INSECURE_FILE',
    });
    chmodSync(secretFilePath(home), 0o600);
    expect(await thrownBy(() => signer?.sign(message, permitFor(message)))).toMatchObject({
      code: 'INSECURE_FILE',
    });
  });

  it('refuses the next signature once the secret file was replaced (F51)', async () => {
    const home = temporaryHome();
    const store = createFileStore({ home, env, workFactor: TEST_WORK_FACTOR });
    const { address, secret } = createKeypair();
    await store.set(`wallet:${address}`, secret);
    const signer = await openWallet(store, address);
    const path = secretFilePath(home);
    writeFileSync(path, readFileSync(path), { mode: 0o600 });
    expect(await thrownBy(() => signer?.sign(message, permitFor(message)))).toMatchObject({
      code: 'KEYSTORE_CHANGED',
      hint: expect.stringContaining('countersign serve'),
    });
  });

  it('is undefined if missing, and refused if the stored key has another address', async () => {
    const store = createMemoryStore();
    const { address } = createKeypair();
    expect(await openWallet(store, address)).toBeUndefined();
    await store.set(`wallet:${address}`, createKeypair().secret);
    expect(await thrownBy(() => openWallet(store, address))).toMatchObject({ code: 'INVALID_KEY' });
  });
});
