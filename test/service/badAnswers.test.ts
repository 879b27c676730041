/** Invalid answers and redirects: F09 to F14. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MINT, validRequests } from '../contract/validRequests.ts';
import { clientFor, errorOf, type Handler, json, ok, serving } from './localServer.ts';

describe('an invalid answer', () => {
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
  ])('F09 C-ERR-01 C-ERR-02 treats 200 with success:false as an error: %j', async (body, words) => {
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

  it('F10 truncates its quotation', async () => {
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

  it('F13 keeps unknown fields and enum values', async () => {
    const feed = [{ tokenMint: MINT, status: 'ORBITING', brackets: '[[{{"\\"', novel: { deep: [1] } }];
    const server = await serving((_, response) => ok(response, feed));
    expect(await clientFor(server.origin).client.call('launchFeed', {})).toEqual(feed);
  });

  it('F14 names the path of a missing field', async () => {
    const server = await serving((_, response) => ok(response, { claimedFees: '1' }));
    expect(
      await errorOf(clientFor(server.origin).client.call('partnerStats', validRequests.partnerStats)),
    ).toMatchObject({
      code: 'UPSTREAM_BAD_BODY',
      message: expect.stringContaining('unclaimedFees'),
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
