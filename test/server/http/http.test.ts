/** HTTP transport: access, request limits, sessions, and shutdown. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';
import type { Principal } from '../../../src/server/http/caller.ts';
import { createHttpHandler } from '../../../src/server/http/handler.ts';
import { createTokenFiles } from '../../../src/server/http/tokenFile.ts';
import { INITIALIZE, modern, modernHeaders, post, principal, type Served, serve } from './served.ts';

const ANNA = 'a'.repeat(40);
const BELA = 'b'.repeat(40);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function tokenFiles(tokens: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-http-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const paths: Record<string, string> = {};
  for (const [name, token] of Object.entries(tokens)) {
    const path = join(folder, name);
    await writeFile(path, `${token}\n`, { mode: 0o600 });
    paths[name] = path;
  }
  return paths;
}

test("a server keeps its process's Request and Response unchanged", async () => {
  const before = [globalThis.Request, globalThis.Response];
  await served();
  expect([globalThis.Request === before[0], globalThis.Response === before[1]]).toEqual([true, true]);
});

/** Two principals, each with a token file. */
async function served(
  more: Partial<Omit<Principal, 'name' | 'server'>> = {},
  options: Parameters<typeof serve>[2] = {},
): Promise<Served> {
  const files = await tokenFiles({ anna: ANNA, bela: BELA });
  const principals = new Map(
    Object.entries(files).map(([name, path]) => [path, principal(name, more)] as const),
  );
  const authenticator = createTokenFiles(Object.values(files), () => Date.now());
  const server = await serve(
    authenticator,
    (identity) => ('tokenFile' in identity ? principals.get(identity.tokenFile) : undefined),
    options,
  );
  closing.push(server.close);
  return server;
}

const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const list = (server: Served, headers: Readonly<Record<string, string>>) =>
  post(server.url, modern('tools/list'), { ...modernHeaders('tools/list'), ...headers });

describe('before authentication', () => {
  test('T122 a name that another site pointed at this machine reaches nothing (DNS rebinding)', async () => {
    const server = await served();
    for (const host of [
      'evil.example.com',
      'evil.example.com:80',
      '127.0.0.1.evil.example.com',
      'localhost.',
    ])
      expect([host, (await list(server, { ...as(ANNA), host })).status]).toEqual([host, 403]);
    expect((await list(server, { ...as(ANNA), host: 'localhost:1234' })).status).toBe(200);
  });

  test('T122 a request line with a host other than its `Host` reaches nothing, and does not make a token file local', async () => {
    const server = await served({}, { hostnames: ['127.0.0.1', 'localhost', 'agents.example.com'] });
    const sent = async (target: string, host: string) => {
      const headers = { ...modernHeaders('tools/list'), ...as(ANNA), host };
      return (await post(server.url, modern('tools/list'), headers, 'POST', target)).status;
    };
    expect(await sent('http://127.0.0.1/mcp', 'agents.example.com')).toBe(403);
    expect(await sent('http://agents.example.com/mcp', '127.0.0.1')).toBe(403);
    expect(await sent('http://evil.example.com/mcp', '127.0.0.1')).toBe(403);
    expect(await sent('http://127.0.0.1:8787/mcp', '127.0.0.1')).toBe(200);
    expect(await sent('http://LOCALHOST/mcp', 'localhost')).toBe(200);
  });

  test('a page of another site reaches nothing, and a page on this machine still needs a token', async () => {
    const server = await served();
    for (const origin of ['https://evil.example.com', 'null', 'http://127.0.0.1.evil.example.com', 'file://'])
      expect([origin, (await list(server, { ...as(ANNA), origin })).status]).toEqual([origin, 403]);
    expect((await list(server, { ...as(ANNA), origin: 'http://localhost:3000' })).status).toBe(200);
    expect((await list(server, { origin: 'http://localhost:3000' })).status).toBe(401);
  });

  test('liveness and readiness are public, and nothing else is', async () => {
    let why: string | undefined;
    const server = await served({}, { unready: async () => why });
    const get = (path: string) => post(`${server.origin}${path}`, '', {}, 'GET');
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
    why = 'the chain cannot be used (RPC_UNREACHABLE)';
    const refused = await get('/readyz');
    expect(refused.status).toBe(503);
    expect(refused.body).toContain('the chain cannot be used (RPC_UNREACHABLE)');
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/mcp')).status).toBe(401);
    expect((await get('/')).status).toBe(404);
    expect((await get('/approve')).status).toBe(404);
  });
});

test('the log contains a method of the protocol, and no other text of an agent (T201)', async () => {
  const server = await served();
  await post(server.url, INITIALIZE, as(ANNA));
  expect(server.records.at(-1)?.method).toBe('initialize');
  for (const method of ['tools/list\u009b2J', '\u202etools', 'x'.repeat(65), '\nforged line', 5]) {
    await post(server.url, { jsonrpc: '2.0', id: 1, method }, as(ANNA));
    expect(server.records.at(-1)).toMatchObject({ principal: 'anna', method: undefined });
  }
});

describe('a token file', () => {
  test('T120 admits its principal, and no token that differs from it', async () => {
    const server = await served();
    expect((await list(server, as(ANNA))).status).toBe(200);
    expect(server.records.at(-1)?.principal).toBe('anna');
    for (const token of [ANNA.slice(1), `${ANNA}a`, ANNA.toUpperCase(), '', ' '])
      expect((await list(server, as(token))).status).toBe(401);
    expect((await list(server, { authorization: `Basic ${ANNA}` })).status).toBe(401);
  });

  test('counts on this machine only: not for a request under another name', async () => {
    const server = await served({}, { hostnames: ['127.0.0.1', 'agents.example.com'] });
    expect((await list(server, as(ANNA))).status).toBe(200);
    expect((await list(server, { ...as(ANNA), host: 'agents.example.com' })).status).toBe(401);
  });

  test('that others can read, is a link, is short, or repeats another one is refused at start', async () => {
    const files = await tokenFiles({ open: ANNA, short: 'abc', one: BELA, two: BELA });
    const { open = '', short = '', one = '', two = '' } = files;
    await chmod(open, 0o644);
    const make =
      (...paths: string[]) =>
      () =>
        createTokenFiles(paths, () => 0);
    expect(make(open)).toThrow('can be opened by other users');
    expect(make(short)).toThrow('at least 32 characters');
    expect(make(one, two)).toThrow('same token');
    expect(make(`${one}-none`)).toThrow('There is no token file');
  });
});

describe('a request body', () => {
  test('nested deeper than messages are, or with a `__proto__` field, is refused with its reason', async () => {
    const server = await served();
    const sent = (params: string) =>
      post(server.url, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`, {
        ...modernHeaders('tools/list'),
        ...as(ANNA),
      });
    const deep = await sent(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    expect([deep.status, JSON.parse(deep.body).error.code]).toEqual([400, -32602]);
    const proto = await sent('{"__proto__":{}}');
    expect([proto.status, JSON.parse(proto.body).error.code]).toEqual([400, -32602]);
  });
});

describe('T125 one principal', () => {
  test('that exceeds its rate receives a retry time, and the other principal is not delayed', async () => {
    let now = 0;
    const server = await served({ callsPerMinute: 3 }, { passed: () => now });
    for (let i = 0; i < 3; i += 1) expect((await list(server, as(ANNA))).status).toBe(200);
    const refused = await list(server, as(ANNA));
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('20');
    expect((await list(server, as(BELA))).status).toBe(200);
    now += 20_000;
    expect((await list(server, as(ANNA))).status).toBe(200);
    expect((await list(server, as(ANNA))).status).toBe(429);
  });

  test('has a limited number of open requests, and a slot is free again after each, answered or refused', async () => {
    const server = await served({ callsAtOnce: 1 });
    for (let i = 0; i < 5; i += 1) expect((await list(server, as(ANNA))).status).toBe(200);
    for (let i = 0; i < 3; i += 1) expect((await post(server.url, 'no JSON', as(ANNA))).status).toBe(400);
    // A request with an endless body occupies the slot.
    const { port } = new URL(server.origin);
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const before = server.records.length;
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${ANNA}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: 1000\r\n\r\n{`,
    );
    await expect.poll(async () => (await list(server, as(ANNA))).status).toBe(429);
    expect((await list(server, as(BELA))).status).toBe(200);
    socket.destroy();
    await expect.poll(async () => (await list(server, as(ANNA))).status).toBe(200);
    expect(server.records.length).toBeGreaterThan(before);
  });

  test('keeps its slot until the work of a call has ended, even if its client is gone', async () => {
    let release = (): void => undefined;
    const opening = new Promise<void>((resolve) => {
      release = resolve;
    });
    const anna = principal('anna', { callsAtOnce: 1 }, async () => {
      await opening;
      throw new Error('no home in this test');
    });
    const { anna: path = '' } = await tokenFiles({ anna: ANNA });
    const handler = createHttpHandler({
      hostnames: ['localhost'],
      authenticator: createTokenFiles([path], () => 0),
      principalOf: () => anna,
      unready: async () => undefined,
      record: () => undefined,
      passed: () => 0,
      redact: async (text) => text,
    });
    const send = (body: object, headers: Readonly<Record<string, string>> = {}) =>
      handler.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: {
            host: 'localhost',
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...as(ANNA),
            ...headers,
          },
          body: JSON.stringify(body),
        }),
      );
    const opened = await send(INITIALIZE);
    await opened.text();
    const session = { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) };
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'get_wallet', arguments: {} },
    };
    const called = await send(call, session);
    expect(called.status).toBe(200);
    await called.body?.cancel();
    let isIdle = false;
    const idle = handler.idle().then(() => {
      isIdle = true;
    });
    // All immediate effects have happened.
    await new Promise(setImmediate);
    expect((await send(INITIALIZE)).status).toBe(429);
    expect(isIdle).toBe(false);
    release();
    await idle;
    expect((await send(INITIALIZE)).status).toBe(200);
    await handler.close();
  });

  test('is charged for each message of a body with several', async () => {
    const server = await served({ callsPerMinute: 20 });
    const opened = await post(server.url, INITIALIZE, as(ANNA));
    const session = { ...as(ANNA), 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const batch = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    expect((await post(server.url, batch(15), session)).status).toBe(200);
    const refused = await post(server.url, batch(15), session);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await post(server.url, batch(15), as(BELA))).status).not.toBe(429);
  });

  test('cannot make the server read an endless body', async () => {
    const server = await served();
    const huge = JSON.stringify(modern('tools/list', { padding: 'x'.repeat(1024 * 1024) }));
    expect((await post(server.url, huge, as(ANNA))).status).toBe(413);
    expect((await post(server.url, 'plain', { ...as(ANNA), 'content-type': 'text/plain' })).status).toBe(415);
  });
});

describe('a session of the 2025-11-25 revision', () => {
  const open = async (server: Served, token: string): Promise<string> => {
    const answer = await post(server.url, INITIALIZE, as(token));
    expect(answer.status).toBe(200);
    return String(answer.headers['mcp-session-id']);
  };
  const inSession = (server: Served, token: string, session: string, method = 'POST') =>
    post(
      server.url,
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { ...as(token), 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
      method,
    );

  test('T123 belongs to the principal that opened it and does not exist for others', async () => {
    const server = await served();
    const session = await open(server, ANNA);
    expect((await inSession(server, ANNA, session)).status).toBe(200);
    const replayed = await inSession(server, BELA, session);
    const invented = await inSession(server, BELA, 'no-such-session');
    expect(replayed.status).toBe(404);
    expect(replayed.body).toBe(invented.body);
    for (const method of ['GET', 'DELETE'])
      expect((await inSession(server, BELA, session, method)).status).toBe(404);
    expect((await inSession(server, ANNA, session)).status).toBe(200);
  });

  test('ends after half an hour without a request, and by DELETE', async () => {
    let now = 0;
    const server = await served({}, { passed: () => now });
    const idle = await open(server, ANNA);
    now += 29 * 60_000;
    expect((await inSession(server, ANNA, idle)).status).toBe(200);
    now += 29 * 60_000;
    expect((await inSession(server, ANNA, idle)).status).toBe(200);
    now += 31 * 60_000;
    expect((await inSession(server, ANNA, idle)).status).toBe(404);
    const ended = await open(server, ANNA);
    expect((await inSession(server, ANNA, ended, 'DELETE')).status).toBe(200);
    expect((await inSession(server, ANNA, ended)).status).toBe(404);
  });

  test("is evicted for a new one if its principal has 64, never for another's", async () => {
    const server = await served();
    const other = await open(server, BELA);
    const first = await open(server, ANNA);
    for (let i = 0; i < 64; i += 1) await open(server, ANNA);
    expect((await inSession(server, ANNA, first)).status).toBe(404);
    expect((await inSession(server, BELA, other)).status).toBe(200);
  });
});

describe('a real client', () => {
  for (const revision of ['2025-11-25', '2026-07-28'] as const)
    test(`of revision ${revision} connects, lists tools and receives the reason why a call is refused`, async () => {
      const server = await served();
      const client = new Client(
        { name: 'test', version: '1' },
        revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {},
      );
      await client.connect(
        new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: as(ANNA) } }),
      );
      closing.push(() => client.close());
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('submit_plan');
      const result = await client.callTool({ name: 'get_plan', arguments: { planId: 'plan-1' } });
      expect(result.isError).toBe(true);
    });
});

test('can finish its open call during shutdown; new calls are refused', async () => {
  const began: (() => void)[] = [];
  const working = principal('slow');
  const server = await serve(
    createTokenFiles(Object.values(await tokenFiles({ anna: ANNA })), () => 0),
    () => working,
    {
      redact: (text) =>
        new Promise((resolve) => {
          began.push(() => resolve(text));
        }),
    },
  );
  const answer = list(server, as(ANNA));
  await expect.poll(() => began.length).toBe(1);
  const closed = server.close();
  expect(await list(server, as(ANNA))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  began[0]?.();
  expect((await answer).status).toBe(200);
  await closed;
});

describe('a slow request', () => {
  test('is aborted at the documented times: its head after five seconds, its body after ten', async () => {
    const server = await served();
    const { hostname, port } = new URL(server.url);
    /** Sends a text and stalls. Returns the milliseconds until the server closes the connection. */
    const held = (start: string): Promise<number> =>
      new Promise((done) => {
        const began = performance.now();
        const socket = connect(Number(port), hostname, () => socket.write(start));
        socket.on('error', () => undefined);
        socket.resume();
        socket.on('close', () => done(performance.now() - began));
      });
    const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${ANNA}\r\n`;
    const [slowHead, slowBody] = await Promise.all([
      held(head),
      held(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`),
    ]);
    // By default the listener checks every thirty seconds only.
    expect(slowHead).toBeLessThan(25_000);
    expect(slowBody).toBeLessThan(25_000);
  });
});
