/** Refusals of the service: the key, F05 and F06, and the rate limit, F07 and F08. */
import { describe, expect, it } from 'vitest';
import { validRequests } from '../contract/validRequests.ts';
import { API_KEY, clientFor, errorOf, everythingOf, type Handler, json, ok, serving } from './localServer.ts';

describe('the key', () => {
  const refuse: Handler = (_, response) =>
    json(response, 401, {
      success: false,
      error: `Invalid API key ${API_KEY}. Please check your x-api-key header.`,
    });

  it('F05 is reported as refused once, without its value, and not retried', async () => {
    const server = await serving(refuse);
    const { client } = clientFor(server.origin);
    const error = await errorOf(client.call('vaultClaimables', validRequests.vaultClaimables));
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', status: 401, retryable: false });
    expect(everythingOf(error)).not.toContain(API_KEY);
    expect(error.upstreamText).toContain('[secret]');
    expect(server.requests).toHaveLength(1);
    expect(client.keyState()).toBe('refused');
  });

  it('F06 refused by one endpoint leaves the others working', async () => {
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
  ])('F07 with a reset in %s refuses later calls locally until then', async (_, resetTime, wait) => {
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

  it('F08 uses Retry-After if nothing else is given', async () => {
    const server = await serving((_, response) => response.writeHead(429, { 'retry-after': '7' }).end());
    expect((await errorOf(clientFor(server.origin).client.call('launchFeed', {}))).retryAt).toBe(NOW + 7_000);
  });

  it('C-LIMIT-04 of one endpoint delays that endpoint only', async () => {
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
