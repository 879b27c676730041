/** Bare MCP client: one JSON message a line to a spawned server, with a separate environment. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Speaker {
  ask(method: string, params?: Record<string, unknown>): Promise<Answer>;
  notify(method: string, params?: Record<string, unknown>): void;
  /** Closes stdin and returns the exit code. */
  end(): Promise<number | null>;
}

/** Returns the environment of a machine with Node and nothing of ours. */
export const bareEnvironment = (home: string): Record<string, string> => ({
  HOME: home,
  PATH: process.env.PATH ?? '',
  ...(process.env.npm_config_cache === undefined ? {} : { npm_config_cache: process.env.npm_config_cache }),
});

/** Spawns a server outside this project and speaks MCP to it. */
export function speakTo(command: string, args: readonly string[], env: Record<string, string>): Speaker {
  const child = spawn(command, [...args], { stdio: ['pipe', 'pipe', 'pipe'], cwd: tmpdir(), env });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const waiting = new Map<number, (answer: Answer) => void>();
  let complaints = '';
  let rest = '';
  let id = 0;
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString('utf8');
  });
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message: Answer & { id?: number } = JSON.parse(line);
      if (message.id !== undefined) waiting.get(message.id)?.(message);
    }
  });
  const send = (message: Record<string, unknown>): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    notify: (method, params = {}) => send({ method, params }),
    ask: (method, params = {}) => {
      id += 1;
      send({ id, method, params });
      const mine = id;
      return Promise.race([
        new Promise<Answer>((resolve) => waiting.set(mine, resolve)),
        ended.then((code) => Promise.reject(new Error(`the server ended (${code}): ${complaints}`))),
      ]);
    },
    end: () => {
      child.stdin.end();
      return ended;
    },
  };
}

/** Initializes, lists the tools, and calls two that need native code: the ledger and the sandbox's chain. */
export async function firstMinute(
  speaker: Speaker,
): Promise<{ tools: string[]; status: unknown; wallet: unknown }> {
  await speaker.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  speaker.notify('notifications/initialized');
  const { result: list } = await speaker.ask('tools/list');
  const call = async (name: string): Promise<unknown> =>
    (await speaker.ask('tools/call', { name, arguments: {} })).result?.structuredContent;
  const tools = Array.isArray(list?.tools) ? list.tools.map((tool: { name: string }) => tool.name) : [];
  return { tools, status: await call('get_status'), wallet: await call('get_wallet') };
}

/** Registers a token and splits its fees with another wallet. Returns the final status of its plan. */
export async function firstPlan(speaker: Speaker): Promise<unknown> {
  const call = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { result, error } = await speaker.ask('tools/call', { name, arguments: args });
    if (result?.isError === true || error !== undefined)
      throw new Error(`${name}: ${JSON.stringify(error ?? result?.content)}`);
    return Object(result?.structuredContent);
  };
  const { address } = await call('get_wallet', {});
  const token = await call('create_token_info', {
    name: 'Packed',
    symbol: 'PACK',
    description: 'made from an installed package',
    imageUrl: 'https://example.com/a.png',
  });
  const { plan } = await call('create_fee_share_config', {
    baseMint: token.tokenMint,
    payer: address,
    flow: 'damm_v2_direct',
    claimersArray: [address],
    basisPointsArray: [10_000],
  });
  const { planId } = Object(plan);
  for (;;) {
    const { status } = Object((await call('submit_plan', { planId, waitSeconds: 30 })).plan);
    if (status !== 'running' && status !== 'waiting_setup' && status !== 'ready') return status;
  }
}
