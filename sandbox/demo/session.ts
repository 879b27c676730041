/**
 * The two connections of the demo: a real MCP client talking to a spawned `countersign serve --sandbox`, and an
 * independent reader of the same chain. Every figure the demo shows comes through the reader.
 */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { asRecord } from '../../src/base/record.ts';

/** A tool call's outcome as the agent would see it. */
export interface ToolAnswer {
  isError: boolean;
  data: Record<string, unknown>;
  text: string;
}

export interface DemoSession extends Pick<Connected, 'call'> {
  /** JSON-RPC to the sandbox's chain, not through the server under demonstration. */
  rpc<T>(method: string, params?: unknown[]): Promise<T>;
  /** Sandbox-only controls of the embedded service (hostile answers, administrator's settings). */
  control(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The service itself, as another client of it would call. */
  readonly service: ServiceCall;
  close(): Promise<void>;
}

/** A client of a spawned server, and its calls. */
export interface Connected {
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** The longest a call may take. */
const CALL_TIMEOUT_MS = 120_000;

/** Spawns `countersign` by its script and connects. Rejects with what it said on standard error when it does not start. */
export async function connect(
  client: Client,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    env,
    stderr: 'pipe',
  });
  let complaints = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString('utf8')).slice(-2000);
  });
  try {
    await client.connect(transport);
  } catch (error) {
    throw new Error(`the server did not start: ${complaints || String(error)}`);
  }
  return {
    client,
    call: async (name, given = {}) => {
      const result = await client.callTool({ name, arguments: given }, { timeout: CALL_TIMEOUT_MS });
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { isError: result.isError === true, data: asRecord(result.structuredContent), text };
    },
  };
}

/** Starts a server with a sandbox in a home folder, and learns where its sandbox listens. */
export async function openSession(script: string, home: string): Promise<DemoSession> {
  const client = new Client({ name: 'countersign-demo', version: '1.0.0' });
  const args = [script, 'serve', '--sandbox', '--profile', 'bags'];
  const { call } = await connect(client, args, { ...inheritedEnvironment(), COUNTERSIGN_HOME: home });
  const status = await call('get_status');
  const rpcUrl = text(status.data, 'rpcUrl');
  const rootUrl = text(status.data, 'rootUrl');
  return {
    call,
    rpc: async <T>(method: string, params: unknown[] = []): Promise<T> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const answer = asRecord(await response.json());
      if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
      return answer.result as T; // the caller names the shape of the method it calls
    },
    control: async (path, body) => {
      const response = await fetch(`${rootUrl}/sandbox/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok)
        throw new Error(`sandbox control ${path}: ${response.status} ${await response.text()}`);
      return asRecord(await response.json());
    },
    service: serviceCalls(rootUrl),
    close: () => client.close(),
  };
}

/** One request to the service, and what it answers. */
export type ServiceCall = (
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
  apiKey?: string,
) => Promise<Record<string, unknown>>;

/** Calls of the service at a root URL. Rejects with the service's answer where it refuses. */
const serviceCalls =
  (rootUrl: string): ServiceCall =>
  async (method, path, body, apiKey) => {
    const response = await fetch(`${rootUrl}/api/v1${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = asRecord(await response.json());
    if (answer.success !== true) throw new Error(`${path}: ${JSON.stringify(answer).slice(0, 300)}`);
    return asRecord(answer.response);
  };

/** Reads a value as a list of objects. */
export const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(asRecord) : [];

/** A string field that must be there. */
export function text(from: Record<string, unknown>, key: string): string {
  const value = from[key];
  if (typeof value !== 'string') throw new Error(`expected ${key} in ${JSON.stringify(from).slice(0, 300)}`);
  return value;
}

function inheritedEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith('COUNTERSIGN_')) kept[name] = value;
  }
  return kept;
}
