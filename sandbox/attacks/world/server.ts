/** A real `countersign serve --live` process and the agent's MCP client. */
import { Client } from '@modelcontextprotocol/client';
import { type Connected, connect } from '../../demo/session.ts';

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
  /** Answers to successive questions; without them the client does not support elicitation. */
  readonly person?: readonly Answer[];
}

/** An approval, or a dismissed dialog. */
export type Answer = 'approve' | 'later';

export interface AttackedServer extends Pick<Connected, 'call'> {
  /** The bytes of a stage, as the service gave them. */
  stageBytes(planId: string, stageId: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Spawns the server and connects. Rejects with its standard error if it does not start. */
export async function openServer(options: ServerOptions): Promise<AttackedServer> {
  const { command, home, rootUrl, rpcUrl, secondRpcUrl, apiKey, walletFile, policy, person } = options;
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
  const args = [
    ...[command, 'serve', '--live', '--profile', 'bags', '--root-url', rootUrl, '--rpc-url', rpcUrl],
    ...['--toolsets', 'default,send'],
    ...(secondRpcUrl === undefined ? [] : ['--set', `second-rpc-url=${secondRpcUrl}`]),
    ...(policy === undefined ? [] : ['--policy', policy]),
  ];
  const { call } = await connect(client, args, {
    ...path(),
    COUNTERSIGN_HOME: home,
    COUNTERSIGN_SECRET_STORE: 'env',
    COUNTERSIGN_WALLET_FILE: walletFile,
    COUNTERSIGN_API_KEY: apiKey,
  });
  return {
    call,
    stageBytes: async (planId, stageId) => {
      const { contents } = await client.readResource({ uri: `plan://${planId}/stages/${stageId}` });
      const [content] = contents;
      if (content === undefined || !('text' in content)) throw new Error(`stage ${stageId} has no bytes`);
      return new Uint8Array(Buffer.from(content.text, 'base64'));
    },
    close: () => client.close(),
  };
}

/** The only inherited environment variable. */
const path = (): Record<string, string> => (process.env.PATH === undefined ? {} : { PATH: process.env.PATH });
