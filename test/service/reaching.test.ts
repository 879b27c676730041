/** An unreachable, disconnecting, silent or failing service: F01 to F04, against a real HTTP server. */
import { describe, expect, it } from 'vitest';
import { MINT, validRequests } from '../contract/validRequests.ts';
import { clientFor, errorOf, type Handler, json, ok, serving, startServer } from './localServer.ts';

/** Returns an unused port. */
async function closedPort(): Promise<string> {
  const server = await startServer(() => {});
  await server.close();
  return server.origin;
}

describe('an unreachable service', () => {
  it('F01 is tried three times for a read, each counted, and reported', async () => {
    const { client, clock, taken } = clientFor(await closedPort());
    const error = await errorOf(client.call('launchFeed', {}));
    expect(error).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', class: 'availability', retryable: true });
    expect(taken).toEqual([1, 1, 1]);
    expect(clock.pauses).toEqual([250, 1000]);
  });

  it('F01 distinguishes an unresolved name from a broken connection', async () => {
    const failing = async () => {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }),
      });
    };
    const { client } = clientFor('https://service.example', { fetch: failing });
    expect((await errorOf(client.call('launchFeed', {}))).code).toBe('UPSTREAM_UNREACHABLE');
    // Nothing was sent, so a write cannot have happened.
    expect((await errorOf(client.call('startIncorporation', { tokenAddress: MINT }))).code).toBe(
      'UPSTREAM_UNREACHABLE',
    );
  });
});

describe('a broken connection', () => {
  const cut: Handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"success":true,"response":[{"tokenMint":"');
    setImmediate(() => response.destroy());
  };

  it('F02 is retried and yields no part of a broken answer', async () => {
    const server = await serving(cut);
    const { client } = clientFor(server.origin);
    expect((await errorOf(client.call('launchFeed', {}))).code).toBe('UPSTREAM_TRUNCATED');
    expect(server.requests).toHaveLength(3);
  });

  it('F02 yields the answer of the complete attempt', async () => {
    const server = await serving((request, response, count) =>
      count < 3 ? cut(request, response, count) : ok(response, [{ tokenMint: MINT }]),
    );
    expect(await clientFor(server.origin).client.call('launchFeed', {})).toEqual([{ tokenMint: MINT }]);
  });

  it('F02 is not retried for a request that builds transactions', async () => {
    const server = await serving(cut);
    const error = await errorOf(clientFor(server.origin).client.call('tradeSwap', validRequests.tradeSwap));
    expect(error).toMatchObject({ code: 'UPSTREAM_TRUNCATED', retryable: true });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a silent service', () => {
  const silent: Handler = () => {};
  const dripping: Handler = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"success":');
  };

  it.each([
    ['headers never come', silent],
    ['the body arrives slowly', dripping],
  ])('F03 times out at the deadline and closes the connection when %s', async (_, handler) => {
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

  it('F03 times out at the deadline if fetch ignores its aborted signal', async () => {
    const drip = new ReadableStream({
      pull: async (stream) => {
        await new Promise((resolve) => setImmediate(resolve));
        stream.enqueue(new TextEncoder().encode(' '));
      },
    });
    const { client, clock } = clientFor('http://127.0.0.1:9', { fetch: async () => new Response(drip) });
    const call = errorOf(client.call('launchFeed', {}));
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(30_000);
    expect((await call).code).toBe('UPSTREAM_TIMEOUT');
  });

  it('leaves no timer behind after an answer', async () => {
    const server = await serving((_, response) => ok(response, []));
    const { client, clock } = clientFor(server.origin);
    await client.call('launchFeed', {});
    expect(clock.pending()).toBe(0);
  });

  it('is abandoned at once when the caller cancels', async () => {
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

describe('a failing service', () => {
  it.each([500, 502, 503, 504])(
    'F04 C-ERR-04 is retried for a read after %d, and never for a build',
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

  it('F04 is paused after five failed calls, until one success', async () => {
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
