/** F03: a deadline covers the whole answer of the RPC, even if `fetch` loses its signal. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createChain } from '../../src/rpc/chain.ts';
import type { RpcFetch } from '../../src/rpc/jsonRpc.ts';
import { createManualClock } from '../service/manualClock.ts';

const MINUTE = 60_000;

/** An RPC that sends one byte of its answer for each `drip` and detects when the client disconnects. */
async function drippingRpc() {
  let answer = '';
  let sent = 0;
  let drip = () => {};
  let end = () => {};
  let resolveReceived = () => {};
  const received = new Promise<void>((resolve) => {
    resolveReceived = resolve;
  });
  let hungUp = () => {};
  const closed = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'genesis' });
      response.writeHead(200, { 'content-type': 'application/json' });
      drip = () => response.write(answer.charAt(sent++));
      end = () => response.end();
      response.on('close', hungUp);
      drip();
      resolveReceived();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    received,
    closed,
    drip: () => drip(),
    end: () => end(),
    left: () => answer.length - sent,
  };
}

/** A `fetch` that loses its signal, as possible on Node 20 and 22: its answer never ends. */
const deafFetch: RpcFetch = async () =>
  new Response(
    new ReadableStream({
      pull: async (stream) => {
        await new Promise((resolve) => setImmediate(resolve));
        stream.enqueue(new TextEncoder().encode(' '));
      },
    }),
  );

describe('the deadline of an RPC call', () => {
  it('F03 ends a response that arrives byte by byte, and closes the connection', async () => {
    const rpc = await drippingRpc();
    const clock = createManualClock();
    const chain = createChain({ rpcUrl: rpc.rpcUrl, fetch, timeoutMs: MINUTE, clock });
    const answer = chain.genesisHash().catch((error: unknown) => error);
    await rpc.received;
    clock.advance(MINUTE - 1);
    rpc.drip();
    clock.advance(1);
    expect(await answer).toMatchObject({ code: 'RPC_TIMEOUT' });
    await rpc.closed;
    expect(clock.pending()).toBe(0);
  });

  it('F03 accepts a slow response that completes in time, and leaves no timer behind', async () => {
    const rpc = await drippingRpc();
    const clock = createManualClock();
    const chain = createChain({ rpcUrl: rpc.rpcUrl, fetch, timeoutMs: MINUTE, clock });
    const answer = chain.genesisHash();
    await rpc.received;
    clock.advance(MINUTE - 1);
    while (rpc.left() > 0) rpc.drip();
    rpc.end();
    expect(await answer).toBe('genesis');
    expect(clock.pending()).toBe(0);
  });

  it('F03 applies if fetch ignores its aborted signal', async () => {
    const clock = createManualClock();
    const chain = createChain({ rpcUrl: 'http://rpc.invalid', fetch: deafFetch, timeoutMs: MINUTE, clock });
    const answer = chain.genesisHash().catch((error: unknown) => error);
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(MINUTE);
    expect(await answer).toMatchObject({ code: 'RPC_TIMEOUT' });
  });
});
