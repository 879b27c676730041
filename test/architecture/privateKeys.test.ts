/** Lists every use of private keys in the sources by name. A new use fails here and requires review. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { importsBelow } from './imports.ts';

const imports = importsBelow(process.cwd(), ['src', 'tools', 'sandbox']);
const files = [...new Set(imports.map(({ from }) => from))].sort();
/** The sandbox's chain and service have keys of their own. */
const isEmbedded = (file: string): boolean => /^sandbox\/(?!attacks\/|demo\/)/.test(file);
const ours = files.filter((file) => !isEmbedded(file));
const source = (file: string): string => readFileSync(file, 'utf8');

/** Returns a file's code without comments. */
const code = (file: string): string => source(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** Returns the files that use a name, except the one that defines it. */
const users = (name: string, definedIn: string): string[] =>
  ours.filter((file) => file !== definedIn && new RegExp(`\\b${name}\\b`).test(code(file)));

describe('private key paths', () => {
  test('are searched for in all source files', () => {
    expect(ours.length).toBeGreaterThan(250);
    expect(ours).toContain('src/secrets/keys/wallet.ts');
  });

  test('go through node:crypto in one file, besides the embedded sandbox', () => {
    const makers = files.filter((file) =>
      /\b(createPrivateKey|generateKeyPair|generateKeyPairSync|createSign|diffieHellman)\b|[{,]\s*sign\s*[,}][^;]*'node:crypto'/.test(
        code(file),
      ),
    );
    expect(makers.filter((file) => !isEmbedded(file))).toEqual([
      // Signs everything, with its own key in the demo's sandbox.
      'sandbox/demo/blindSigner.ts',
      // Generates third-party addresses in the demo; their private keys are discarded.
      'sandbox/demo/configSteps.ts',
      'src/secrets/keys/ed25519.ts',
    ]);
    expect(code('sandbox/demo/configSteps.ts')).not.toContain('privateKey');
  });

  test('use no other signing library', () => {
    const signing = /^(@noble\/(curves|ed25519)|tweetnacl|@solana\/(kit|keys|signers|web3\.js)|viem)(\/|$)/;
    const found = imports.filter(
      ({ from, to, kind }) => ours.includes(from) && signing.test(to) && kind !== 'type',
    );
    // Codecs, curve points and checksums; no signing.
    expect(found.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      'src/service/eip55.ts → viem/utils',
      'src/transaction/derive.ts → @noble/curves/ed25519.js',
      'tools/evm/address.ts → viem/utils',
      'sandbox/attacks/service/answers.ts → @solana/kit',
      'sandbox/attacks/world/landing.ts → @solana/kit',
    ]);
    const keyed = /\bsign(Bytes|Transaction\w*|Message\w*)\(|secretKey|privateKey|KeyPair/i;
    expect(found.map(({ from }) => from).filter((file) => keyed.test(code(file)))).toEqual([]);
  });

  test('open a key in three files and sign in three places, each marked', () => {
    expect(users('openPrivateKey', 'src/secrets/keys/ed25519.ts')).toEqual([
      'src/secrets/keys/keypairFile.ts',
      'src/secrets/keys/ownerKey.ts',
      'src/secrets/keys/wallet.ts',
    ]);
    expect(users('openKeypair', 'src/secrets/keys/keypairFile.ts')).toEqual([
      'src/secrets/keys/ownerKey.ts',
      'src/secrets/keys/wallet.ts',
      'src/secrets/keys/walletLogin.ts',
    ]);
    const signing = ours.filter(
      (file) => file !== 'src/secrets/keys/ed25519.ts' && /\bsignWith\b/.test(code(file)),
    );
    expect(signing).toEqual([
      'src/secrets/keys/ownerKey.ts',
      'src/secrets/keys/wallet.ts',
      'src/secrets/keys/walletLogin.ts',
    ]);
    for (const file of signing) {
      const uses = code(file).match(/\bsignWith\(/g) ?? [];
      const marks = source(file).match(/\/\/ PrivateKeyUse: /g) ?? [];
      expect(`${file}: ${marks.length} marks`).toBe(`${file}: ${uses.length} marks`);
    }
  });

  test('reach wallet signing from the two backends, and the login signature from the login command only', () => {
    expect(users('createSigner', 'src/secrets/keys/wallet.ts')).toEqual([
      'src/runtime/backends/sandboxBackend.ts',
    ]);
    expect(users('openWallet', 'src/secrets/keys/wallet.ts')).toEqual([
      'src/runtime/backends/liveBackend.ts',
    ]);
    expect(users('signLoginChallenge', 'src/secrets/keys/walletLogin.ts')).toEqual([
      'src/cli/keys/walletSignature.ts',
    ]);
    expect(users('loginWithWallet', 'src/cli/keys/walletSignature.ts')).toEqual(['src/cli/keys/login.ts']);
  });

  test('reach the owner key only in answer commands', () => {
    expect(users('openOwnerKey', 'src/secrets/keys/ownerKey.ts')).toEqual([
      'src/answering/answering.ts',
      // `owner show` prints the public half of a key file, with the passphrase.
      'src/cli/keys/owner.ts',
    ]);
    expect(users('createOwnerKey', 'src/secrets/keys/ownerKey.ts')).toEqual(['src/cli/keys/owner.ts']);
  });

  test('read key bytes from a file or a store in few places', () => {
    expect(users('importKeypairFile', 'src/secrets/keys/keypairFile.ts')).toEqual([
      'src/cli/keys/wallet.ts',
      'src/secrets/keys/wallet.ts',
      'src/secrets/stores/envStore.ts',
    ]);
    // A store's `get` with a wallet's name; the listings of wallets use the bare prefix.
    const named = ours.filter((file) => /\.get\(secretNames\.wallet\(/.test(code(file)));
    expect(named).toEqual(['src/secrets/keys/wallet.ts', 'src/secrets/keys/walletLogin.ts']);
    expect(users('exposeBytes', 'src/secrets/secret.ts')).toEqual([
      // Derives the key that seals the ledger's checkpoint; signs nothing.
      'src/runtime/backends/checkpointKeeper.ts',
      'src/secrets/keys/wallet.ts',
      'src/secrets/keys/walletLogin.ts',
      'src/secrets/redaction/redact.ts',
      'src/secrets/stores/fileFormat.ts',
      'src/secrets/stores/keychainStore.ts',
      // Seals the API key that a tool created.
      'src/secrets/stores/sealedKey.ts',
    ]);
  });

  test('begin in no tool and in no module that tools or the server import', () => {
    const next = new Map<string, string[]>();
    for (const { from, to, kind } of imports) {
      if (kind !== 'type') next.set(from, [...(next.get(from) ?? []), to]);
    }
    const reached = new Set<string>();
    const follow = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const to of next.get(file) ?? []) follow(to);
    };
    for (const file of files) {
      if (file.startsWith('tools/') || file.startsWith('src/server/') || file.startsWith('src/execution/'))
        follow(file);
    }
    const keyed = ['wallet', 'walletLogin', 'keypairFile'].map((name) => `src/secrets/${name}.ts`);
    expect(keyed.filter((file) => reached.has(file))).toEqual([]);
  });
});
