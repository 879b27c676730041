/**
 * Decides which requests are handed on now and which wait: in the order they came, with a limit on requests at work,
 * and none while the client leaves our output unread (row F57). Waiting requests are kept as the text they came in.
 */
import type { Id } from './messages.ts';

/** Most requests at work at a time. */
export const MAX_IN_FLIGHT = 64;
/** Bytes of output the client may leave unread before new requests wait. */
export const MAX_UNREAD_BYTES = 256 * 1024;

/** A request that waits. */
export interface Waiting {
  readonly id: Id;
  /** The message as JSON. */
  readonly text: string;
}

export class Gate {
  /** In the order they came. */
  readonly #waiting = new Map<Id, Waiting>();
  /** Stands before the first that waits. It is kept, because a new one would walk over every place that was freed. */
  readonly #order = this.#waiting.values();
  readonly #atWork = new Set<Id>();
  #unread = 0;
  #waitingBytes = 0;

  /** Bytes of the requests that wait. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Bytes handed to the client's pipe that it has not taken yet. */
  get unreadBytes(): number {
    return this.#unread;
  }

  get #isOpen(): boolean {
    return this.#atWork.size < MAX_IN_FLIGHT && this.#unread < MAX_UNREAD_BYTES;
  }

  /** Whether a request may go on at once: there is room, and nothing came before it. It is at work then. */
  enter(id: Id): boolean {
    if (this.#waiting.size > 0 || !this.#isOpen) return false;
    this.#atWork.add(id);
    return true;
  }

  /** Keeps a request whose id no other one that waits has. */
  wait(request: Waiting): void {
    this.#waiting.set(request.id, request);
    this.#waitingBytes += Buffer.byteLength(request.text);
  }

  /** The next request that may go on, at work from now on; `undefined` when none waits or there is no room. */
  next(): Waiting | undefined {
    if (this.#waiting.size === 0 || !this.#isOpen) return undefined;
    const { value } = this.#order.next();
    if (value === undefined) return undefined;
    this.drop(value.id);
    this.#atWork.add(value.id);
    return value;
  }

  /** A request is over: answered, or cancelled. */
  leave(id: Id): void {
    this.#atWork.delete(id);
  }

  /** Removes a waiting request; `false` for one that does not wait. */
  drop(id: Id): boolean {
    const request = this.#waiting.get(id);
    if (request === undefined) return false;
    this.#waiting.delete(id);
    this.#waitingBytes -= Buffer.byteLength(request.text);
    return true;
  }

  written(bytes: number): void {
    this.#unread += bytes;
  }

  taken(bytes: number): void {
    this.#unread -= bytes;
  }
}
