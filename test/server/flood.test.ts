/**
 * F57: a client that sends more than it reads. Buffers are bounded, order is kept, and its answers are still accepted.
 */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createSlots } from '../../src/server/slots.ts';
import { MAX_BATCH } from '../../src/server/stdio/batches.ts';
import { MAX_IN_FLIGHT, MAX_UNREAD_BYTES } from '../../src/server/stdio/gate.ts';
import { StdioTransport } from '../../src/server/stdio/transport.ts';

/** Opens a transport whose client reads a line only when the test permits. */
async function flooded({ reads = false } = {}) {
  const stdin = new PassThrough({ highWaterMark: 1 << 30 });
  const unread: { line: string; take: () => void }[] = [];
  const read: unknown[] = [];
  const received: { id?: number; method?: string }[] = [];
  let reading = reads;
  const transport = new StdioTransport({
    stdin,
    write: (line) =>
      new Promise((resolve) => {
        const take = () => {
          read.push(JSON.parse(line));
          resolve();
        };
        if (reading) take();
        else unread.push({ line, take });
      }),
    log: () => undefined,
    onEnd: () => undefined,
  });
  transport.onmessage = (message) => received.push(message as { id?: number; method?: string });
  await transport.start();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    transport,
    stdin,
    received,
    read,
    unread,
    settle,
    feed: async (...messages: unknown[]) => {
      stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      await settle();
    },
    answer: (id: number, size = 2) =>
      transport.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(size) } }),
    startReading: async () => {
      reading = true;
      for (const { take } of unread.splice(0)) take();
      await settle();
    },
  };
}

const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } });
const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
const cancel = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const ids = (messages: readonly { id?: number }[]) => messages.map(({ id }) => id);
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i);

describe('more concurrent calls than the limit', () => {
  test('F57 wait in order of arrival and start one by one as others are answered', async () => {
    const { feed, received, answer } = await flooded({ reads: true });
    await feed(...upTo(1_000).map(call));
    expect(ids(received)).toEqual(upTo(MAX_IN_FLIGHT));
    for (const id of upTo(1_000)) await answer(id);
    expect(ids(received)).toEqual(upTo(1_000));
  });

  test("F57 do not block the client's pings, answers and cancellations", async () => {
    const { feed, received } = await flooded({ reads: true });
    await feed(...upTo(1_000).map(call), ping(2_000), { jsonrpc: '2.0', id: 7_000, result: {} }, cancel(3));
    expect(received.slice(MAX_IN_FLIGHT)).toMatchObject([
      { id: 2_000 },
      { id: 7_000 },
      { method: 'notifications/cancelled' },
      // Replaces the cancelled call.
      { id: MAX_IN_FLIGHT + 1 },
    ]);
  });

  test('F57 do not start if cancelled while waiting, and free their ids', async () => {
    const { feed, received, answer } = await flooded({ reads: true });
    await feed(...upTo(MAX_IN_FLIGHT + 2).map(call), cancel(MAX_IN_FLIGHT + 1), call(MAX_IN_FLIGHT + 1));
    expect(received.filter(({ method }) => method !== 'tools/call')).toEqual([]);
    for (const id of upTo(3)) await answer(id);
    expect(ids(received).slice(MAX_IN_FLIGHT)).toEqual([MAX_IN_FLIGHT + 2, MAX_IN_FLIGHT + 1]);
  });
});

describe('a client that does not read', () => {
  test('F57 receives a bounded amount, whatever it requests, and the rest once it reads', async () => {
    const { feed, received, answer, unread, read, startReading, settle, transport } = await flooded();
    const size = 100_000;
    await feed(...upTo(2_000).map(call));
    let answered = 0;
    while (answered < received.length) {
      answered += 1;
      void answer(answered, size);
    }
    await settle();
    const held = unread.reduce((sum, { line }) => sum + line.length, 0);
    expect(held).toBeLessThan(MAX_UNREAD_BYTES + (MAX_IN_FLIGHT + 1) * (size + 100));
    // A ping is still accepted, and answered as soon as reading resumes.
    await feed(ping(5_000));
    expect(received.at(-1)).toMatchObject({ id: 5_000 });
    void transport.send({ jsonrpc: '2.0', id: 5_000, result: {} });
    await startReading();
    expect(read).toHaveLength(answered + 1);
    expect(read.at(-1)).toMatchObject({ id: 5_000 });
    while (answered < 2_000) {
      answered += 1;
      await answer(answered);
    }
    expect(ids(received.filter(({ method }) => method === 'tools/call'))).toEqual(upTo(2_000));
  });

  test('F57 receives no backlog of progress, nor a notification twice', async () => {
    const { transport, feed, answer, unread, settle } = await flooded();
    await feed(call(1));
    void answer(1, MAX_UNREAD_BYTES);
    await settle();
    const params = { progressToken: 1, progress: 1 };
    const updated = {
      method: 'notifications/resources/updated',
      params: { uri: 'policy://current' },
    } as const;
    for (let i = 0; i < 1_000; i++) {
      void transport.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
      void transport.send({ jsonrpc: '2.0', ...updated });
    }
    await settle();
    expect(unread).toHaveLength(2);
  });

  test('F57 is not read either while thirty-two megabytes wait', async () => {
    const { stdin, feed, received, answer, startReading, settle } = await flooded();
    await feed(call(1));
    void answer(1, 2 * MAX_UNREAD_BYTES);
    await settle();
    const large = (id: number) => ({
      ...call(id),
      params: { name: 'x', arguments: { a: 'y'.repeat(4_000_000) } },
    });
    for (const id of upTo(12, 2)) await feed(large(id));
    expect(stdin.isPaused()).toBe(true);
    expect(received).toHaveLength(1);
    await startReading();
    await settle();
    expect(stdin.isPaused()).toBe(false);
    expect(ids(received)).toEqual(upTo(13));
  });

  test('F57 has its unread output counted in bytes, not in characters', async () => {
    const { feed, received, transport, settle } = await flooded();
    await feed(call(1));
    void transport.send({ jsonrpc: '2.0', id: 1, result: { text: '€'.repeat(MAX_UNREAD_BYTES / 2) } });
    await settle();
    await feed(call(2));
    expect(ids(received)).toEqual([1]);
  });
});

describe('a client that reads and sends more than the queue holds', () => {
  const large = (id: number, text = 'y'.repeat(4_000_000)) => ({
    ...call(id),
    params: { name: 'x', arguments: { a: text } },
  });

  test.each([
    ['y', 4_000_000],
    ['€', 1_333_333],
  ])(
    'F57 has further calls of %s refused, and its answers, cancellations and pings accepted',
    async (letter, size) => {
      const { stdin, feed, received, read, answer } = await flooded({ reads: true });
      await feed(...upTo(MAX_IN_FLIGHT).map(call));
      for (const id of upTo(9, 100)) await feed(large(id, letter.repeat(size)));
      await feed(large(200), ping(201), { jsonrpc: '2.0', id: 7_000, result: {} }, cancel(1));
      expect(stdin.isPaused()).toBe(false);
      expect(read).toMatchObject([
        { id: 200, error: { code: -32000, message: expect.stringContaining('try again') } },
      ]);
      expect(received.slice(MAX_IN_FLIGHT)).toMatchObject([
        { id: 201 },
        { id: 7_000 },
        { method: 'notifications/cancelled' },
        { id: 100 },
      ]);
      await answer(2);
      await feed(large(200));
      for (const id of [...upTo(MAX_IN_FLIGHT - 2, 3), ...upTo(9, 100)]) await answer(id);
      expect(ids(received).at(-1)).toBe(200);
    },
  );

  test('F57 regains capacity for cancelled calls, which never start', async () => {
    const { feed, received, read, answer } = await flooded({ reads: true });
    await feed(...upTo(MAX_IN_FLIGHT).map(call));
    for (let i = 0; i < 20; i++) await feed(large(100), cancel(100));
    for (const id of upTo(MAX_IN_FLIGHT)) await answer(id);
    expect(read).toHaveLength(MAX_IN_FLIGHT);
    expect(ids(received)).toEqual(upTo(MAX_IN_FLIGHT));
  });
});

describe('a batch', () => {
  const batchTransport = async () => {
    const made = await flooded({ reads: true });
    made.transport.setProtocolVersion('2025-03-26');
    return made;
  };

  test('B06 of 2025-03-26 is answered by one line with all its answers', async () => {
    const { feed, answer, read, received } = await batchTransport();
    await feed([call(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, ping(2)]);
    expect(received).toHaveLength(3);
    await answer(2);
    expect(read).toEqual([]);
    await answer(1);
    expect(read).toMatchObject([[{ id: 2 }, { id: 1 }]]);
  });

  test('B06 omits cancelled requests, and is answered once the rest is', async () => {
    const { feed, answer, read } = await batchTransport();
    await feed([call(1), call(2)]);
    await answer(1);
    await feed(cancel(2));
    expect(read).toMatchObject([[{ id: 1 }]]);
    await feed([call(3)], cancel(3), call(3));
    await answer(3);
    expect(read.at(-1)).toMatchObject({ id: 3 });
  });

  test('B06 with invalid members has them refused and the others answered', async () => {
    const { feed, answer, read } = await batchTransport();
    await feed([{ id: 1, method: 'x' }, call(2), 5]);
    await answer(2);
    expect(read).toMatchObject([{ id: 1, error: { code: -32600 } }, [{ id: 2 }]]);
  });

  test('B06 of more messages than the queue holds is refused, as in a revision without batches', async () => {
    const { feed, read, received, transport } = await batchTransport();
    await feed(upTo(MAX_BATCH + 1).map(call));
    expect(read).toHaveLength(MAX_BATCH);
    expect(read[0]).toMatchObject({
      id: 1,
      error: { message: `A batch may contain at most ${MAX_BATCH} messages.` },
    });
    transport.setProtocolVersion('2025-06-18');
    await feed([call(500)]);
    expect(read.at(-1)).toMatchObject({ id: 500, error: { code: -32600 } });
    expect(received).toEqual([]);
  });

  test.each(['cancelled', 'initialized', 'progress', 'roots/list_changed'])(
    'B06 with an id on notifications/%s treats it as a request, and completes',
    async (name) => {
      const { feed, answer, read, received, transport } = await batchTransport();
      await feed(call(1));
      const params = { requestId: 1, progressToken: 1, progress: 1 };
      await feed([{ jsonrpc: '2.0', id: 2, method: `notifications/${name}`, params }, call(3)]);
      expect(ids(received)).toEqual([1, 2, 3]);
      for (const id of [2, 3, 1]) await answer(id);
      expect(read).toMatchObject([[{ id: 2 }, { id: 3 }], { id: 1 }]);
      await transport.idle();
    },
  );

  test('B06 completes with answers to unknown ids, duplicate ids, nested batches and requests unknown to the SDK', async () => {
    const { feed, answer, read, received, transport } = await batchTransport();
    const unknown = { jsonrpc: '2.0', id: 9_000, result: {} };
    await feed([unknown, call(1), call(1), [call(2)], [], { ...call(3), extra: 1 }, call(1.5)]);
    await feed([call(1), { id: 1, method: 'x' }, call(4)], [call(1)], [unknown], []);
    expect(ids(received)).toEqual([9_000, 1, 4, 9_000]);
    await answer(1);
    await answer(4);
    expect(read).toMatchObject([
      { id: 3, error: { code: -32600 } },
      { id: 1.5, error: { code: -32600 } },
      [{ id: 1 }],
      [{ id: 4 }],
    ]);
    await transport.idle();
  });

  test('B06 that cancels an earlier request and reuses its id completes', async () => {
    const { feed, answer, read, transport } = await batchTransport();
    await feed(call(1), [cancel(1), call(1)]);
    await answer(1);
    expect(read).toMatchObject([[{ id: 1 }]]);
    await transport.idle();
    await feed(call(1));
    await answer(1);
    expect(read.at(-1)).toMatchObject({ id: 1 });
  });

  test('B06 that is refused answers each id once, and none of an open request', async () => {
    const { feed, read, transport } = await batchTransport();
    transport.setProtocolVersion('2025-06-18');
    await feed(call(1), [call(1), call(2), call(2)]);
    expect(read).toMatchObject([{ id: 2, error: { code: -32600 } }]);
  });

  test('B06 waits like single calls do, and two large ones both complete', async () => {
    const { feed, answer, read, received } = await batchTransport();
    await feed(...upTo(10).map(call), upTo(60, 100).map(call), upTo(60, 200).map(call));
    for (let i = 0; i < received.length; i++) await answer(Number(received[i]?.id));
    expect(read.filter(Array.isArray).map((batch) => batch.length)).toEqual([60, 60]);
  });
});

describe('work slots', () => {
  test('are assigned in order, kept by cancelled work until it ends, and never taken by work cancelled before', async () => {
    const slots = createSlots(1);
    const never = new AbortController().signal;
    const started: string[] = [];
    let end = () => {};
    const first = slots.run(never, () => {
      started.push('first');
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const gone = new AbortController();
    const cancelled = slots.run(gone.signal, async () => started.push('cancelled')).catch((error) => error);
    const last = slots.run(never, async () => started.push('last'));
    gone.abort(new Error('gone'));
    expect(await cancelled).toMatchObject({ message: 'gone' });
    expect(started).toEqual(['first']);
    end();
    await Promise.all([first, last]);
    expect(started).toEqual(['first', 'last']);
    await slots.run(never, async () => started.push('again'));
    expect(started).toHaveLength(3);
  });
});
