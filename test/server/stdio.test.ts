/** Stdio transport: accepted lines, refused lines, and their errors. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { MAX_LINE_BYTES } from '../../src/server/stdio/lines.ts';
import { judge, MAX_DEPTH } from '../../src/server/stdio/messages.ts';
import { StdioTransport } from '../../src/server/stdio/transport.ts';

async function wire() {
  const stdin = new PassThrough();
  const written: Record<string, unknown>[] = [];
  const log: string[] = [];
  const received: unknown[] = [];
  let ended = 0;
  const transport = new StdioTransport({
    stdin,
    write: async (line) => {
      written.push(JSON.parse(line));
    },
    log: (line) => log.push(line),
    onEnd: () => {
      ended += 1;
    },
  });
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  const feed = async (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) stdin.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { transport, stdin, feed, written, log, received, ended: () => ended };
}

const request = (id: number | string, method = 'tools/list', params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

describe('line framing', () => {
  test('yields one message per line, however the bytes arrive', async () => {
    const { feed, received } = await wire();
    const bytes = Buffer.from(`${request(1, 'a', { text: 'ü€𝄞' })}\r\n${request(2)}`);
    await feed(...[...bytes].map((byte) => Buffer.from([byte])));
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { text: 'ü€𝄞' } },
      { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
    ]);
  });

  test('B05 reports an oversized line and skips it to its end; the next one is read', async () => {
    const { feed, received, log } = await wire();
    const piece = Buffer.alloc(1024 * 1024, 0x61);
    await feed(
      ...Array.from({ length: MAX_LINE_BYTES / piece.length + 1 }, () => piece),
      'tail\n',
      request(7),
    );
    expect(received).toEqual([expect.objectContaining({ id: 7 })]);
    expect(log).toEqual([expect.stringContaining('longer than')]);
  });

  test('ignores an incomplete last line', async () => {
    const { feed, received, stdin, ended } = await wire();
    await feed(request(1).trimEnd());
    stdin.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(received).toEqual([]);
    expect(ended()).toBeGreaterThan(0);
  });
});

describe('B06 invalid messages', () => {
  test('malformed JSON is dropped with a log line, and the connection stays open', async () => {
    const { feed, received, written, log } = await wire();
    await feed('{"jsonrpc":"2.0","id":1,\n', 'nonsense\n', request(2));
    expect(received).toEqual([expect.objectContaining({ id: 2 })]);
    expect(written).toEqual([]);
    expect(log).toHaveLength(2);
    expect(log.join()).not.toContain('nonsense');
  });

  test('a batch of another revision, a wrong version and list parameters are answered with an error', async () => {
    const { feed, received, written } = await wire();
    await feed(`[${request(1).trim()}]\n`, '{"id":2,"method":"x"}\n');
    await feed('{"jsonrpc":"2.0","id":3,"method":"x","params":[1]}\n');
    expect(received).toEqual([]);
    expect(written).toMatchObject([
      { id: 1, error: { code: -32600, message: expect.stringContaining('one message per line') } },
      { id: 2, error: { code: -32600 } },
      { id: 3, error: { code: -32602, message: expect.stringContaining('params') } },
    ]);
  });

  test('a request that reuses the id of an open one is dropped; after the answer the id is free', async () => {
    const { feed, received, written, transport } = await wire();
    await feed(request(5, 'first'), request(5, 'second'));
    expect(received).toEqual([expect.objectContaining({ method: 'first' })]);
    await transport.send({ jsonrpc: '2.0', id: 5, result: {} });
    await feed(request(5, 'third'));
    expect(received).toEqual([
      expect.objectContaining({ method: 'first' }),
      expect.objectContaining({ method: 'third' }),
    ]);
    expect(written).toEqual([{ jsonrpc: '2.0', id: 5, result: {} }]);
  });
});

describe('B03 B07 message contents', () => {
  test('__proto__ anywhere is refused by name', async () => {
    const { feed, received, written } = await wire();
    await feed(
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":[{"__proto__":{"b":1}}]}}}\n',
    );
    await feed('{"jsonrpc":"2.0","id":2,"method":"x","params":{"\\u005f_proto__":1}}\n');
    expect(received).toEqual([]);
    expect(written).toMatchObject([
      { id: 1, error: { code: -32602, message: expect.stringContaining('__proto__') } },
      { id: 2, error: { code: -32602, message: expect.stringContaining('__proto__') } },
    ]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each(['[', '{"a":'])('nesting of twenty thousand %s is refused', async (open) => {
    const { feed, received, written } = await wire();
    const close = open === '[' ? ']' : '}';
    const deep = `${open.repeat(20_000)}1${close.repeat(20_000)}`;
    await feed(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"x":${deep}}}}\n`);
    expect(received).toEqual([]);
    expect(written).toMatchObject([
      { id: 1, error: { code: -32602, message: expect.stringContaining('nested') } },
    ]);
  });

  test('nesting up to the limit is accepted', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
    const message = (depth: number) => ({ jsonrpc: '2.0', method: 'x', params: nested(depth) });
    expect(judge(message(MAX_DEPTH - 1))).toEqual({ ok: true });
    expect(judge(message(MAX_DEPTH))).toMatchObject({ ok: false });
  });
});

describe('the idle state', () => {
  const settled = async (promise: Promise<void>) =>
    Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]);

  test('begins when every request is answered or cancelled', async () => {
    const { feed, transport } = await wire();
    expect(await settled(transport.idle())).toBe(true);
    await feed(request(1), request('two'));
    const idle = transport.idle();
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await settled(idle)).toBe(false);
    await feed('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"two"}}\n');
    expect(await settled(idle)).toBe(true);
  });

  test('does not wait for subscriptions, which do not end', async () => {
    const { feed, transport } = await wire();
    await feed(request(1, 'subscriptions/listen'));
    expect(await settled(transport.idle())).toBe(true);
  });
});
