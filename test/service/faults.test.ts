/** The fault matrix of the service client, F01 to F17, against a real HTTP server. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { JWT, MINT, validRequests } from '../contract/validRequests.ts';
import {
  API_KEY,
  clientFor,
  errorOf,
  everythingOf,
  type Handler,
  json,
  type LocalServer,
  ok,
  startServer,
} from './localServer.ts';

let servers: LocalServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

async function serving(handler: Handler): Promise<LocalServer> {
  const server = await startServer(handler);
  servers.push(server);
  return server;
}

/** A port on which nothing listens. */
async function closedPort(): Promise<string> {
  const server = await startServer(() => {});
  await server.close();
  return server.origin;
}

describe('the service cannot be reached', () => {
  it('F01 tries a read three times, counts each try, and says so', async () => {
    const { client, clock, taken, log } = clientFor(await closedPort());
    const error = await errorOf(client.call('launchFeed', {}));
    expect(error).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', class: 'availability', retryable: true });
    expect(taken).toEqual([1, 1, 1]);
    expect(clock.pauses).toEqual([250, 1000]);
    expect(log.map(({ outcome }) => outcome)).toEqual(['unreachable', 'unreachable', 'unreachable']);
  });

  it('F01 tells a name that does not resolve from a broken connection', async () => {
    const failing = async () => {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }),
      });
    };
    const { client } = clientFor('https://service.example', { fetch: failing });
    expect((await errorOf(client.call('launchFeed', {}))).code).toBe('UPSTREAM_UNREACHABLE');
    // Nothing was sent, so a write certainly did not happen.
    expect((await errorOf(client.call('startIncorporation', { tokenAddress: MINT }))).code).toBe(
      'UPSTREAM_UNREACHABLE',
    );
  });
});

describe('the connection breaks', () => {
  const cut: Handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"success":true,"response":[{"tokenMint":"');
    setImmediate(() => response.destroy());
  };

  it('F02 tries again and returns no part of a broken answer', async () => {
    const server = await serving(cut);
    const { client } = clientFor(server.origin);
    expect((await errorOf(client.call('launchFeed', {}))).code).toBe('UPSTREAM_TRUNCATED');
    expect(server.requests).toHaveLength(3);
  });

  it('F02 returns the answer of the try that came whole', async () => {
    const server = await serving((request, response, count) =>
      count < 3 ? cut(request, response, count) : ok(response, [{ tokenMint: MINT }]),
    );
    expect(await clientFor(server.origin).client.call('launchFeed', {})).toEqual([{ tokenMint: MINT }]);
  });

  it('F02 does not repeat a request that builds transactions', async () => {
    const server = await serving(cut);
    const error = await errorOf(clientFor(server.origin).client.call('tradeSwap', validRequests.tradeSwap));
    expect(error).toMatchObject({ code: 'UPSTREAM_TRUNCATED', retryable: true });
    expect(server.requests).toHaveLength(1);
  });
});

describe('the service is silent', () => {
  const silent: Handler = () => {};
  const dripping: Handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"success":');
  };

  it.each([
    ['headers never come', silent],
    ['the body drips', dripping],
  ])('F03 gives up at the deadline and closes the connection when %s', async (_, handler) => {
    const server = await serving(handler);
    const { client, clock } = clientFor(server.origin);
    const call = errorOf(client.call('launchFeed', {}));
    await expect.poll(() => server.requests.length).toBe(1);
    clock.advance(29_999);
    clock.advance(1);
    expect(await call).toMatchObject({ code: 'UPSTREAM_TIMEOUT', retryable: true });
    await server.hungUp;
    expect(server.requests).toHaveLength(1);
  });

  it('leaves no timer behind after an answer', async () => {
    const server = await serving((_, response) => ok(response, []));
    const { client, clock } = clientFor(server.origin);
    await client.call('launchFeed', {});
    expect(clock.pending()).toBe(0);
  });

  it('stops at once when the caller cancels', async () => {
    const server = await serving(silent);
    const { client } = clientFor(server.origin);
    const controller = new AbortController();
    const call = errorOf(client.call('launchFeed', {}, { signal: controller.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort();
    expect((await call).code).toBe('CANCELLED');
    await server.hungUp;
    expect((await errorOf(client.call('launchFeed', {}, { signal: controller.signal }))).code).toBe(
      'CANCELLED',
    );
    expect(server.requests).toHaveLength(1);
  });
});

describe('the service fails', () => {
  it.each([500, 502, 503, 504])(
    'F04 C-ERR-04 tries a read again after %d, and a build never',
    async (status) => {
      const server = await serving((_, response) =>
        json(response, status, { success: false, error: 'oops' }),
      );
      const { client } = clientFor(server.origin);
      expect(await errorOf(client.call('launchFeed', {}))).toMatchObject({
        code: 'UPSTREAM_ERROR',
        status,
        retryable: true,
      });
      expect(server.requests).toHaveLength(3);
      expect((await errorOf(client.call('tradeSwap', validRequests.tradeSwap))).code).toBe('UPSTREAM_ERROR');
      expect(server.requests).toHaveLength(4);
    },
  );

  it('F04 rests after five failed calls, then lets one success end it', async () => {
    let healthy = false;
    const server = await serving((_, response) =>
      healthy ? ok(response, { vaults: [] }) : json(response, 503, { success: false, error: 'down' }),
    );
    const { client, clock } = clientFor(server.origin);
    const build = () => client.call('claimVault', validRequests.claimVault);
    for (let i = 0; i < 5; i++) expect((await errorOf(build())).code).toBe('UPSTREAM_ERROR');
    expect(await errorOf(build())).toMatchObject({ code: 'CIRCUIT_OPEN', retryAt: clock.now() + 15_000 });
    expect(server.requests).toHaveLength(5);
    clock.advance(15_000);
    healthy = true;
    await client.call('vaultClaimables', validRequests.vaultClaimables);
    healthy = false;
    expect((await errorOf(build())).code).toBe('UPSTREAM_ERROR');
    expect((await errorOf(build())).code).toBe('UPSTREAM_ERROR');
  });
});

describe('the key', () => {
  const refuse: Handler = (_, response) =>
    json(response, 401, {
      success: false,
      error: `Invalid API key ${API_KEY}. Please check your x-api-key header.`,
    });

  it('F05 is reported refused once, without its value, and not tried again', async () => {
    const server = await serving(refuse);
    const { client } = clientFor(server.origin);
    const error = await errorOf(client.call('vaultClaimables', validRequests.vaultClaimables));
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', status: 401, retryable: false });
    expect(everythingOf(error)).not.toContain(API_KEY);
    expect(error.upstreamText).toContain('[secret]');
    expect(server.requests).toHaveLength(1);
    expect(client.keyState()).toBe('refused');
  });

  it('F06 being refused by one endpoint leaves the others working', async () => {
    const server = await serving((request, response, count) =>
      request.url.includes('/vault-claimables') ? refuse(request, response, count) : ok(response, []),
    );
    const { client } = clientFor(server.origin);
    await errorOf(client.call('vaultClaimables', validRequests.vaultClaimables));
    expect(await client.call('launchFeed', {})).toEqual([]);
    expect(await client.call('listIncorporations', {})).toEqual([]);
    expect(client.keyState()).toBe('accepted');
  });
});

describe('C-LIMIT-03 the rate limit', () => {
  const NOW = 1_800_000_000_000;
  const limited =
    (resetTime: unknown): Handler =>
    (_, response) =>
      json(response, 429, {
        success: false,
        error: 'Rate limit exceeded',
        limit: 5000,
        remaining: 0,
        resetTime,
      });

  it.each([
    ['seconds', NOW / 1000 + 120, 120_000],
    ['milliseconds', NOW + 120_000, 120_000],
    ['text', String(NOW / 1000 + 120), 120_000],
    ['the past', NOW / 1000 - 500, 1_000],
    ['a negative time', -5, 1_000],
    ['no number', 'soon', 60_000],
    ['null', null, 60_000],
    ['a year', NOW / 1000 + 31_536_000, 3_600_000],
    ['a time beyond all bounds', 1e300, 3_600_000],
  ])('F07 with a reset in %s answers later calls itself until then', async (_, resetTime, wait) => {
    const server = await serving(limited(resetTime));
    const { client, clock } = clientFor(server.origin);
    const error = await errorOf(client.call('launchFeed', {}));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', status: 429, retryAt: NOW + wait });
    expect(error.hint).toContain(`${wait / 1000} seconds`);
    clock.advance(wait - 1);
    expect((await errorOf(client.call('vaultClaimables', validRequests.vaultClaimables))).code).toBe(
      'RATE_LIMITED',
    );
    expect(server.requests).toHaveLength(1);
    expect(clock.pauses).toEqual([]);
    clock.advance(1);
    await errorOf(client.call('launchFeed', {}));
    expect(server.requests).toHaveLength(2);
  });

  it('F08 without body or headers waits a minute', async () => {
    const server = await serving((_, response) => response.writeHead(429).end());
    const { client } = clientFor(server.origin);
    expect(await errorOf(client.call('launchFeed', {}))).toMatchObject({
      code: 'RATE_LIMITED',
      retryAt: NOW + 60_000,
    });
  });

  it('F08 takes a Retry-After when that is all there is', async () => {
    const server = await serving((_, response) => response.writeHead(429, { 'retry-after': '7' }).end());
    expect((await errorOf(clientFor(server.origin).client.call('launchFeed', {}))).retryAt).toBe(NOW + 7_000);
  });

  it('C-LIMIT-04 a limit of one endpoint holds back only that endpoint', async () => {
    const server = await serving((request, response) =>
      request.url.includes('/feed')
        ? json(response, 429, {
            success: false,
            error: 'slow down',
            limit: 10,
            remaining: 0,
            resetTime: NOW / 1000 + 60,
          })
        : ok(response, { vaults: [] }),
    );
    const { client } = clientFor(server.origin);
    await errorOf(client.call('launchFeed', {}));
    expect((await errorOf(client.call('launchFeed', {}))).code).toBe('RATE_LIMITED');
    expect(await client.call('vaultClaimables', validRequests.vaultClaimables)).toEqual({ vaults: [] });
  });

  it('C-LIMIT-02 C-WIRE-02 is read from the headers of every answer', async () => {
    const server = await serving((_, response) =>
      json(
        response,
        200,
        { message: 'pong' },
        {
          'x-ratelimit-limit': '5000',
          'x-ratelimit-remaining': '4999',
          'x-ratelimit-reset': String(NOW / 1000 + 60),
        },
      ),
    );
    const { client } = clientFor(server.origin);
    expect(client.rate()).toBeUndefined();
    expect(await client.call('ping', {})).toEqual({ message: 'pong' });
    expect(client.rate()).toEqual({ limit: 5000, remaining: 4999, resetAt: NOW + 60_000 });
  });
});

describe('the answer is not what it should be', () => {
  const answering =
    (body: string | Buffer, headers: Record<string, string> = {}): Handler =>
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(body);
    };
  const feedFrom = async (handler: Handler) => {
    const server = await serving(handler);
    const result = await errorOf(clientFor(server.origin).client.call('launchFeed', {}));
    return { error: result, server };
  };

  it.each([
    [{ success: false, error: 'no luck' }, 'no luck'],
    [{ success: false, response: 'no such token' }, 'no such token'],
    [{ success: false, message: 'try later' }, 'try later'],
  ])('F09 C-ERR-01 C-ERR-02 takes 200 with success:false for an error: %j', async (body, words) => {
    const { error } = await feedFrom((_, response) => json(response, 200, body));
    expect(error).toMatchObject({ code: 'REQUEST_REFUSED', upstreamText: words });
  });

  it.each([
    ['HTML', '<html><body>Bad \u001b[31mgateway\u001b[0m</body></html>', { 'content-type': 'text/html' }],
    ['nothing', '', {}],
    ['JSON with a wrong content type', '{"success":true,"response":[]}', { 'content-type': 'text/plain' }],
    ['half a JSON', '{"success":tr', {}],
    ['an envelope without payload', '{"success":true}', {}],
    ['a bare array', '[]', {}],
  ])('F10 refuses %s and quotes at most 200 clean characters', async (_, body, headers) => {
    const { error, server } = await feedFrom(answering(body, headers));
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_BODY', retryable: false, status: 200 });
    expect(error.upstreamText ?? '').not.toContain('\u001b');
    expect(server.requests).toHaveLength(1);
  });

  it('F10 cuts what it quotes', async () => {
    const { error } = await feedFrom(answering('x'.repeat(5000), { 'content-type': 'text/html' }));
    expect(error.upstreamText).toBe('x'.repeat(200));
  });

  it('F11 stops a compressed body that grows beyond 8 MiB', async () => {
    const megabyte = gzipSync(Buffer.alloc(1024 * 1024, 0x20));
    const bomb = Buffer.concat(Array.from({ length: 200 }, () => megabyte));
    expect(bomb.length).toBeLessThan(300_000);
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 2);
    const { error } = await feedFrom(answering(bomb, { 'content-encoding': 'gzip' }));
    clearInterval(watch);
    peak = Math.max(peak, process.memoryUsage().rss);
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_BODY', message: expect.stringContaining('8 MiB') });
    expect(peak - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('F11 stops reading a body of 100 MB', async () => {
    let written = 0;
    const chunk = Buffer.alloc(256 * 1024, 0x61);
    const { error, server } = await feedFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (written < 100 * 1024 * 1024 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    expect(error.code).toBe('UPSTREAM_BAD_BODY');
    await server.hungUp;
    expect(written).toBeLessThan(40 * 1024 * 1024);
  });

  it('F11 refuses an answer nested ten thousand deep', async () => {
    const { error } = await feedFrom(
      answering(`{"success":true,"response":${'['.repeat(1e4)}${']'.repeat(1e4)}}`),
    );
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_BODY', message: expect.stringContaining('64 levels') });
  });

  it('F13 keeps fields and enum values it does not know', async () => {
    const feed = [{ tokenMint: MINT, status: 'ORBITING', brackets: '[[{{"\\"', novel: { deep: [1] } }];
    const server = await serving((_, response) => ok(response, feed));
    expect(await clientFor(server.origin).client.call('launchFeed', {})).toEqual(feed);
  });

  it('F14 names the path of a missing field', async () => {
    const { error } = await feedFrom((_, response) => ok(response, [{ tokenMint: MINT }, { mint: MINT }]));
    expect(error).toMatchObject({
      code: 'UPSTREAM_BAD_BODY',
      message: expect.stringContaining('[1].tokenMint'),
    });
  });
});

describe('redirects', () => {
  it.each([301, 302, 307, 308])(
    'F12 never follows a %d to another origin, and the key stays here',
    async (status) => {
      const elsewhere = await serving((_, response) => ok(response, { vaults: [] }));
      const server = await serving((_, response) =>
        response
          .writeHead(status, { location: `${elsewhere.origin}/api/v1/token-launch/damm-v2/vault-claimables` })
          .end(),
      );
      const { client } = clientFor(server.origin);
      const error = await errorOf(client.call('vaultClaimables', validRequests.vaultClaimables));
      expect(error).toMatchObject({ code: 'UPSTREAM_REDIRECT', class: 'security', retryable: false });
      expect(elsewhere.requests).toEqual([]);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('F12 never follows one to the same origin either', async () => {
    const server = await serving((_, response) => response.writeHead(307, { location: '/other' }).end());
    const { client } = clientFor(server.origin);
    expect((await errorOf(client.call('tradeSwap', validRequests.tradeSwap))).code).toBe('UPSTREAM_REDIRECT');
    expect(server.requests).toHaveLength(1);
  });
});

describe('C-KEY-05 writes whose outcome nobody knows', () => {
  it('F15 a key creation without an answer is not repeated and says where to look', async () => {
    const server = await serving(() => {});
    const { client, clock } = clientFor(server.origin);
    const call = errorOf(client.call('createAgentKey', { token: JWT, name: 'agent' }));
    await expect.poll(() => server.requests.length).toBe(1);
    clock.advance(30_000);
    const error = await call;
    expect(error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      retryable: false,
      hint: expect.stringMatching(/dashboard/),
    });
    expect(everythingOf(error)).not.toContain(JWT);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['the connection breaks', ((_, response) => response.destroy()) as Handler],
    [
      'the caller gets HTML',
      ((_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('sk_new_key')) as Handler,
    ],
    ['a gateway gives up', ((_, response) => json(response, 504, {})) as Handler],
    [
      'the key is missing in the answer',
      ((_, response) => ok(response, { apiKey: { keyId: 'k' } })) as Handler,
    ],
  ])('F15 a key creation is in doubt when %s, and nothing of the body is quoted', async (_, handler) => {
    const server = await serving(handler);
    const error = await errorOf(
      clientFor(server.origin).client.call('createAgentKey', { token: JWT, name: 'agent' }),
    );
    expect(error.code).toBe('OUTCOME_UNKNOWN');
    expect(everythingOf(error)).not.toContain('sk_new_key');
    expect(server.requests).toHaveLength(1);
  });

  it('F17 a started incorporation without an answer points to the list', async () => {
    const server = await serving(() => {});
    const { client, clock } = clientFor(server.origin);
    const call = errorOf(client.call('startIncorporation', { tokenAddress: MINT }));
    await expect.poll(() => server.requests.length).toBe(1);
    clock.advance(30_000);
    expect(await call).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      hint: expect.stringContaining('list_incorporations'),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('a refusal is no doubt', async () => {
    const server = await serving((_, response) =>
      json(response, 400, { success: false, error: `Invalid token ${JWT}` }),
    );
    const error = await errorOf(
      clientFor(server.origin).client.call('createAgentKey', { token: JWT, name: 'agent' }),
    );
    expect(error).toMatchObject({ code: 'REQUEST_REFUSED', upstreamText: 'Invalid token [secret]' });
    expect(everythingOf(error)).not.toContain(JWT);
  });
});
