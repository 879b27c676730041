/** Served chain for tests, and a bare JSON-RPC client. */
import { onTestFinished } from 'vitest';
import { type ChainOptions, createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { parse, stringify } from '../../../sandbox/rpc/json.ts';
import { type RpcServer, startRpc } from '../../../sandbox/rpc/server.ts';

export interface Served {
  readonly chain: SandboxChain;
  readonly server: RpcServer;
  /** Calls a method and returns the whole response. */
  call(method: string, ...params: unknown[]): Promise<RpcAnswer>;
}

export interface RpcAnswer {
  // Result, whose shape differs by method.
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Starts a chain with a clock moved by hand and serves it until the test ends. */
export async function serve(options: Partial<ChainOptions> = {}): Promise<Served> {
  const chain = await createChain({ clock: 'manual', ...options });
  const server = await startRpc({ chain });
  onTestFinished(async () => {
    chain.close();
    await server.close();
  });
  return {
    chain,
    server,
    call: async (method, ...params) => {
      const answer = await post(server.rpcUrl, stringify({ jsonrpc: '2.0', id: 1, method, params }));
      return parse(answer) as RpcAnswer;
    },
  };
}

/** Posts a body. Returns the response text. */
export async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return response.text();
}

/** Advances one slot after every transaction, for clients that wait for `confirmed`. */
export function confirmEverything(chain: SandboxChain): void {
  chain.on('transaction', () => setImmediate(() => chain.advanceSlots(1)));
}
