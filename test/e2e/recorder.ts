/**
 * Proxy in front of the service that records every forwarded request, and can change the payload of an answer. Requests
 * it did not record were not sent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fields, object } from './harness.ts';

export interface SentRequest {
  readonly method: string;
  /** Below the root, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Changes the payload of an answer by returning its replacement. */
export type Change = (payload: unknown, path: string) => unknown;

export interface Recorder {
  readonly url: string;
  readonly sent: SentRequest[];
  /** Changes every answer until called without an argument. */
  change(by?: Change): void;
  close(): void;
}

/** Forwards everything to `target`, an origin. */
export async function startRecorder(target: string): Promise<Recorder> {
  const sent: SentRequest[] = [];
  let changed: Change | undefined;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) {
      if (!['host', 'connection', 'content-length', 'transfer-encoding'].includes(name))
        headers[name] = String(value);
    }
    const method = request.method ?? 'GET';
    const path = request.url ?? '/';
    sent.push({ method, path, headers, body: body.toString('utf8') });
    const answer = await fetch(`${target}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.setHeader('content-type', answer.headers.get('content-type') ?? 'application/json');
    response.statusCode = answer.status;
    response.end(changed === undefined || answer.status !== 200 ? text : rewritten(text, changed, path));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address() as AddressInfo; // listening on a port, never a pipe
  return {
    url: `http://127.0.0.1:${address.port}`,
    sent,
    change: (by) => {
      changed = by;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function rewritten(text: string, change: Change, path: string): string {
  const body: Fields = object(JSON.parse(text));
  if (!('response' in body)) return JSON.stringify(change(body, path));
  return JSON.stringify({ ...body, response: change(body.response, path) });
}
