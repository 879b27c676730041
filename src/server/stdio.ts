/**
 * The stdio end of MCP: one JSON-RPC message per line, in and out. It owns the process's stdout, refuses lines that
 * are too long, too deep or no message at all, and never lets a bad line end the connection (rows B03 to B07).
 */

import type { Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isRecord } from '../base/record.ts';

/** Longest accepted line, in bytes. A longer one is reported on stderr and skipped up to its end. */
export const MAX_LINE_BYTES = 10 * 1024 * 1024;
/** Deepest accepted nesting of a message. Arguments of the tools need five levels. */
export const MAX_DEPTH = 64;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

export interface StdioOptions {
  readonly stdin: Readable;
  /** Writes one whole line to the client; resolves when it is handed over, and never rejects. */
  readonly write: (line: string) => Promise<void>;
  /** One line for stderr; never holds text of a message. */
  readonly log: (line: string) => void;
  /** Told of every message that is handed on. */
  readonly onMessage?: (message: JSONRPCMessage) => void;
  /** The client closed our stdin. */
  readonly onEnd: () => void;
}

/** Why a message is refused, and how: an error to its sender, or silence. */
type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** A request or response id, if the message has one that can be answered. */
const idOf = (message: unknown): string | number | undefined => {
  const id = isRecord(message) ? message.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
};

/** The request a cancellation is about. */
function cancels(message: unknown): string | number | undefined {
  if (!isRecord(message) || message.method !== 'notifications/cancelled' || !isRecord(message.params))
    return undefined;
  const { requestId } = message.params;
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}

/**
 * Whether a parsed message is fit to be handled: an object, not nested without end, without a `__proto__` key
 * (which the schema library would silently drop). Walks with its own stack, so depth cannot exhaust ours.
 */
export function judge(message: unknown): Verdict {
  if (Array.isArray(message))
    return {
      ok: false,
      code: INVALID_REQUEST,
      message: 'Batches are not supported: send one message per line.',
    };
  if (!isRecord(message) || message.jsonrpc !== '2.0')
    return { ok: false, code: INVALID_REQUEST, message: 'Not a JSON-RPC 2.0 message.' };
  if (message.method !== undefined && message.params !== undefined && !isRecord(message.params))
    return { ok: false, code: INVALID_PARAMS, message: 'params must be an object.' };
  const open: { value: object; depth: number }[] = [{ value: message, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH)
      return {
        ok: false,
        code: INVALID_PARAMS,
        message: `The message is nested deeper than ${MAX_DEPTH} levels.`,
      };
    if (Object.hasOwn(value, '__proto__'))
      return { ok: false, code: INVALID_PARAMS, message: '__proto__ is not an accepted field name.' };
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) open.push({ value: inner, depth: depth + 1 });
    }
  }
  return { ok: true };
}

/** The transport handed to the SDK. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #options: StdioOptions;
  /** Ids of requests that were handed on and not answered yet. */
  readonly #open = new Set<string | number>();
  /** Bytes of a line whose end has not come yet. */
  #parts: Buffer[] = [];
  #length = 0;
  /** Inside a line that is too long: everything up to its end is thrown away. */
  #skipping = false;
  #closed = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Resolves as soon as every request that was handed on has its answer. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  async start(): Promise<void> {
    const { stdin, onEnd } = this.#options;
    stdin.on('data', (chunk: Buffer) => this.#take(chunk));
    stdin.once('end', onEnd);
    stdin.once('close', onEnd);
    stdin.on('error', onEnd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    const id = idOf(message);
    if (id !== undefined && !('method' in message)) this.#answered(id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.stdin.pause();
    this.onclose?.();
  }

  async #write(message: unknown): Promise<void> {
    if (!this.#closed) await this.#options.write(`${JSON.stringify(message)}\n`);
  }

  #answered(id: string | number): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#whenIdle?.();
  }

  #refuse(message: unknown, code: number, text: string): void {
    this.#options.log(`refused a message: ${text}`);
    const id = idOf(message);
    // Without an id there is nobody to answer: dropped, as the log says.
    if (id !== undefined) void this.#write({ jsonrpc: '2.0', id, error: { code, message: text } });
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      this.#lineEnds();
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#length += part.length;
    if (this.#length > MAX_LINE_BYTES) {
      this.#skipping = true;
      this.#parts = [];
      this.#options.log(`refused a line longer than ${MAX_LINE_BYTES} bytes; it is skipped up to its end`);
      return;
    }
    this.#parts.push(part);
  }

  #lineEnds(): void {
    const line = this.#skipping ? undefined : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (line !== undefined && line.trim() !== '') this.#message(line);
  }

  #message(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(undefined, PARSE_ERROR, 'the line is no JSON');
      return;
    }
    const verdict = judge(message);
    if (!verdict.ok) {
      this.#refuse(message, verdict.code, verdict.message);
      return;
    }
    const id = idOf(message);
    const cancelled = cancels(message);
    // The SDK does not answer a call that was cancelled.
    if (cancelled !== undefined) this.#answered(cancelled);
    if (id !== undefined && isRecord(message) && 'method' in message) {
      if (this.#open.has(id)) {
        // Answering would look like the answer to the first: the second is dropped (B06).
        this.#options.log('dropped a request that reuses the id of one that is still open');
        return;
      }
      // A subscription is open until the connection ends: nobody waits for its answer.
      if (message.method !== 'subscriptions/listen') this.#open.add(id);
    }
    // The SDK checks the rest of the shape itself.
    const checked = message as JSONRPCMessage;
    this.#options.onMessage?.(checked);
    this.onmessage?.(checked);
  }
}
