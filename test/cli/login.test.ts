/** `countersign login`: by token and by wallet signature, against the sandbox's service and against hostile ones. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loginCommand } from '../../src/cli/keys/login.ts';
import { walletCommand } from '../../src/cli/keys/wallet.ts';
import { looksLikeTransaction } from '../../src/cli/keys/walletSignature.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import { signLoginChallenge } from '../../src/secrets/keys/walletLogin.ts';
import { openStore } from '../../src/secrets/stores/chooseStore.ts';
import { createMemoryStore, secretNames } from '../../src/secrets/stores/store.ts';
import { type SandboxProcess, startSandbox } from '../e2e/harness.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { type Ran, run } from './terminal.ts';

const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };
const keyOf = async (home: string, rootUrl: string): Promise<string | undefined> =>
  (await openStore({ home, env, rootUrl }).get(secretNames.apiKey(rootUrl)))?.expose();

async function homeWithWallet(): Promise<{ home: string; address: string }> {
  const home = temporaryHome();
  const made = await run(walletCommand, { home, words: ['create'], env });
  expect(made.code).toBe(0);
  return { home, address: made.out };
}

/** Starts a service with the test's login answers. */
async function hostile(answers: (path: string, address: string) => unknown): Promise<string> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      const fields: { address?: string } = JSON.parse(body);
      response.end(
        JSON.stringify({ success: true, response: answers(request.url ?? '', fields.address ?? '') }),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address() as AddressInfo; // listening on a port, never a pipe
  return `http://127.0.0.1:${address.port}`;
}

describe('countersign login signature', () => {
  let sandbox: SandboxProcess;
  beforeAll(async () => {
    sandbox = await startSandbox(['--profile', 'bags']);
  });
  afterAll(() => sandbox.stop());

  const login = (home: string, rootUrl: string, options = {}, typed: string[] = ['yes']): Promise<Ran> =>
    run(loginCommand, {
      home,
      env,
      words: ['signature'],
      typed,
      options: { profile: 'bags', 'root-url': rootUrl, ...options },
    });

  it('shows the challenge, signs it, and stores a key the service accepts; a second login replaces the key', async () => {
    const { home, address } = await homeWithWallet();
    const first = await login(home, sandbox.rootUrl);
    expect(first.error).toBeUndefined();
    expect(first.err).toContain(`asks for a signature of ${address} over this text:`);
    expect(first.prompts).toEqual(['Type yes to sign it:']);
    expect(first.err).toContain(`| Wallet: ${address}`);
    expect(first.err).toContain('countersign policy init');
    const key = await keyOf(home, sandbox.rootUrl);
    const read = await fetch(`${sandbox.rootUrl}/api/v1/token-launch/feed`, {
      headers: { 'x-api-key': key ?? '' },
    });
    expect(read.status).toBe(200);
    expect(`${first.out}${first.err}`).not.toContain(key);

    const second = await login(home, sandbox.rootUrl);
    expect(second.error).toBeUndefined();
    expect(second.err).toContain('It replaces the previous key');
    const renewed = await keyOf(home, sandbox.rootUrl);
    expect(renewed).toBeDefined();
    expect(renewed).not.toBe(key);
  });

  it('signs no text before the user has read all of it and agreed: it may be the login to another site (T201)', async () => {
    const { home } = await homeWithWallet();
    const text = `exchange.example wants you to sign in with your Solana account\n${'a'.repeat(300)}\nI agree to withdraw.`;
    const signatures: string[] = [];
    const rootUrl = await hostile((path) => {
      if (path.endsWith('/callback')) signatures.push(path);
      return { message: bs58.encode(Buffer.from(text)), nonce: 'n', apiKey: 'key-of-the-service-1' };
    });
    const denied = await login(home, rootUrl, {}, ['no']);
    expect(denied.error).toMatchObject({ message: 'Nothing was signed.' });
    for (const line of text.split('\n')) expect(denied.err).toContain(`  | ${line}\n`);
    const alone = await run(loginCommand, {
      home,
      env,
      words: ['signature'],
      options: { profile: 'bags', 'root-url': rootUrl },
    });
    expect(alone.error).toMatchObject({ message: expect.stringContaining('no terminal') });
    expect(signatures).toEqual([]);
    expect(await keyOf(home, rootUrl)).toBeUndefined();
    expect((await login(home, rootUrl)).code).toBe(0);
    expect(signatures).toHaveLength(1);
  });

  it('is unavailable in the contract profile and names the alternative', async () => {
    const { home } = await homeWithWallet();
    const { error } = await login(home, sandbox.rootUrl, { profile: 'contract' });
    expect(error).toMatchObject({
      message: 'The service profile "contract" has no login by wallet signature.',
      hint: expect.stringContaining('--profile bags'),
    });
  });

  it('refuses a challenge that is a transaction, in every encoding, before signing', async () => {
    const { home, address } = await homeWithWallet();
    const from = new PublicKey(address);
    const transfer = new Transaction({ feePayer: from, recentBlockhash: PublicKey.unique().toBase58() }).add(
      SystemProgram.transfer({ fromPubkey: from, toPubkey: PublicKey.unique(), lamports: 5 }),
    );
    const message = transfer.serializeMessage();
    const wire = transfer.serialize({ requireAllSignatures: false });
    const forms = [
      message,
      wire,
      Buffer.from(message.toString('base64')),
      Buffer.from(bs58.encode(message)),
      // A header rejected by strict parsers is not text either.
      Buffer.concat([message, Buffer.from([7])]),
      Buffer.concat([Buffer.from([0x85]), message]),
    ];
    let callbacks = 0;
    const rootUrl = await hostile((path) => {
      if (path.endsWith('/callback')) callbacks += 1;
      return { message: bs58.encode(message), nonce: 'n', apiKey: 'stolen-key-1' };
    });
    expect((await login(home, rootUrl)).error).toMatchObject({ code: 'CHALLENGE_REFUSED' });
    expect(callbacks).toBe(0);

    const opened: string[] = [];
    const store = { ...createMemoryStore(), get: async (name: string) => void opened.push(name) };
    const agree = async (text: string) => void opened.push(text);
    for (const challenge of forms) {
      await expect(
        signLoginChallenge({ store, address, challenge, looksLikeTransaction, agree }),
      ).rejects.toMatchObject({ code: 'CHALLENGE_REFUSED' });
    }
    expect(opened).toEqual([]);
  });

  it('reports a required second factor and a missing key', async () => {
    const { home } = await homeWithWallet();
    const challenge = { message: bs58.encode(Buffer.from('Log in\nnonce 1')), nonce: 'n' };
    const factor = await hostile((path) => (path.endsWith('/init') ? challenge : { mfaRequired: true }));
    expect((await login(home, factor)).error).toMatchObject({
      message: expect.stringContaining('second factor'),
      hint: expect.stringContaining('countersign login'),
    });
    const nothing = await hostile((path) => (path.endsWith('/init') ? challenge : {}));
    expect((await login(home, nothing)).error).toMatchObject({ message: 'The service gave no API key.' });
  });

  it('detects a message of each format and accepts text and nonces', () => {
    const payer = Keypair.generate().publicKey;
    const legacy = new Transaction({ feePayer: payer, recentBlockhash: PublicKey.unique().toBase58() }).add(
      SystemProgram.transfer({ fromPubkey: payer, toPubkey: PublicKey.unique(), lamports: 1 }),
    );
    const message = Uint8Array.from(legacy.serializeMessage());
    expect(looksLikeTransaction(message)).toBe(true);
    expect(looksLikeTransaction(Uint8Array.from([0x80, ...message, 0]))).toBe(true);
    expect(looksLikeTransaction(new TextEncoder().encode('Sign in to example.org\nNonce: 8c1f'))).toBe(false);
    expect(looksLikeTransaction(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(false);
  });
});

describe('countersign login with a token', () => {
  it('shows the id of a key without the control characters that a service put into it (T201)', async () => {
    const { home } = await homeWithWallet();
    const keyId = '\u001b[2J\u001b]8;;http://evil.example\u0007 k-1\u202e\rNext: \u009b8m';
    const rootUrl = await hostile(() => ({ apiKey: { key: 'key-of-the-service-1', keyId } }));
    const [out, err] = [new PassThrough(), new PassThrough()];
    const streams = { in: process.stdin, out, err } as unknown as Parameters<typeof createTerminal>[0];
    const token = ['{"alg":"HS256"}', '{}', 'x'].map((part) => Buffer.from(part).toString('base64url'));
    const code = await loginCommand({
      ...{ home, words: [], options: { 'root-url': rootUrl }, script: 'countersign' },
      env: { ...env, COUNTERSIGN_JWT: token.join('.') },
      terminal: createTerminal(streams),
    });
    expect(code).toBe(0);
    const shown = String(out.read());
    expect(shown).toContain('k-1Next: 8m');
    expect(shown).not.toMatch(/[\p{Cc}\p{Bidi_Control}](?<!\n)/u);
    expect(await keyOf(home, rootUrl)).toBe('key-of-the-service-1');
  });

  it('replaces the service key, and reports a missing token file', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const { home } = await homeWithWallet();
    const options = { 'root-url': sandbox.rootUrl };
    const withToken = { ...env, COUNTERSIGN_JWT: sandbox.jwt };
    expect((await run(loginCommand, { home, env: withToken, options })).code).toBe(0);
    const first = await keyOf(home, sandbox.rootUrl);
    const again = await run(loginCommand, { home, env: withToken, options });
    expect(again.err).toContain('It replaces the previous key');
    expect(await keyOf(home, sandbox.rootUrl)).not.toBe(first);
    const missing = await run(loginCommand, { home, env, words: ['/no/such'], options });
    expect(missing.error).toMatchObject({ message: 'The token file /no/such cannot be read.' });
  });
});
