/** A real `countersign serve --live` in a process of its own, and the MCP client that an agent would be. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { asRecord } from '../../base/record.ts';
import type { ToolAnswer } from '../../demo/session.ts';

export interface ServerOptions {
  /** The script that `node` runs as `countersign`. */
  readonly command: string;
  readonly home: string;
  readonly rootUrl: string;
  readonly rpcUrl: string;
  readonly secondRpcUrl?: string;
  readonly apiKey: string;
  readonly walletFile: string;
  /** Without one nothing is signed. */
  readonly policy?: string;
  /** What the person at the client says to one question after the other; without it the client cannot ask a person. */
  readonly person?: readonly Answer[];
}

/** An approval, or the dialog put away. */
export type Answer = 'approve' | 'later';

export interface AttackedServer {
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** The bytes of a stage, as the service gave them. */
  stageBytes(planId: string, stageId: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

const CALL_TIMEOUT_MS = 120_000;

/** Spawns the server and connects. Rejects with what it said on standard error when it does not start. */
export async function openServer(options: ServerOptions): Promise<AttackedServer> {
  const { command, home, rootUrl, rpcUrl, secondRpcUrl, apiKey, walletFile, policy, person } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      ...[command, 'serve', '--live', '--profile', 'bags', '--root-url', rootUrl, '--rpc-url', rpcUrl],
      ...['--toolsets', 'default,send'],
      ...(secondRpcUrl === undefined ? [] : ['--second-rpc-url', secondRpcUrl]),
      ...(policy === undefined ? [] : ['--policy', policy]),
    ],
    env: {
      ...path(),
      COUNTERSIGN_HOME: home,
      COUNTERSIGN_SECRET_STORE: 'env',
      COUNTERSIGN_WALLET_FILE: walletFile,
      COUNTERSIGN_API_KEY: apiKey,
    },
    stderr: 'pipe',
  });
  let complaints = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString('utf8')).slice(-2000);
  });
  const client = new Client(
    { name: 'countersign-attacks', version: '1.0.0' },
    person === undefined ? {} : { capabilities: { elicitation: { form: {} } } },
  );
  if (person !== undefined) {
    const answers = [...person];
    client.setRequestHandler('elicitation/create', () =>
      answers.shift() === 'approve'
        ? { action: 'accept', content: { decision: 'approve' } }
        : { action: 'cancel' },
    );
  }
  try {
    await client.connect(transport);
  } catch (error) {
    throw new Error(`the server did not start: ${complaints || String(error)}`);
  }
  return {
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args }, { timeout: CALL_TIMEOUT_MS });
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { isError: result.isError === true, data: asRecord(result.structuredContent), text };
    },
    stageBytes: async (planId, stageId) => {
      const { contents } = await client.readResource({ uri: `plan://${planId}/stages/${stageId}` });
      const [content] = contents;
      if (content === undefined || !('text' in content)) throw new Error(`stage ${stageId} has no bytes`);
      return new Uint8Array(Buffer.from(content.text, 'base64'));
    },
    close: () => client.close(),
  };
}

/** Only the variables that find programs are passed on from this process's environment. */
const path = (): Record<string, string> => (process.env.PATH === undefined ? {} : { PATH: process.env.PATH });
