/**
 * JSON-RPC and WebSocket of one embedded chain, on loopback. WebSockets connect on the RPC port and, if it is free, on the
 * next port, the default of web3.js.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SandboxChain } from '../chain/chain.ts';
import { listen, portOf, shut } from '../listening.ts';
import { answer, withMethods } from './dispatch.ts';
import { RpcFaults } from './faults.ts';
import { TransportFailure } from './methods/transactions.ts';
import { RpcNode } from './node.ts';
import { Subscriptions } from './subscriptions.ts';

export interface RpcOptions {
  readonly chain: SandboxChain;
  /** 0 (unless told) takes a free port. */
  readonly port?: number;
  /** Loopback unless told. */
  readonly host?: string;
}

export interface RpcServer {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly faults: RpcFaults;
  /** Ends every connection. The chain goes on. */
  close(): Promise<void>;
}

/**
 * Idle timeout of connections. Node's default of five seconds is close to that of clients, so that a request could meet a
 * connection that is being closed.
 */
export const KEEP_ALIVE_MS = 60_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const PORT_PAIR_TRIES = 8;

/** Serves a chain. Rejects when the port is taken. */
export async function startRpc(options: RpcOptions): Promise<RpcServer> {
  const { chain, host = '127.0.0.1', port = 0 } = options;
  const faults = new RpcFaults();
  const node = new RpcNode(chain, faults);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
  });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    sockets.handleUpgrade(request, socket, head, (client) => serveSocket(client, node));
  const open = (onRequest: (request: IncomingMessage, response: ServerResponse) => void) =>
    createServer(onRequest).on('upgrade', upgrade);

  const rpc = open((request, response) => void serveHttp(request, response, node));
  rpc.keepAliveTimeout = KEEP_ALIVE_MS;
  const notRpc = open((_request, response) => response.writeHead(426).end());
  const wsPort = await listenOnPair(rpc, notRpc, port, host);
  const rpcPort = portOf(rpc);
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    rpcUrl: `http://${name}:${rpcPort}`,
    wsUrl: `ws://${name}:${wsPort ?? rpcPort}`,
    faults,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      await Promise.all([shut(rpc), wsPort === undefined ? undefined : shut(notRpc)]);
    },
  };
}

async function serveHttp(request: IncomingMessage, response: ServerResponse, node: RpcNode): Promise<void> {
  if (request.method === 'GET' && request.url === '/health') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  try {
    const body = await readBody(request);
    if (body === undefined) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const text = answer(body, node) ?? '';
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  } catch (error) {
    if (!(error instanceof TransportFailure) || error.fault === 'reset') request.socket.destroy();
    else response.writeHead(503, { 'content-type': 'text/plain' }).end('Service Unavailable');
  }
}

/** The whole body as text, or `undefined` when it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function serveSocket(client: WebSocket, node: RpcNode): void {
  const subscriptions = new Subscriptions(node, (text) => client.send(text));
  const lookup = withMethods(subscriptions.methods);
  client.on('message', (data) => {
    try {
      const text = answer(data.toString(), node, lookup);
      if (text !== undefined) client.send(text);
      // Notifications follow the answer of the subscription.
      subscriptions.publish();
    } catch {
      client.terminate();
    }
  });
  client.on('close', () => subscriptions.close());
  client.on('error', () => client.terminate());
}

/** Listens on `port` and, for WebSockets, on the next one. Returns the second port if it is free. */
async function listenOnPair(
  rpc: Server,
  ws: Server,
  port: number,
  host: string,
): Promise<number | undefined> {
  for (let tries = 1; ; tries += 1) {
    await listen(rpc, port, host);
    try {
      await listen(ws, portOf(rpc) + 1, host);
      return portOf(ws);
    } catch {
      if (port !== 0 || tries >= PORT_PAIR_TRIES) return undefined;
      await shut(rpc);
    }
  }
}
