/** HTTP server for tests: the real handler and listener, and principals whose tools answer without a home. */
import { request as send } from 'node:http';
import type { OpenHost } from '../../../src/server/host.ts';
import type { Authenticator, Identity, Principal } from '../../../src/server/http/caller.ts';
import {
  createHttpHandler,
  type HandlerOptions,
  type RequestRecord,
} from '../../../src/server/http/handler.ts';
import { listenHttp } from '../../../src/server/http/serveHttp.ts';
import { createServer } from '../../../src/server/index.ts';

export interface Served {
  readonly origin: string;
  readonly url: string;
  readonly records: RequestRecord[];
  close(): Promise<void>;
}

/** Returns a principal that can list tools; calls that need a home return an error. */
export const principal = (
  name: string,
  more: Partial<Omit<Principal, 'name' | 'server'>> = {},
  openHost: OpenHost = async () => {
    throw new Error('no home in this test');
  },
): Principal => ({
  name,
  callsPerMinute: 6_000,
  callsAtOnce: 16,
  ...more,
  server: createServer({
    version: '0.0.0',
    mode: 'sandbox',
    openHost,
    log: () => undefined,
  }),
});

export async function serve(
  authenticator: Authenticator,
  principalOf: (identity: Identity) => Principal | undefined,
  more: Partial<HandlerOptions> = {},
): Promise<Served> {
  const records: RequestRecord[] = [];
  const handler = createHttpHandler({
    hostnames: ['127.0.0.1', 'localhost'],
    authenticator,
    principalOf,
    unready: async () => undefined,
    record: (record) => void records.push(record),
    passed: () => performance.now(),
    redact: async (text) => text,
    ...more,
  });
  const http = await listenHttp(handler, { host: '127.0.0.1', port: 0 });
  return { origin: http.origin, url: `${http.origin}/mcp`, records, close: () => http.close() };
}

/** Response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends one request verbatim, `Host` included, which `fetch` cannot set. `target`: address of the request line. */
export const post = (
  url: string,
  body: string | object,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
  target?: string,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const clientRequest = send(
      url,
      {
        method,
        ...(target === undefined ? {} : { path: target }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        let got = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          got += piece;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: got }),
        );
        response.on('error', reject);
      },
    );
    clientRequest.on('error', reject);
    clientRequest.end(method === 'POST' ? text : undefined);
  });

/** First request of a 2025-11-25 client. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Returns a request of a 2026-07-28 client, which is stateless. */
export const modern = (method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
export const modernHeaders = (method: string, name?: string): Record<string, string> => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});
