/** Writes whose outcome is unknown: F15 to F17. */
import { describe, expect, it } from 'vitest';
import { JWT, MINT } from '../contract/validRequests.ts';
import { clientFor, errorOf, everythingOf, type Handler, json, ok, serving } from './localServer.ts';

describe('C-KEY-05 writes with an unknown outcome', () => {
  it('F15 a key creation without an answer is not repeated and states where to look', async () => {
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

  it('a refused write has a known outcome', async () => {
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
