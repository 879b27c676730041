/** Process end and survivable faults: closed stdin, signals, a broken pipe, bad lines (F40 to F42, B05, B06). */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { object, spawnServer } from './spawned.ts';

/** Starts a service that leaves calls unanswered until released, then answers with an empty result. */
async function silentService(): Promise<{
  origin: string;
  received: Promise<void>;
  release(): Promise<void>;
}> {
  let resolveReceived = () => {};
  const received = new Promise<void>((done) => {
    resolveReceived = done;
  });
  const held: ServerResponse[] = [];
  const service = createServer((_request, response) => {
    held.push(response);
    resolveReceived();
  });
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    service.closeAllConnections();
    service.close();
  });
  const address = service.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const release = async () => {
    await Promise.all(held.map((each) => new Promise<void>((done) => each.writeHead(404).end(done))));
  };
  return { origin: `http://127.0.0.1:${address.port}`, received, release };
}

/** Starts a server with an unanswered call in progress. */
async function hanging() {
  const { origin, received, release } = await silentService();
  const options = ['--live', '--root-url', origin, '--rpc-url', origin];
  const secrets = { COUNTERSIGN_SECRET_STORE: 'env', COUNTERSIGN_API_KEY: 'k'.repeat(40) };
  const server = spawnServer(options, secrets);
  await server.initialize();
  let answered = false;
  void server.request('tools/call', { name: 'get_launch_feed', arguments: {} }).then(() => {
    answered = true;
  });
  return { server, received, release, answered: () => answered };
}

const SIGINT = 2;

/** Waits until a process has handled a signal, on systems that list pending signals. */
async function taken(pid: number, signal: number): Promise<void> {
  const isPending = () => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const masks = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)];
      return masks.some(([, mask = '0']) => (BigInt(`0x${mask}`) & (1n << BigInt(signal - 1))) !== 0n);
    } catch {
      return false; // no list of pending signals
    }
  };
  while (isPending()) await new Promise((resolve) => setImmediate(resolve));
}

describe('F40 a client that closes stdin', () => {
  test('ends an idle server at once with 0', async () => {
    const server = spawnServer();
    await server.initialize();
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(server.stderr()).toBe('');
  });

  test('ends a server that received no message', async () => {
    const server = spawnServer();
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
  });

  test('receives the answer of an open call before the end', async () => {
    const server = spawnServer();
    await server.initialize();
    const answer = server.request('tools/call', { name: 'get_status', arguments: {} });
    server.child.stdin.end();
    // A server that ended without the answer would leave it pending forever.
    const first = await Promise.race([answer, server.ended.then((code) => `ended with ${code}`)]);
    expect(object(object(first).result).structuredContent).toMatchObject({ service: 'answering' });
    expect(await server.ended).toBe(0);
  });

  test('receives the answer of an open call from a server that was stopped while ending', async () => {
    const { server, received, answered, release } = await hanging();
    await received;
    server.child.stdin.end();
    // Long enough for the shutdown to begin; otherwise the test passes without evidence.
    await new Promise((resolve) => setTimeout(resolve, 500));
    server.child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    // The answer is in the socket before the process continues.
    await release();
    server.child.kill('SIGCONT');
    expect(await server.ended).toBe(0);
    // Its last output may be read after its exit is known.
    await eventually(() => expect(answered()).toBe(true));
  });

  test('does not wait for a call without an answer: the server ends before the call times out', async () => {
    const { server, received, answered } = await hanging();
    await received;
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(answered()).toBe(false);
  });
});

describe('F42 signals', () => {
  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s ends gracefully with %i', async (signal, code) => {
    const server = spawnServer();
    await server.initialize();
    await server.request('tools/call', { name: 'get_status', arguments: {} });
    server.child.kill(signal);
    expect(await server.ended).toBe(code);
  });

  test('the first waits for an open call, a second one does not', async () => {
    const { server, received, answered } = await hanging();
    await received;
    server.child.kill('SIGINT');
    // Simultaneously pending signals are handled in no particular order.
    await taken(server.child.pid ?? 0, SIGINT);
    server.child.kill('SIGTERM');
    // The first signal alone would exit with 130.
    expect(await server.ended).toBe(143);
    expect(answered()).toBe(false);
    expect(server.stderr()).not.toMatch(/\n\s+at /);
  });
});

test('F41 a client that stops reading ends the server with 1, without an uncaught error', async () => {
  const server = spawnServer();
  await server.initialize();
  server.child.stdout.destroy();
  for (let id = 100; id < 110; id += 1)
    server.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: {} }));
  expect(await server.ended).toBe(1);
  expect(server.stderr()).not.toMatch(/Unhandled|Uncaught|EPIPE|\n\s+at /i);
});

describe('B05 B06 B07 bad lines', () => {
  test('the server stays alive through all of them and answers the next request', async () => {
    const server = spawnServer();
    await server.initialize();
    server.write('{"jsonrpc":"2.0",');
    server.write('[{"jsonrpc":"2.0","id":900,"method":"tools/list"}]');
    server.write(
      `{"jsonrpc":"2.0","id":901,"method":"tools/call","params":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    );
    server.write(`{"jsonrpc":"2.0","id":902,"method":"x","params":{"a":"${'y'.repeat(11 * 1024 * 1024)}"}}`);
    server.write(
      '{"jsonrpc":"2.0","id":903,"method":"tools/call","params":{"name":"get_plan","arguments":[]}}',
    );
    const answer = await server.request('tools/list');
    expect(object(answer.result).tools).toHaveLength(39);
    await expect.poll(() => server.others.length).toBe(3);
    expect(server.others).toMatchObject([
      { id: 900, error: { code: -32600, message: expect.stringContaining('Batches') } },
      { id: 901, error: { code: -32602 } },
      { id: 903, error: {} },
    ]);
    expect(server.stderr()).toContain('longer than');
    expect(server.stderr()).not.toContain('yyy');
  });

  test('a call with __proto__ among its arguments is refused by name', async () => {
    const server = spawnServer();
    await server.initialize();
    server.write(
      '{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"get_plan","arguments":{"planId":"plan-1","__proto__":{"x":1}}}}',
    );
    await server.request('tools/list');
    expect(server.others).toMatchObject([
      { id: 'p', error: { message: expect.stringContaining('__proto__') } },
    ]);
  });
});

test('progress is sent to a client that requested it', async () => {
  const server = spawnServer();
  await server.initialize();
  const call = async (name: string, args: object, more: object = {}) =>
    object((await server.request('tools/call', { name, arguments: args, ...more })).result);
  const token = object(
    (
      await call('create_token_info', {
        name: 'P',
        symbol: 'P',
        description: 'p',
        imageUrl: 'https://example.com/p.png',
      })
    ).structuredContent,
  );
  const wallet = object((await call('get_wallet', {})).structuredContent).address;
  const built = await call('create_fee_share_config', {
    baseMint: token.tokenMint,
    flow: 'damm_v2_direct',
    claimersArray: [wallet],
    basisPointsArray: [10_000],
  });
  const { planId } = object(object(built.structuredContent).plan);
  const done = await call('submit_plan', { planId }, { _meta: { progressToken: 'watch' } });
  expect(object(object(done.structuredContent).plan).status).toBe('complete');
  const progress = server.others.filter((message) => message.method === 'notifications/progress');
  expect(progress.length).toBeGreaterThan(0);
  for (const { params } of progress) expect(params).toMatchObject({ progressToken: 'watch' });
});

test('a cancelled call gets no answer, and its id can be used again', async () => {
  const server = spawnServer();
  await server.initialize();
  const call = (name: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name, arguments: {} } });
  // The first call opens the sandbox, so the cancellation always finds it in progress.
  server.write(call('get_status'));
  server.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}');
  server.write(call('get_wallet'));
  await server.request('tools/call', { name: 'get_status', arguments: {} });
  server.child.stdin.end();
  expect(await server.ended).toBe(0);
  expect(server.others).toMatchObject([
    { id: 'c', result: { structuredContent: { lamports: expect.any(String) } } },
  ]);
});
