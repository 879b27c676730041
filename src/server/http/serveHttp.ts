/**
 * Serving over HTTP, from the first connection to the exit code. Told to stop, it takes no new call, says so at
 * `/readyz`, lets open calls get to a journaled state, and ends.
 *
 * Exit codes: 0 after a signal that let every call end · 1 the address is taken · 70 an uncaught error.
 */
import { type Server as NodeServer, STATUS_CODES } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { HttpHandler } from './handler.ts';

/** How long open calls get to end, in milliseconds. A supervisor should wait longer before it kills. */
const GRACE_MS = 20_000;
/** How long a request may take to come in, and its headers. */
const REQUEST_MS = 10_000;
const HEADERS_MS = 5_000;
const CHECK_MS = 1_000;
const MAX_HEADER_BYTES = 32 * 1024;
/** How long an idle connection stays open: longer than proxies keep theirs, so that they never send into a closed one. */
const KEEP_ALIVE_MS = 75_000;
/** How often connections whose answer has left are closed while the server ends. */
const SWEEP_MS = 20;
/** Most connections at a time. */
const MAX_CONNECTIONS = 4_096;

/** The address cannot be listened on. `hint` says what to do. */
export class ListenError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'ListenError';
    this.hint = hint;
  }
}

export interface HttpServer {
  /** `http://HOST:PORT` as it listens. */
  readonly origin: string;
  /**
   * Takes no new call, waits for open ones to end, at most so long, and closes the rest. Until then it listens, so that
   * `/readyz` can say that it is stopping.
   */
  close(): Promise<void>;
}

/** Listens. Rejects with `ListenError`. */
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
      // Node checks both timeouts only this often; its default is 30 seconds.
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
  }) as NodeServer; // Without options for HTTP/2 it is node:http's.
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
      // A connection that is kept alive closes once its answer has left.
      server.on('request', (_request, response) => response.setHeader('connection', 'close'));
      handler.drain();
      const grace = pause(GRACE_MS);
      await Promise.race([handler.idle(), grace]);
      const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
      const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      // Open event streams are no work: they end here.
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
    return new ListenError(`Port ${port} of ${host} is taken.`, 'Choose another one with --port N.');
  if (code === 'EACCES')
    return new ListenError(
      `This user may not listen on port ${port}.`,
      'Choose a port above 1023 with --port N.',
    );
  return new ListenError(
    `${host} port ${port} cannot be listened on (${code}).`,
    'Check the setting host, and --port.',
  );
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
