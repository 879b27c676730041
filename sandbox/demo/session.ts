/**
 * Connections of the demo: an MCP client of a spawned `countersign serve --sandbox`, and an independent reader of the same
 * chain, the source of all shown figures.
 */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { asRecord } from '../../src/base/record.ts';

/** The result of a tool call. */
export interface ToolAnswer {
  isError: boolean;
  data: Record<string, unknown>;
  text: string;
}

export interface DemoSession extends Pick<Connected, 'call'> {
  /** Calls the chain's JSON-RPC directly. */
  rpc<T>(method: string, params?: unknown[]): Promise<T>;
  /** Calls a control of the sandbox. */
  control(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Calls the service as another client. */
  readonly service: ServiceCall;
  close(): Promise<void>;
}

/** A client of a spawned server, and its calls. */
export interface Connected {
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** Timeout of a call. */
const CALL_TIMEOUT_MS = 120_000;

/** Spawns `countersign` by its script and connects. Rejects with its standard error if it does not start. */
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

/** Starts a server with a sandbox in a home folder, and connects to both. */
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

/** Sends a request to the service and returns its answer. */
export type ServiceCall = (
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
  apiKey?: string,
) => Promise<Record<string, unknown>>;

/** Calls the service at a root URL. Rejects with the answer of a failed request. */
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

/** Returns a required string field. */
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
