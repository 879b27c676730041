/**
 * The product's MCP server behind HTTP, for suites that speak nothing else. Test-only: the product serves stdio. The
 * server, its catalogue, prompts, resources and sandbox are the real ones; only the transport is the SDK's.
 */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts';
import { createServer } from '../../src/server/index.ts';
import { addExtras } from './extras.ts';

export interface HttpFixture {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it on a free loopback port, with a sandbox of its own. */
export async function startFixture(): Promise<HttpFixture> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-conformance-'));
  let runtime: Promise<Runtime> | undefined;
  const open = (): Promise<Runtime> => {
    runtime ??= openRuntime({ mode: 'sandbox', profile: 'contract', home, env: {} });
    return runtime;
  };
  const server = createServer({ version: '0.0.0', mode: 'sandbox', openHost: open, log: () => undefined });
  const connection = (): Server => addExtras(server.connection(), open);
  const modern = createMcpHandler(connection, { legacy: 'reject' });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  /** The 2025 revisions keep a session: one server, one transport, for all its requests. */
  const legacy = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return known.handleRequest(request);
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await connection().connect(transport);
    return transport.handleRequest(request);
  };
  const http = createHttpServer(async (incoming, outgoing) => {
    const request = await asRequest(incoming);
    const response = isLocal(request)
      ? await ((await isLegacyRequest(request)) ? legacy(request) : modern.fetch(request))
      : new Response('forbidden', { status: 403 });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    // Each piece at once: an event stream waits for the client's answer between two of them.
    for await (const piece of response.body ?? []) outgoing.write(piece);
    outgoing.end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address with a port.
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await (await runtime)?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A Node request as the web's. */
async function asRequest(incoming: IncomingMessage): Promise<Request> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const { method = 'GET', url = '/' } = incoming;
  const body = method === 'GET' || method === 'HEAD' ? undefined : Buffer.concat(pieces);
  return new Request(new URL(url, `http://${incoming.headers.host ?? 'localhost'}`), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

/** A page on another origin must not reach a local server (DNS rebinding). */
function isLocal(request: Request): boolean {
  const local = (url: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
  const origin = request.headers.get('origin');
  return local(request.url) && (origin === null || local(origin));
}
