/** Serves one person's page on loopback, on a port the system chooses. */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { PageApp } from './auth.ts';

export interface Loopback {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Lets the process end while the server is listening. */
  unref(): void;
  /** Stops accepting connections and closes open ones after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Starts the server. `appAt` creates the app for `127.0.0.1:<port>`. */
export async function serveOnLoopback(appAt: (authority: string) => PageApp): Promise<Loopback> {
  let app: PageApp | undefined;
  const server = createAdaptorServer({
    fetch: (request: Request) => app?.fetch(request) ?? new Response(null, { status: 503 }),
    overrideGlobalObjects: false,
    serverOptions: {
      requestTimeout: 10_000,
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
    },
  }) as Server; // No HTTP/2 options are passed, so the server is node:http's.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server without a port');
  const authority = `127.0.0.1:${address.port}`;
  app = appAt(authority);
  return {
    origin: `http://${authority}`,
    unref: () => void server.unref(),
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
