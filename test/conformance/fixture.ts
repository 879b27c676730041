/**
 * The product's MCP server over HTTP, for suites without stdio. Server, catalogue, prompts, resources, sandbox and HTTP
 * handling are real; only token checks are disabled, since the suite has no tokens.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts';
import { createHttpHandler } from '../../src/server/http/handler.ts';
import { listenHttp } from '../../src/server/http/serveHttp.ts';
import { createServer } from '../../src/server/index.ts';
import { addExtras } from './extras.ts';

export interface HttpFixture {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the server on a free loopback port with its own sandbox. Every caller is admitted without a token. */
export async function startFixture(): Promise<HttpFixture> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-conformance-'));
  let runtime: Promise<Runtime> | undefined;
  const open = (): Promise<Runtime> => {
    runtime ??= openRuntime({ mode: 'sandbox', profile: 'contract', home, env: {} });
    return runtime;
  };
  const server = createServer({ version: '0.0.0', mode: 'sandbox', openHost: open, log: () => undefined });
  const principal = {
    name: 'conformance',
    server: { ...server, connection: () => addExtras(server.connection(), open) },
    callsPerMinute: 100_000,
    callsAtOnce: 1_000,
  };
  const handler = createHttpHandler({
    hostnames: ['127.0.0.1', 'localhost', '[::1]'],
    authenticator: {
      check: async () => ({
        ok: true,
        identity: { tokenFile: 'none' },
        auth: { token: '', clientId: 'conformance', scopes: ['read', 'build', 'submit'] },
      }),
    },
    principalOf: () => principal,
    unready: async () => undefined,
    record: () => undefined,
    passed: () => performance.now(),
    redact: async (text) => text,
  });
  const http = await listenHttp(handler, { host: '127.0.0.1', port: 0 });
  return {
    url: `${http.origin}/mcp`,
    close: async () => {
      await http.close();
      await (await runtime)?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
