import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../sandbox/index.ts';
import { SERVICE_FAULTS } from '../../../sandbox/service/http/faults.ts';
import { at, Caller } from './support.ts';

let caller: Caller;
const globals = [globalThis.Request, globalThis.Response];
beforeAll(async () => {
  caller = await Caller.start();
});
afterEach(() => caller.ok(caller.control('fault', { name: null })));
afterAll(() => caller.close());

const arm = (name: string, count = 1) => caller.ok(caller.control('fault', { name, count }));
const call = () => caller.get('/token-launch/feed');
const fetchFeed = (init: RequestInit = {}) =>
  fetch(`${caller.sandbox.rootUrl}/api/v1/token-launch/feed`, {
    headers: { 'x-api-key': caller.sandbox.apiKey },
    redirect: 'manual',
    ...init,
  });

it('keeps the process globals unchanged: other modules may hold responses of their own', () => {
  expect([globalThis.Request === globals[0], globalThis.Response === globals[1]]).toEqual([true, true]);
});

describe('a service fault', () => {
  it('is listed by name with its effect, and unknown names are refused', async () => {
    const answer = await caller.ok(caller.control('fault', { name: null }));
    for (const name of Object.keys(SERVICE_FAULTS)) expect(at(answer, `faults.${name}`)).toMatch(/\(F[0-9]+/);
    expect((await caller.control('fault', { name: 'no such fault' })).status).toBe(404);
    await expect(startSandbox({ clock: 'manual', fault: 'no such fault' })).rejects.toThrow(
      'No fault is called',
    );
  });

  it('applies to as many requests as it was armed for', async () => {
    await arm('server_error', 2);
    expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([503, 503, 200]);
  });

  it.each(['reset', 'reset_after', 'truncated'])('%s ends the connection', async (name) => {
    await arm(name);
    await expect(fetchFeed().then((response) => response.text())).rejects.toThrow();
    expect((await call()).status).toBe(200);
  });

  it('reset_after has completed the request first', async () => {
    const before = caller.sandbox.service.state.launches.size;
    await arm('reset_after');
    await expect(caller.token()).rejects.toThrow();
    expect(caller.sandbox.service.state.launches.size).toBe(before + 1);
  });

  it.each(['hang', 'slow_drip'])('%s never completes', async (name) => {
    await arm(name);
    const response = fetchFeed({ signal: AbortSignal.timeout(150) }).then((answer) => answer.text());
    await expect(response).rejects.toThrow(/abort|timeout/i);
  });

  it('too_many is sent with or without a retry time', async () => {
    await arm('too_many');
    const answer = await call();
    expect(answer.status).toBe(429);
    expect(answer.body.resetTime).toBe(Math.ceil(caller.sandbox.service.now() / 1000) + 60);
    await arm('too_many_bare');
    const bare = await fetchFeed();
    expect(bare.status).toBe(429);
    expect(await bare.text()).toBe('');
    expect(bare.headers.get('x-ratelimit-reset')).toBeNull();
  });

  it('not_success, html and empty are a 200 without a valid result', async () => {
    await arm('not_success');
    expect((await call()).body.success).toBe(false);
    await arm('html');
    expect(await (await fetchFeed()).text()).toContain('<!doctype html>');
    await arm('empty');
    expect(await (await fetchFeed()).text()).toBe('');
  });

  it('redirect points to another origin', async () => {
    await arm('redirect');
    const response = await fetchFeed();
    expect(response.status).toBe(302);
    expect(new URL(response.headers.get('location') ?? '').origin).not.toBe(caller.sandbox.rootUrl);
  });

  it('oversized and gzip_bomb exceed what a client should accept', async () => {
    for (const name of ['oversized', 'gzip_bomb']) {
      await arm(name);
      const stop = new AbortController();
      const response = await fetchFeed({ signal: stop.signal });
      let size = 0;
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        if (size > 20_000_000) break;
      }
      stop.abort();
      expect(size).toBeGreaterThan(20_000_000);
    }
  });
});
