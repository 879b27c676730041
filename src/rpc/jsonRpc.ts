/**
 * JSON-RPC over HTTP POST: one deadline a call, a cap on the answer, no redirects, and integers beyond 2^53 kept
 * exact. Every field of an answer is checked in `read.ts` before it is used.
 */
import { type Clock, DeadlineError, orAborted, systemClock, withDeadline } from '../clock.ts';
import { ChainError } from './errors.ts';

export type RpcFetch = (url: string, init: RequestInit) => Promise<Response>;

export interface JsonRpcOptions {
  readonly url: string;
  /** Default: the global `fetch`. */
  readonly fetch?: RpcFetch | undefined;
  /** Milliseconds for one call, body included. Default 15,000. */
  readonly timeoutMs?: number;
  /** The clock the deadline is measured with. Default: the machine's. */
  readonly clock?: Clock;
}

/** An error object of the node's own, as opposed to a failure to ask it. */
export interface RpcRefusal {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

export type RpcOutcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly refusal: RpcRefusal };

export type JsonRpc = (method: string, params: readonly unknown[]) => Promise<RpcOutcome>;

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const DEADLINE_MS = 15_000;

/** Makes a caller. Rejects with `ChainError` when the node cannot be asked; its own refusals are values. */
export function createJsonRpc(options: JsonRpcOptions): JsonRpc {
  const { url, timeoutMs = DEADLINE_MS, clock = systemClock } = options;
  const fetch: RpcFetch = options.fetch ?? ((address, init) => globalThis.fetch(address, init));
  let calls = 0;
  return async (method, params) => {
    calls += 1;
    const id = calls; // kept: other calls may start before this one is answered
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      redirect: 'error',
    } satisfies RequestInit;
    let text: string;
    try {
      text = await withDeadline({ clock, ms: timeoutMs }, (signal) => {
        const once = async () => readCapped(await fetch(url, { ...request, signal }), method, signal);
        const response = once().catch((error: unknown) =>
          mayRepeat(method, error) ? once() : Promise.reject(error),
        );
        return orAborted(response, signal);
      });
    } catch (error) {
      if (error instanceof ChainError) throw error;
      if (error instanceof DeadlineError)
        throw new ChainError('RPC_TIMEOUT', `The RPC did not answer ${method} in time.`);
      throw new ChainError('RPC_UNREACHABLE', `The RPC could not be reached for ${method}.`);
    }
    return readOutcome(text, method, id);
  };
}

/**
 * Whether the same question may be put once more at once: a node closes connections that were idle for a few seconds, and
 * a request that is just then on its way into one is lost. A transaction is not sent twice here: its status decides.
 */
function mayRepeat(method: string, error: unknown): boolean {
  if (method === 'sendTransaction' || !(error instanceof Error)) return false;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause && CLOSED.includes(String(cause.code));
}

const CLOSED: readonly string[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

async function readCapped(response: Response, method: string, signal: AbortSignal): Promise<string> {
  if (response.body === null)
    throw new ChainError('RPC_BAD_ANSWER', `The RPC answered ${method} with nothing.`);
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const reader = response.body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > MAX_ANSWER_BYTES) {
        throw new ChainError('RPC_BAD_ANSWER', `The RPC's answer to ${method} is larger than 32 MiB.`);
      }
      text += decoder.decode(part.value, { stream: true });
    }
  } finally {
    // Frees the connection of an answer that was left early.
    leave();
    signal.removeEventListener('abort', leave);
  }
  text += decoder.decode();
  if (response.status === 429)
    throw new ChainError('RPC_RATE_LIMITED', `The RPC answered ${method} with HTTP status 429.`);
  if (response.status === 401 || response.status === 403)
    throw new ChainError(
      'RPC_UNAUTHORIZED',
      `The RPC answered ${method} with HTTP status ${response.status}.`,
    );
  // Nodes answer JSON-RPC errors with 4xx and 5xx too; a body that is no JSON then only says it failed.
  if (!response.ok && !text.trimStart().startsWith('{')) {
    throw new ChainError(
      'RPC_UNREACHABLE',
      `The RPC answered ${method} with HTTP status ${response.status}.`,
    );
  }
  return text;
}

function readOutcome(text: string, method: string, id: number): RpcOutcome {
  const bad = () => new ChainError('RPC_BAD_ANSWER', `The RPC's answer to ${method} is not JSON-RPC.`);
  let answer: unknown;
  try {
    answer = parseExact(text);
  } catch {
    throw bad();
  }
  if (typeof answer !== 'object' || answer === null) throw bad();
  if ('error' in answer && typeof answer.error === 'object' && answer.error !== null) {
    const { error } = answer;
    const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
    const message = 'message' in error && typeof error.message === 'string' ? error.message : '';
    return { ok: false, refusal: { code, message, data: 'data' in error ? error.data : undefined } };
  }
  if (!('result' in answer) || !('id' in answer) || answer.id !== id) throw bad();
  return { ok: true, result: answer.result };
}

const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** JSON with integers of 16 digits and more as decimal strings instead of rounded numbers. */
export function parseExact(text: string): unknown {
  return JSON.parse(
    text.replace(STRING_OR_LONG_INTEGER, (part) => (part.startsWith('"') ? part : `"${part}"`)),
  );
}
