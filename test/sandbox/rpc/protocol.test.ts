/** JSON-RPC envelope, ports, account reads and the sandbox's own methods. */

import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { parse, stringify } from '../../../sandbox/rpc/json.ts';
import { startRpc } from '../../../sandbox/rpc/server.ts';
import { eventually } from '../../eventually.ts';
import { fixedSigner, SOL } from '../chain/actors.ts';
import { post, serve } from './served.ts';

const SYSTEM = '11111111111111111111111111111111';
const WSOL = 'So11111111111111111111111111111111111111112';

describe('the envelope', () => {
  test('errors have JSON-RPC codes', async () => {
    const { server, call } = await serve();
    expect(parse(await post(server.rpcUrl, '{nonsense'))).toMatchObject({
      id: null,
      error: { code: -32700 },
    });
    expect(parse(await post(server.rpcUrl, '[]'))).toMatchObject({ error: { code: -32600 } });
    expect(parse(await post(server.rpcUrl, '7'))).toMatchObject({ error: { code: -32600 } });
    expect(await call('getNothing')).toMatchObject({ error: { code: -32601, message: 'Method not found' } });
    expect(await call('getBalance', 'not-an-address')).toMatchObject({ error: { code: -32602 } });
    expect(await call('getBalance', SYSTEM, { commitment: 'soon' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await call('getMultipleAccounts', Array(101).fill(SYSTEM))).toMatchObject({
      error: { code: -32602, message: 'Too many inputs provided; max 100' },
    });
  });

  test('a batch is answered in order, without its notifications', async () => {
    const { server, chain } = await serve();
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'getSlot', params: [{ commitment: 'processed' }] },
      { jsonrpc: '2.0', method: 'getSlot' },
      { jsonrpc: '2.0', id: 2, method: 'getHealth' },
    ];
    expect(parse(await post(server.rpcUrl, stringify(batch)))).toEqual([
      { jsonrpc: '2.0', id: 'a', result: chain.slot },
      { jsonrpc: '2.0', id: 2, result: 'ok' },
    ]);
  });

  test('only POST carries calls, and /health responds to a GET', async () => {
    const { server } = await serve();
    expect((await fetch(server.rpcUrl)).status).toBe(405);
    expect(await (await fetch(`${server.rpcUrl}/health`)).text()).toBe('ok');
  });
});

describe('whole numbers', () => {
  test('of any size survive both ways, and everything else is unchanged', () => {
    const value = {
      a: 2n ** 64n - 1n,
      b: [-(2n ** 60n), 9007199254740991, 1.5],
      c: '18446744073709551615',
      d: null,
    };
    expect(stringify(value)).toBe(
      '{"a":18446744073709551615,"b":[-1152921504606846976,9007199254740991,1.5],"c":"18446744073709551615","d":null}',
    );
    expect(parse(stringify(value))).toEqual(value);
    for (const fraction of [
      '0.12345678901234567890',
      '1e30',
      '12345678901234567890.5',
      '-1234567890123456789e2',
    ]) {
      expect(parse(`[${fraction}]`), fraction).toEqual([Number(fraction)]);
    }
    expect(parse('{"say \\"12345678901234567890\\"":"\\\\"}')).toEqual({
      'say "12345678901234567890"': '\\',
    });
  });
});

describe('accounts', () => {
  test('are returned in base64, whole or in part', async () => {
    const { call, chain } = await serve();
    const data = Buffer.from([1, 2, 3, 4, 5]);
    const { address } = await fixedSigner(1);
    chain.setAccount(address, { lamports: 7n, owner: WSOL, data, executable: false });
    const read = async (options: object) => {
      const { result } = await call('getAccountInfo', address, { commitment: 'processed', ...options });
      return (result as { value: { data: unknown } }).value;
    };
    expect(await read({ encoding: 'base64' })).toEqual({
      data: [data.toString('base64'), 'base64'],
      executable: false,
      lamports: 7,
      owner: WSOL,
      rentEpoch: 2n ** 64n - 1n,
      space: 5,
    });
    expect((await read({ encoding: 'base64', dataSlice: { offset: 1, length: 3 } })).data).toEqual([
      Buffer.from([2, 3, 4]).toString('base64'),
      'base64',
    ]);
    const parsed = await call('getAccountInfo', address, { encoding: 'jsonParsed' });
    expect(parsed).toMatchObject({ error: { code: -32602 } });
  });

  test('a program lists its accounts by content', async () => {
    const { call, chain } = await serve();
    const owner = (await fixedSigner(3)).address;
    const [a, b] = [(await fixedSigner(1)).address, (await fixedSigner(2)).address];
    for (const [address, data] of [
      [a, [9, 9]],
      [b, [9, 8, 7]],
    ] as const) {
      chain.setAccount(address, { lamports: 1n, owner, data: Uint8Array.from(data), executable: false });
    }
    const list = async (filters: unknown[]) => {
      const options = { encoding: 'base64', commitment: 'processed', filters };
      const { result } = await call('getProgramAccounts', owner, options);
      return (result as { pubkey: string }[]).map(({ pubkey }) => pubkey).sort();
    };
    expect(await list([])).toEqual([a, b].sort());
    expect(await list([{ memcmp: { offset: 1, bytes: 'A' } }])).toEqual([a]);
    expect(await list([{ memcmp: { offset: 0, bytes: 'A' } }])).toEqual([a, b].sort());
  });

  test('views differ by commitment, and a requested slot that is missing is refused', async () => {
    const { call, chain } = await serve();
    const { address } = await fixedSigner(1);
    chain.airdrop(address, SOL);
    const balance = async (commitment: string) => (await call('getBalance', address, { commitment })).result;
    expect(await balance('processed')).toMatchObject({ context: { slot: chain.slot }, value: Number(SOL) });
    expect(await balance('confirmed')).toMatchObject({ context: { slot: chain.slot - 1 }, value: 0 });
    chain.advanceSlots(1);
    expect(await balance('confirmed')).toMatchObject({ value: Number(SOL) });
    expect(await balance('finalized')).toMatchObject({ context: { slot: chain.slot - 32 }, value: 0 });
    expect(
      await call('getBalance', address, { commitment: 'confirmed', minContextSlot: chain.slot }),
    ).toMatchObject({
      error: { code: -32016, data: { contextSlot: chain.slot - 1 } },
    });
  });
});

describe('WebSockets', () => {
  async function connect(url: string) {
    const socket = new WebSocket(url);
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(parse(data.toString())));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const ask = (id: number, method: string, ...params: unknown[]) =>
      socket.send(stringify({ jsonrpc: '2.0', id, method, params }));
    const received = (count: number) => eventually(() => expect(messages).toHaveLength(count));
    return { socket, messages, ask, received };
  }

  test("are served on the RPC port and on the next one, with the node's methods too", async () => {
    const { chain, server } = await serve();
    const samePort = server.rpcUrl.replace('http', 'ws');
    for (const url of new Set([samePort, server.wsUrl])) {
      const { ask, messages, received } = await connect(url);
      ask(1, 'getGenesisHash');
      await received(1);
      expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: chain.genesisHash }]);
    }
    expect(Number(new URL(server.wsUrl).port)).toBe(Number(new URL(server.rpcUrl).port) + 1);
  });

  test('notify once of a confirmed signature', async () => {
    const { chain, server } = await serve();
    const { signature } = chain.airdrop((await fixedSigner(1)).address, SOL);
    const { slot } = chain;
    const { ask, messages, received } = await connect(server.wsUrl);
    ask(1, 'signatureSubscribe', signature, { commitment: 'confirmed' });
    await received(1);
    chain.advanceSlots(1);
    await received(2);
    chain.advanceSlots(40);
    ask(2, 'signatureUnsubscribe', 1);
    await received(3);
    const notification = (at: number, value: unknown) => ({
      jsonrpc: '2.0',
      method: 'signatureNotification',
      params: { subscription: 1, result: { context: { apiVersion: '3.0.0', slot: at }, value } },
    });
    expect(messages).toEqual([
      { jsonrpc: '2.0', id: 1, result: 1 },
      notification(slot, { err: null }),
      { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'Invalid subscription id.' } },
    ]);
  });

  test('an ended subscription receives nothing', async () => {
    const { chain, server } = await serve();
    const { ask, messages, received } = await connect(server.wsUrl);
    ask(1, 'slotSubscribe');
    await received(1);
    chain.advanceSlots(1);
    await received(2);
    ask(2, 'slotUnsubscribe', 1);
    await received(3);
    chain.advanceSlots(1);
    ask(3, 'getHealth');
    await received(4);
    expect(messages.at(-1)).toMatchObject({ id: 3, result: 'ok' });
  });
});

describe('closing', () => {
  test('ends every connection and leaves no server, socket or timer behind', async () => {
    const handles = () => process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind)).length;
    const before = handles();
    const { chain, server } = await serve({ clock: 'auto' });
    const socket = new WebSocket(server.wsUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    await post(server.rpcUrl, stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' }));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await server.close();
    chain.close();
    await closed;
    await eventually(() => expect(handles()).toBeLessThanOrEqual(before));
    await expect(fetch(server.rpcUrl)).rejects.toThrow();
  });

  test('a taken port is an error, and a taken next port leaves WebSockets on the RPC port', async () => {
    const { chain, server } = await serve();
    const taken = Number(new URL(server.wsUrl).port);
    await expect(startRpc({ chain, port: taken })).rejects.toThrow(/EADDRINUSE/);
    const below = Number(new URL(server.rpcUrl).port);
    await server.close();
    const neighbour = await startRpc({ chain, port: taken });
    const squeezed = await startRpc({ chain, port: below });
    expect(squeezed.wsUrl).toBe(squeezed.rpcUrl.replace('http', 'ws'));
    await Promise.all([neighbour.close(), squeezed.close()]);
  });
});
