import { request as rawRequest } from 'node:http';
import bs58 from 'bs58';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../sandbox/index.ts';
import { keypairFromSeed } from '../../../sandbox/keypair.ts';
import { mintLogin } from '../../../sandbox/service/http/accounts.ts';
import { at, Caller, text } from './support.ts';

let caller: Caller;
beforeEach(async () => {
  caller = await Caller.start();
});
afterEach(() => caller.close());

const NO_KEY = 'Invalid API key. Please check your x-api-key header.';

describe('a sandbox', () => {
  it('with the same seed has the same keys, tokens and genesis hash; without a seed it is new', async () => {
    const again = await Caller.start();
    expect(again.sandbox.wallet.address).toBe(caller.sandbox.wallet.address);
    expect(again.sandbox.genesisHash).toBe(caller.sandbox.genesisHash);
    expect(await again.token()).toBe(await caller.token());
    await again.close();
    const [one, other] = [await startSandbox({ clock: 'manual' }), await startSandbox({ clock: 'manual' })];
    expect(one.wallet.address).not.toBe(other.wallet.address);
    expect(one.genesisHash).not.toBe(other.genesisHash);
    await Promise.all([one.close(), other.close()]);
  });

  it('listens on loopback and provides a funded wallet', () => {
    expect(new URL(caller.sandbox.rootUrl).hostname).toBe('127.0.0.1');
    expect(new URL(caller.sandbox.rpcUrl).hostname).toBe('127.0.0.1');
    const { address, secretKey } = caller.sandbox.wallet;
    expect(keypairFromSeed(secretKey.slice(0, 32)).address).toBe(address);
    expect(caller.sandbox.chain.getAccount(address)?.lamports).toBe(100_000_000_000n);
  });

  it('serves its service and its RPC from the same chain', async () => {
    const response = await fetch(caller.sandbox.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getGenesisHash' }),
    });
    expect(at(await response.json(), 'result')).toBe(caller.sandbox.genesisHash);
  });
});

describe('the ping', () => {
  it('needs no key, has no envelope, and returns the rate limit in its headers only', async () => {
    const get = await caller.http('GET', '/ping', undefined, { 'x-api-key': '' });
    expect(get.status).toBe(200);
    expect(get.body).toEqual({ message: 'pong' });
    const head = await caller.http('HEAD', '/ping', undefined, { 'x-api-key': '' });
    expect(head.status).toBe(200);
    expect(head.headers.get('x-ratelimit-limit')).toBe('5000');
    expect(Number(head.headers.get('x-ratelimit-remaining'))).toBe(4998);
    expect(Number(head.headers.get('x-ratelimit-reset'))).toBeGreaterThan(1_700_000_000);
  });
});

describe('a call without a valid key', () => {
  it('is a 401 with the limit in its headers, for known and unknown paths', async () => {
    for (const path of ['/api/v1/token-launch/feed', '/api/v1/nowhere', '/api/v1/evm/rh/trades']) {
      for (const key of ['', 'sandbox_wrong']) {
        const answer = await caller.http('GET', path, undefined, { 'x-api-key': key });
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ success: false, error: NO_KEY });
        expect(answer.headers.get('x-ratelimit-limit')).toBe('5000');
      }
    }
  });
});

describe('a bad request', () => {
  it('is a 400 whose message names the field, never its value', async () => {
    const answer = await caller.post('/fee-share/config/v2', { baseMint: 'not-a-key-but-a-secret' });
    expect(answer.status).toBe(400);
    expect(answer.body.success).toBe(false);
    expect(answer.body.error).toMatch(/^baseMint: /);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('is refused for another media type, broken JSON, an array or an unknown query parameter', async () => {
    const path = '/api/v1/fee-share/config/v2';
    expect((await caller.http('POST', path, {}, { 'content-type': 'text/plain' })).status).toBe(400);
    const broken = await fetch(`${caller.sandbox.rootUrl}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': caller.sandbox.apiKey, 'content-type': 'application/json' },
      body: '{"baseMint":',
    });
    expect(broken.status).toBe(400);
    expect((await caller.http('POST', path, [])).status).toBe(400);
    expect((await caller.get('/token-launch/damm-v2/supported-quote-tokens?flow=dbc')).status).toBe(400);
  });

  it('has the other error shape on EVM reads', async () => {
    const answer = await caller.get('/evm/rh/trades?tokenAddress=0x12');
    expect(answer.status).toBe(400);
    expect(typeof answer.body.response).toBe('string');
    expect(answer.body).not.toHaveProperty('error');
  });

  it('has status 404 for an unknown path', async () => {
    const answer = await caller.get('/nowhere');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ success: false, error: 'Not found' });
  });
});

describe('the rate limit', () => {
  it('C-LIMIT-01 counts an account over all its keys and expires requests after an hour', async () => {
    const second = text(
      await caller.ok(caller.post('/agent/dev/keys/create', { token: caller.sandbox.jwt, name: 'second' })),
      'apiKey.key',
    );
    await caller.control('rate-limit', { subject: second, remaining: 2 });
    expect((await caller.get('/token-launch/feed')).headers.get('x-ratelimit-remaining')).toBe('1');
    const last = await caller.http('GET', '/api/v1/token-launch/feed', undefined, { 'x-api-key': second });
    expect(last.headers.get('x-ratelimit-remaining')).toBe('0');
    const refused = await caller.get('/token-launch/feed');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      success: false,
      error: 'Rate limit exceeded',
      limit: 5000,
      remaining: 0,
      resetTime: Number(refused.headers.get('x-ratelimit-reset')),
    });
    caller.sandbox.advanceSlots(9_001);
    expect((await caller.get('/token-launch/feed')).status).toBe(200);
  });

  it('counts an address without any key', async () => {
    await caller.control('rate-limit', { subject: '127.0.0.1', remaining: 1 });
    expect((await caller.http('GET', '/ping', undefined, { 'x-api-key': '' })).status).toBe(200);
    expect((await caller.http('GET', '/ping', undefined, { 'x-api-key': '' })).status).toBe(429);
  });
});

describe('keys', () => {
  const create = (token: string, name = 'a key') => caller.post('/agent/dev/keys/create', { token, name });

  it('C-AUTH-05 C-KEY-01 C-KEY-04 come from a login and work at once', async () => {
    const answer = await caller.ok(create(caller.sandbox.jwt, 'my agent'));
    expect(at(answer, 'apiKey.name')).toBe('my agent');
    expect(at(answer, 'apiKey.status')).toBe('active');
    expect(text(answer, 'apiKey.keyId')).toMatch(/^[0-9a-f-]{36}$/);
    const feed = await caller.http('GET', '/api/v1/token-launch/feed', undefined, {
      'x-api-key': text(answer, 'apiKey.key'),
    });
    expect(feed.status).toBe(200);
  });

  it('are refused for an expired or modified login, or one of another sandbox', async () => {
    const { service } = caller.sandbox;
    const user = { userId: 'sandbox-user', name: 'x' };
    const year = 366 * 24 * 3600 * 1000;
    const other = await startSandbox({ clock: 'manual' });
    const [head, , signature] = caller.sandbox.jwt.split('.');
    const body = Buffer.from(JSON.stringify({ sub: 'sandbox-user', exp: 9_999_999_999 })).toString(
      'base64url',
    );
    for (const token of [
      await mintLogin(service.loginSecret, user, service.now() - year),
      `${head}.${body}.${signature}`,
      other.jwt,
    ]) {
      const answer = await create(token);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toBe('Invalid token');
    }
    await other.close();
  });

  it('are limited in number and in name', async () => {
    expect((await create(caller.sandbox.jwt, 'n'.repeat(256))).status).toBe(400);
    for (let held = 1; held < 10; held += 1) await caller.ok(create(caller.sandbox.jwt));
    const answer = await create(caller.sandbox.jwt);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('You have reached the maximum number of API keys');
  });

  it('C-AUTH-06 C-AUTH-07 are issued for a wallet signature on the deployment with that login', async () => {
    expect(
      (await caller.post('/agent/v2/auth/init', { address: caller.sandbox.wallet.address })).status,
    ).toBe(404);
    const bags = await Caller.start({ profile: 'bags' });
    const { address, secretKey } = bags.sandbox.wallet;
    const { message, nonce } = Object(await bags.ok(bags.post('/agent/v2/auth/init', { address })));
    const signature = bs58.encode(keypairFromSeed(secretKey.slice(0, 32)).sign(bs58.decode(message)));
    const body = { signature, address, nonce, keyName: 'wallet login' };
    const answer = await bags.ok(bags.post('/agent/v2/auth/callback', body));
    expect(text(answer, 'apiKey').length).toBeGreaterThan(20);
    expect((await bags.post('/agent/v2/auth/callback', body)).status).toBe(400);
    await bags.close();
  });
});

describe('create-token-info', () => {
  const PATH = '/api/v1/token-launch/create-token-info';
  const form = (fields: Record<string, string | Blob>) => {
    const data = new FormData();
    for (const [key, value] of Object.entries(fields)) data.set(key, value);
    return data;
  };
  const good = { name: 'Name', symbol: 'SYM', description: 'text', imageUrl: 'https://example.com/a.png' };

  it('C-INFO-01 C-INFO-02 registers a token that is not launched yet', async () => {
    const answer = await caller.ok(caller.http('POST', PATH, form(good)));
    expect(at(answer, 'tokenLaunch.status')).toBe('PRE_LAUNCH');
    expect(at(answer, 'tokenLaunch.launchSignature')).toBeNull();
    expect(text(answer, 'tokenMetadata')).toMatch(/^ipfs:\/\//);
    expect(caller.sandbox.chain.getAccount(text(answer, 'tokenMint'))).toBeNull();
  });

  it('C-INFO-03 accepts an image as bytes, or prepared metadata', async () => {
    const { imageUrl: _, ...rest } = good;
    const image = new Blob([new Uint8Array(100)], { type: 'image/png' });
    expect((await caller.http('POST', PATH, form({ ...rest, image }))).status).toBe(200);
    const metadataUrl = 'https://example.com/ready.json';
    const ready = await caller.ok(caller.http('POST', PATH, form({ ...rest, metadataUrl })));
    expect(at(ready, 'tokenMetadata')).toBe(metadataUrl);
  });

  it('refuses an image of 15 MB, two images, a long name, an unknown field, JSON', async () => {
    const { imageUrl: _, ...rest } = good;
    const big = new Blob([new Uint8Array(15 * 1024 * 1024)], { type: 'image/png' });
    const answer = await caller.http('POST', PATH, form({ ...rest, image: big }));
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('Image file must be under 15MB');
    const small = new Blob([new Uint8Array(10)], { type: 'image/png' });
    expect((await caller.http('POST', PATH, form({ ...good, image: small }))).status).toBe(400);
    expect((await caller.http('POST', PATH, form({ ...good, name: 'n'.repeat(33) }))).status).toBe(400);
    expect((await caller.http('POST', PATH, form({ ...good, surprise: 'x' }))).status).toBe(400);
    expect((await caller.http('POST', PATH, good)).status).toBe(400);
  });
});

describe('a custom hook', () => {
  it('receives the request and replaces the response before it is sent', async () => {
    const hooked = await Caller.start({
      hostile: (endpoint, answer, { request }) =>
        endpoint === 'supportedQuoteTokens' ? { tokens: [], asked: request } : answer,
    });
    const answer = await hooked.ok(hooked.get('/token-launch/supported-quote-tokens?flow=dbc'));
    expect(answer).toEqual({ tokens: [], asked: { flow: 'dbc' } });
    expect((await hooked.get('/token-launch/feed')).status).toBe(200);
    await hooked.close();
  });
});

describe('the sandbox controls', () => {
  it('accept JSON only, so that no web page can post to them, and send no CORS headers', async () => {
    const answer = await caller.http(
      'POST',
      '/sandbox/advance-slots',
      { slots: 1 },
      { 'content-type': 'text/plain' },
    );
    expect(answer.status).toBe(400);
    const slot = caller.sandbox.chain.slot;
    await caller.ok(caller.control('advance-slots', { slots: 3 }));
    expect(caller.sandbox.chain.slot).toBe(slot + 3);
    const feed = await caller.http('GET', '/api/v1/token-launch/feed', undefined, {
      origin: 'https://evil.example',
    });
    expect([...feed.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('are refused if the request names another host', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(caller.sandbox.rootUrl);
      const sent = rawRequest(
        {
          hostname,
          port,
          path: '/sandbox/advance-slots',
          method: 'POST',
          headers: { host: 'evil.example', 'content-type': 'application/json' },
        },
        (response) => resolve(response.statusCode ?? 0),
      );
      sent.on('error', reject);
      sent.end('{"slots":1}');
    });
    expect(status).toBe(403);
  });
});
