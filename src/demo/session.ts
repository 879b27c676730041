/**
 * The two connections of the demo: a real MCP client talking to a spawned `countersign serve --sandbox`, and an
 * independent reader of the same chain. Every figure the demo shows comes through the reader.
 */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { asRecord } from '../base/record.ts';

/** A tool call's outcome as the agent would see it. */
export interface ToolAnswer {
  isError: boolean;
  data: Record<string, unknown>;
  text: string;
}

export interface DemoSession {
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** JSON-RPC to the sandbox's chain, not through the server under demonstration. */
  rpc<T>(method: string, params?: unknown[]): Promise<T>;
  /** Sandbox-only controls of the embedded service (hostile answers, administrator's settings). */
  control(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Spawns the server, connects a client, and learns where its sandbox listens. */
export async function openSession(options: {
  command: string;
  args: string[];
  home: string;
}): Promise<DemoSession> {
  const transport = new StdioClientTransport({
    command: options.command,
    args: options.args,
    env: { ...inheritedEnvironment(), COUNTERSIGN_HOME: options.home },
    stderr: 'pipe',
  });
  let complaints = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString('utf8')).slice(-2000);
  });
  const client = new Client({ name: 'countersign-demo', version: '1.0.0' });
  try {
    await client.connect(transport);
  } catch (error) {
    throw new Error(`the server did not start: ${complaints || String(error)}`);
  }
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const result = await client.callTool({ name: tool, arguments: args }, { timeout: 120_000 });
    const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return { isError: result.isError === true, data: asRecord(result.structuredContent), text };
  };
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
    close: () => client.close(),
  };
}

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
