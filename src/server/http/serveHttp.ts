/**
 * Serves over HTTP until the process exits. On a signal it rejects new calls, reports it at `/readyz`, waits for open
 * calls to reach a journaled state, and ends.
 *
 * Exit codes: 0 after a signal and all calls ended · 1 the address is in use · 70 an uncaught error.
 */
import { type Server as NodeServer, STATUS_CODES } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { HttpHandler } from './handler.ts';

/** Milliseconds that open calls get to end. A supervisor should wait longer before it kills the process. */
const GRACE_MS = 20_000;
/** Timeouts of a request and its headers, in milliseconds. */
const REQUEST_MS = 10_000;
const HEADERS_MS = 5_000;
const CHECK_MS = 1_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** Keep-alive timeout: longer than that of proxies, so that they never use a closed connection. */
const KEEP_ALIVE_MS = 75_000;
/** Interval for closing finished connections during shutdown. */
const SWEEP_MS = 20;
/** Maximum number of connections. */
const MAX_CONNECTIONS = 4_096;

/** Error for an address that cannot be bound. `hint` gives the next step. */
export class ListenError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'ListenError';
    this.hint = hint;
  }
}

export interface HttpServer {
  /** The bound address, `http://HOST:PORT`. */
  readonly origin: string;
  /**
   * Rejects new calls, waits for open ones for a limited time, and closes the rest. Keeps listening meanwhile, so
   * that `/readyz` can report the stop.
   */
  close(): Promise<void>;
}

/** Starts listening. Rejects with `ListenError`. */
export async function listenHttp(
  handler: HttpHandler,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const server = createAdaptorServer({
    fetch: (request: Request) => handler.fetch(request),
    overrideGlobalObjects: false,
    serverOptions: {
      requestTimeout: REQUEST_MS,
      headersTimeout: HEADERS_MS,
      // Node checks both timeouts at this interval; its default is 30 seconds.
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
  }) as NodeServer; // No HTTP/2 options are passed, so the server is node:http's.
  server.maxConnections = MAX_CONNECTIONS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(`HTTP/1.1 400 ${STATUS_CODES[400]}\r\nconnection: close\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server without a port');
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    origin: `http://${shown}:${address.port}`,
    close: async () => {
      // A keep-alive connection closes after its response.
      server.on('request', (_request, response) => response.setHeader('connection', 'close'));
      handler.drain();
      const grace = pause(GRACE_MS);
      await Promise.race([handler.idle(), grace]);
      const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
      const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      // Open event streams end here.
      await handler.close();
      await Promise.race([isClosed, grace]);
      clearInterval(sweeping);
      server.closeAllConnections();
      await isClosed;
    },
  };
}

function listenError({ code }: NodeJS.ErrnoException, host: string, port: number): ListenError {
  if (code === 'EADDRINUSE')
    return new ListenError(`Port ${port} of ${host} is in use.`, 'Choose another one with --port N.');
  if (code === 'EACCES')
    return new ListenError(
      `This user may not listen on port ${port}.`,
      'Choose a port above 1023 with --port N.',
    );
  return new ListenError(
    `${host} port ${port} cannot be bound (${code}).`,
    'Check the setting host, and --port.',
  );
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
