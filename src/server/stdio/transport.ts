/**
 * The stdio transport of MCP: one JSON-RPC message per line. It owns stdout, refuses lines that are too long, too
 * deep or invalid, and never lets a bad line end the connection (rows B03 to B07). Its memory is bounded: requests
 * wait in order while the client leaves our output unread or many are running, and are refused when too many wait;
 * responses, notifications and pings of a reading client are always accepted (row F57).
 */
import type { Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { BATCH_REVISION, Batch, MAX_BATCH } from './batches.ts';
import { Gate, MAX_UNREAD_BYTES } from './gate.ts';
import { LineReader, MAX_LINE_BYTES } from './lines.ts';
import {
  answerable,
  BUSY,
  cancels,
  type Id,
  INVALID_REQUEST,
  idOf,
  judge,
  methodOf,
  PARSE_ERROR,
} from './messages.ts';

/**
 * Maximum bytes of waiting requests and unread output. Above it, a reading client's further requests are refused, and
 * a client that leaves output unread is not read from until it reads or half of the bytes are gone.
 */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** Notifications that are dropped while the client does not read. */
const PASSING: readonly string[] = ['notifications/progress', 'notifications/message'];
/** Requests whose results contain only generated lists, no data of a client, service or home. */
const SAME_EVERYWHERE: readonly string[] = [
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
];

export interface StdioOptions {
  readonly stdin: Readable;
  /** Writes one line to the client; resolves when it is handed over, and never rejects. */
  readonly write: (line: string) => Promise<void>;
  /** Writes one line to stderr; never contains text of a message. */
  readonly log: (line: string) => void;
  /**
   * Redacts a value. Applied to everything sent except results that are the same in every home. Default: no
   * redaction.
   */
  readonly redact?: (value: unknown) => Promise<unknown>;
  /** Called when the client closed stdin. */
  readonly onEnd: () => void;
}

/** An unanswered request. */
interface Open {
  readonly method: string;
  readonly batch: Batch | undefined;
}

/** The transport for the SDK. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #options: StdioOptions;
  readonly #lines: LineReader;
  readonly #gate = new Gate();
  /** Unanswered requests, running or waiting. */
  readonly #open = new Map<Id, Open>();
  /** Notifications in unread output: the same one is not queued twice. */
  readonly #unreadNotes = new Set<string>();
  #revision: string | undefined;
  /** Number of responses being written. */
  #answering = 0;
  #closed = false;
  #isPaused = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#lines = new LineReader({
      onLine: (line) => this.#line(line),
      onTooLong: () =>
        options.log(`refused a line longer than ${MAX_LINE_BYTES} bytes; it is skipped up to its end`),
    });
  }

  /** Resolves as soon as every request is answered. */
  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  async start(): Promise<void> {
    const { stdin, onEnd } = this.#options;
    stdin.on('data', (chunk: Buffer) => this.#lines.take(chunk));
    stdin.once('end', onEnd);
    stdin.once('close', onEnd);
    stdin.on('error', onEnd);
  }

  /** Called by the SDK with the negotiated revision. */
  setProtocolVersion(version: string): void {
    this.#revision = version;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = idOf(message);
    const method = methodOf(message);
    if (method !== undefined || id === undefined) {
      const isNote = id === undefined;
      if (isNote && PASSING.includes(method ?? '') && this.#isUnread) return;
      await this.#write(await this.#clean(message), isNote);
      return;
    }
    const open = this.#open.get(id);
    const isSame = 'result' in message && open !== undefined && SAME_EVERYWHERE.includes(open.method);
    const clean = isSame ? message : await this.#clean(message);
    await this.#endOne(id, open?.batch, clean);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.stdin.pause();
    this.onclose?.();
  }

  get #isIdle(): boolean {
    if (this.#answering > 0) return false;
    for (const { method } of this.#open.values()) if (method !== SUBSCRIPTION) return false;
    return true;
  }

  get #isUnread(): boolean {
    return this.#gate.unreadBytes >= MAX_UNREAD_BYTES;
  }

  async #clean(message: JSONRPCMessage): Promise<unknown> {
    const { redact } = this.#options;
    if (redact === undefined) return message;
    const clean: Record<string, unknown> = { ...message };
    for (const part of ['params', 'result', 'error']) {
      if (part in clean) clean[part] = await redact(clean[part]);
    }
    return clean;
  }

  async #write(message: unknown, isNote = false): Promise<void> {
    if (this.#closed) return;
    const line = `${JSON.stringify(message)}\n`;
    if (isNote && this.#unreadNotes.has(line)) return;
    if (isNote) this.#unreadNotes.add(line);
    const bytes = Buffer.byteLength(line);
    this.#gate.written(bytes);
    this.#pauseIfFull();
    await this.#options.write(line);
    this.#gate.taken(bytes);
    this.#unreadNotes.delete(line);
    this.#goOn();
  }

  /** Ends requests: frees their ids and writes their answer. */
  async #end(ids: readonly Id[], answer?: unknown): Promise<void> {
    for (const id of ids) {
      this.#open.delete(id);
      this.#gate.leave(id);
    }
    this.#answering += 1;
    const written = answer === undefined ? undefined : this.#write(answer);
    this.#goOn();
    await written;
    this.#answering -= 1;
    if (this.#isIdle) this.#whenIdle?.();
  }

  /**
   * Ends one request. Requests of a batch count as running until the whole batch is answered, so that kept answers
   * are bounded.
   */
  async #endOne(id: Id, batch: Batch | undefined, answer?: unknown): Promise<void> {
    if (batch === undefined) return this.#end([id], answer);
    batch.close(id, answer);
    await this.#endBatch(batch);
  }

  async #endBatch(batch: Batch): Promise<void> {
    const all = batch.answers;
    if (all !== undefined) await this.#end(batch.ids, all.length > 0 ? all : undefined);
  }

  #refuse(message: unknown, code: number, text: string): void {
    this.#options.log(`refused a message: ${text}`);
    const id = idOf(message);
    // A message without an id, or with the id of an open request, cannot be answered and is dropped (B06).
    if (id !== undefined && !this.#open.has(id))
      void this.#write({ jsonrpc: '2.0', id, error: { code, message: text } });
  }

  #line(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(undefined, PARSE_ERROR, 'the line is not JSON');
      return;
    }
    if (Array.isArray(message)) this.#batch(message);
    else this.#message(message, line);
  }

  #batch(messages: readonly unknown[]): void {
    const why =
      this.#revision !== BATCH_REVISION
        ? `Batches belong to revision ${BATCH_REVISION} only: send one message per line.`
        : messages.length > MAX_BATCH
          ? `A batch may contain at most ${MAX_BATCH} messages.`
          : messages.length === 0
            ? 'The batch is empty.'
            : undefined;
    if (why !== undefined) {
      this.#options.log(`refused a batch: ${why}`);
      const ids = new Set(
        messages.flatMap((message) => (methodOf(message) === undefined ? [] : (idOf(message) ?? []))),
      );
      const error = { code: INVALID_REQUEST, message: why };
      for (const id of [...ids].filter((id) => !this.#open.has(id)).slice(0, MAX_BATCH))
        void this.#write({ jsonrpc: '2.0', id, error });
      return;
    }
    const batch = new Batch();
    for (const message of messages) this.#message(message, undefined, batch);
    batch.whole();
    void this.#endBatch(batch);
  }

  /** Passes a message on or queues it. `text` is its line. */
  #message(message: unknown, text?: string, batch?: Batch): void {
    const verdict = judge(message);
    if (!verdict.ok) {
      this.#refuse(message, verdict.code, verdict.message);
      return;
    }
    const id = idOf(message);
    const method = methodOf(message);
    const cancelled = cancels(message);
    if (cancelled !== undefined) {
      this.#cancel(cancelled, message);
      return;
    }
    if (id === undefined || method === undefined) {
      this.#handOn(answerable(message));
      return;
    }
    if (this.#open.has(id)) {
      // Its answer would be taken for that of the first request with this id, so the second one is dropped (B06).
      this.#options.log('dropped a request that reuses the id of one that is still open');
      return;
    }
    this.#open.set(id, { method, batch });
    batch?.add(id);
    // A subscription is open until the connection ends and does not count against the limit.
    if (method === 'ping' || method === SUBSCRIPTION || this.#gate.enter(id)) {
      this.#handOn(message);
      return;
    }
    if (this.#heldBytes >= MAX_HELD_BYTES && !this.#isUnread) {
      // Reading continues: running requests may wait for a response of the client, which comes behind these requests.
      const error = { code: BUSY, message: 'Too many requests are waiting: try again later.' };
      void this.#endOne(id, batch, { jsonrpc: '2.0', id, error });
      return;
    }
    this.#gate.wait({ id, text: text ?? JSON.stringify(message) });
    this.#pauseIfFull();
  }

  /**
   * Cancels a request. The SDK does not answer a cancelled request, and never receives one that was still waiting.
   */
  #cancel(id: Id, message: unknown): void {
    const open = this.#open.get(id);
    if (!this.#gate.drop(id)) this.#handOn(message);
    if (open !== undefined) void this.#endOne(id, open.batch);
  }

  #handOn(message: unknown): void {
    // The SDK validates the rest of the shape.
    this.onmessage?.(message as JSONRPCMessage);
  }

  /** Passes on waiting requests while slots are free. */
  #goOn(): void {
    if (this.#closed) return;
    for (let next = this.#gate.next(); next !== undefined; next = this.#gate.next()) {
      this.#handOn(JSON.parse(next.text));
    }
    if (this.#isPaused && (!this.#isUnread || this.#heldBytes < MAX_HELD_BYTES / 2)) {
      this.#isPaused = false;
      this.#options.stdin.resume();
    }
  }

  get #heldBytes(): number {
    return this.#gate.waitingBytes + this.#gate.unreadBytes;
  }

  #pauseIfFull(): void {
    if (this.#isPaused || !this.#isUnread || this.#heldBytes < MAX_HELD_BYTES) return;
    this.#isPaused = true;
    this.#options.stdin.pause();
  }
}

const SUBSCRIPTION = 'subscriptions/listen';
