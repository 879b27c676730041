/** A real HTTP server on loopback with the answers of a test, and a client for it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { contractProfile, type ServiceProfile } from '../../src/contract/profiles/index.ts';
import {
  createMemoryBudget,
  createServiceClient,
  type RateBudget,
  type ServiceClient,
  ServiceError,
} from '../../src/service/index.ts';
import { createManualClock, type ManualClock } from './manualClock.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Handler = (request: SeenRequest, response: ServerResponse, count: number) => void;

export interface LocalServer {
  readonly origin: string;
  readonly requests: SeenRequest[];
  /** Resolves when a client closes a connection before the end of its answer. */
  readonly hungUp: Promise<void>;
  close(): Promise<void>;
}

export async function startServer(handler: Handler): Promise<LocalServer> {
  const requests: SeenRequest[] = [];
  let noteHangUp = () => {};
  const hungUp = new Promise<void>((resolve) => {
    noteHangUp = resolve;
  });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on('close', () => {
      if (!response.writableFinished) noteHangUp();
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      requests.push(seen);
      handler(seen, response, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    hungUp,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts a server that is closed after the test. */
export async function serving(handler: Handler): Promise<LocalServer> {
  const server = await startServer(handler);
  onTestFinished(() => server.close());
  return server;
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export const ok = (response: ServerResponse, payload: unknown) =>
  json(response, 200, { success: true, response: payload });

export const API_KEY = 'sk_live_very-secret-value';

export interface TestClient {
  readonly client: ServiceClient;
  readonly clock: ManualClock;
  /** Requests taken from the budget. */
  readonly taken: number[];
}

export function clientFor(
  rootUrl: string,
  options: {
    apiKey?: string | null;
    profile?: ServiceProfile;
    budget?: RateBudget;
    fetch?: typeof fetch;
  } = {},
): TestClient {
  const clock = createManualClock();
  const taken: number[] = [];
  const budget = options.budget ?? createMemoryBudget({ now: clock.now });
  const key = options.apiKey === undefined ? API_KEY : (options.apiKey ?? undefined);
  const client = createServiceClient({
    profile: options.profile ?? contractProfile,
    rootUrl,
    apiKey: async () => key,
    fetch: options.fetch ?? fetch,
    clock,
    budget: {
      take: (count, purpose) => {
        taken.push(count);
        return budget.take(count, purpose);
      },
    },
  });
  return { client, clock, taken };
}

/** Returns the `ServiceError` a call rejects with. Fails if it resolves or rejects with anything else. */
export async function errorOf(call: Promise<unknown>): Promise<ServiceError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof ServiceError)) throw new Error(`expected a ServiceError, got ${String(outcome)}`);
  return outcome;
}

/** Returns all text of an error that could reach a user, a model or a log. */
export const everythingOf = (error: ServiceError): string =>
  `${error.message}\n${error.stack}\n${JSON.stringify({ ...error, cause: error.cause })}`;
