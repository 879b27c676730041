/**
 * Harness of the end-to-end tests: the built command as a server behind a bare MCP client, a separate sandbox process,
 * a home in a temporary folder, and a proxy that can hold the RPC's sends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import bs58 from 'bs58';

export const COMMAND = resolve(import.meta.dirname, '../../dist/countersign.js');

export type Fields = Record<string, unknown>;

export const object = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
export const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(object) : []);
export const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new Error(`expected text, got ${JSON.stringify(value)}`);
  return value;
};

function environment(more: Record<string, string>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith('COUNTERSIGN_')) kept[name] = value;
  }
  return { ...kept, ...more };
}

/** Server process with a bare JSON-RPC line client. */
export class McpProcess {
  readonly child: ChildProcess;
  stderr = '';
  readonly notifications: Fields[] = [];
  #buffer = '';
  #next = 1;
  readonly #waiting = new Map<number, (message: Fields) => void>();

  constructor(args: readonly string[], env: Record<string, string>, command = [COMMAND, 'serve']) {
    this.child = spawn(process.execPath, [...command, ...args], { env: environment(env) });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.child.stdout?.on('data', (chunk) => this.#read(String(chunk)));
    // A killed process reads nothing more; tests wait for its exit.
    this.child.stdin?.on('error', () => undefined);
  }

  #read(chunk: string): void {
    this.#buffer += chunk;
    for (let end = this.#buffer.indexOf('\n'); end >= 0; end = this.#buffer.indexOf('\n')) {
      const message = object(JSON.parse(this.#buffer.slice(0, end)));
      this.#buffer = this.#buffer.slice(end + 1);
      const waiting = typeof message.id === 'number' ? this.#waiting.get(message.id) : undefined;
      if (waiting === undefined) this.notifications.push(message);
      else waiting(message);
    }
  }

  request(method: string, params: Fields = {}): Promise<Fields> {
    const id = this.#next++;
    const answer = new Promise<Fields>((done) => this.#waiting.set(id, done));
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer;
  }

  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    this.child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  /** Calls a tool. Returns the whole MCP result. */
  async call(name: string, args: Fields = {}): Promise<{ isError: boolean; data: Fields; text: string }> {
    const message = await this.request('tools/call', { name, arguments: args });
    const result = object(message.result);
    const content = objects(result.content);
    return {
      isError: result.isError === true || message.error !== undefined,
      data: object(result.structuredContent),
      text: message.error === undefined ? String(content[0]?.text ?? '') : JSON.stringify(message.error),
    };
  }

  /** Calls a tool. Throws unless it succeeds. */
  async ok(name: string, args: Fields = {}): Promise<Fields> {
    const answer = await this.call(name, args);
    if (answer.isError) throw new Error(`${name}: ${answer.text}`);
    return answer.data;
  }

  stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    return new Promise((done) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return done(this.child.exitCode);
      this.child.once('exit', (code) => done(code));
      this.child.kill(signal);
    });
  }
}

export async function startServer(
  args: readonly string[],
  env: Record<string, string>,
  command?: string[],
): Promise<McpProcess> {
  const server = new McpProcess(args, env, command);
  await server.initialize();
  return server;
}

export interface SandboxProcess {
  readonly rootUrl: string;
  readonly rpcUrl: string;
  readonly apiKey: string;
  readonly jwt: string;
  rpc(method: string, params?: unknown[]): Promise<unknown>;
  control(name: string, body: Fields): Promise<Fields>;
  stop(): void;
}

/** Starts `countersign sandbox --json` as a separate process. */
export async function startSandbox(args: readonly string[] = []): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [COMMAND, 'sandbox', '--json', ...args], {
    env: environment({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const line = await new Promise<string>((done, failed) => {
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.includes('\n')) done(out.split('\n', 1)[0] ?? '');
    });
    child.on('exit', () => failed(new Error(`the sandbox ended: ${complaints}`)));
  });
  const message = object(JSON.parse(line));
  const rpcUrl = text(message.rpcUrl);
  const rootUrl = text(message.rootUrl);
  const post = async (url: string, body: unknown) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return object(await response.json());
  };
  return {
    rootUrl,
    rpcUrl,
    apiKey: text(message.apiKey),
    jwt: text(message.jwt),
    rpc: async (method, params = []) => {
      const answer = await post(rpcUrl, { jsonrpc: '2.0', id: 1, method, params });
      if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
      return answer.result;
    },
    control: (name, body) => post(`${rootUrl}/sandbox/${name}`, body),
    stop: () => child.kill('SIGKILL'),
  };
}

export interface TestWallet {
  readonly address: string;
  readonly file: string;
  readonly home: string;
}

/** Creates a home with a wallet file in `solana-keygen` format. */
export function createHome(): TestWallet {
  const home = mkdtempSync(join(tmpdir(), 'countersign-e2e-'));
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const file = join(home, 'wallet.json');
  writeFileSync(file, JSON.stringify([...seed, ...bytes]), { mode: 0o600 });
  chmodSync(file, 0o600);
  return { address: bs58.encode(bytes), file, home };
}

export const someAddress = (): string =>
  bs58.encode(generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));

/** Returns the environment of a live server with secrets in variables. */
export const liveEnvironment = (wallet: TestWallet, sandbox: SandboxProcess): Record<string, string> => ({
  COUNTERSIGN_HOME: wallet.home,
  COUNTERSIGN_SECRET_STORE: 'env',
  COUNTERSIGN_WALLET_FILE: wallet.file,
  COUNTERSIGN_API_KEY: sandbox.apiKey,
});

/** Runs a subcommand to its end. */
export function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('exit', (code) => done({ code, out, err }));
  });
}

/**
 * Starts a proxy before an RPC. While `holding`, sends are dropped without an answer; `held` counts them. Methods in
 * `refused` do not exist.
 */
export async function startProxy(target: string): Promise<{
  url: string;
  state: { holding: boolean; held: string[]; sent: string[]; refused: string[] };
  nextHeld(): Promise<void>;
  close(): void;
}> {
  const state = { holding: false, held: [] as string[], sent: [] as string[], refused: [] as string[] };
  let wake = () => {};
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', async () => {
      const { id, method, params } = object(JSON.parse(body));
      if (state.refused.includes(text(method))) {
        const error = { code: -32_601, message: 'Method not found' };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        return;
      }
      if (method === 'sendTransaction') {
        const transaction = String(Array.isArray(params) ? params[0] : '');
        if (state.holding) {
          state.held.push(transaction);
          wake();
          return;
        }
        state.sent.push(transaction);
      }
      const answer = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      response.setHeader('content-type', 'application/json');
      response.end(await answer.text());
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address() as AddressInfo; // listening on a port, never a pipe
  return {
    url: `http://127.0.0.1:${address.port}`,
    state,
    nextHeld: () =>
      state.held.length > 0
        ? Promise.resolve()
        : new Promise<void>((done) => {
            wake = done;
          }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
