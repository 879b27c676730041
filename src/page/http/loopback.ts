/**
 * An HTTP server on loopback, on a port the system chooses, for a page that one person has open. Every answer leaves
 * under the same strict headers, and the text of an unexpected error is never shown.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { securityHeaders } from './guard.ts';

/** What is answered: a page, JSON for the script, or another address. */
export interface Reply {
  readonly status: number;
  readonly type?: 'text/html; charset=utf-8' | 'application/json';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoopbackParts {
  /** Answers a request. `authority` is `127.0.0.1:<port>`, `nonce` that of the answer's style and script. */
  readonly route: (request: IncomingMessage, authority: string, nonce: string) => Promise<Reply>;
  /** The answer when `route` threw. */
  readonly failed: (nonce: string) => Reply;
}

export interface Loopback {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Lets the process end while the server still listens. */
  unref(): void;
  /** Cuts every connection. */
  close(): Promise<void>;
  /** Takes no new connection and lets the answers under way leave, for a second at most. */
  finish(): Promise<void>;
}

/** Starts the server. */
export async function serveOnLoopback(parts: LoopbackParts): Promise<Loopback> {
  let authority = '';
  const server = createServer({
    requestTimeout: 10_000,
    headersTimeout: 5_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16_384,
  });
  server.on('request', (request, response) => {
    void answer(parts, authority, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server without a port');
  authority = `127.0.0.1:${address.port}`;
  return {
    origin: `http://${authority}`,
    unref: () => void server.unref(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    finish: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), 1_000);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

async function answer(
  parts: LoopbackParts,
  authority: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  let reply: Reply;
  try {
    reply = await parts.route(request, authority, nonce);
  } catch {
    // The text of an unexpected error may hold a secret.
    reply = parts.failed(nonce);
  }
  const { status, type = 'text/html; charset=utf-8', body = '', headers = {} } = reply;
  response.writeHead(status, {
    ...securityHeaders(nonce),
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** The fields of a form. Larger bodies and other types hold none. */
export async function formOf(request: IncomingMessage, mostBytes: number): Promise<URLSearchParams> {
  const none = new URLSearchParams();
  if (request.headers['content-type']?.split(';', 1)[0] !== 'application/x-www-form-urlencoded') return none;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) return none;
    size += chunk.length;
    if (size > mostBytes) return none;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  try {
    return new URLSearchParams(body.toString('utf8'));
  } finally {
    body.fill(0);
    for (const chunk of chunks) chunk.fill(0);
  }
}
