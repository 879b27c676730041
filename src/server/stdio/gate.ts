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
  /** In order; an entry before `#head` or with an id in `#dropped` is over. */
  #queue: Waiting[] = [];
  #head = 0;
  readonly #dropped = new Set<Id>();
  readonly #waits = new Set<Id>();
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
    if (this.#head < this.#queue.length || !this.#isOpen) return false;
    this.#atWork.add(id);
    return true;
  }

  wait(request: Waiting): void {
    this.#queue.push(request);
    this.#waits.add(request.id);
    this.#waitingBytes += request.text.length;
  }

  /** The next request that may go on, at work from now on; `undefined` when none waits or there is no room. */
  next(): Waiting | undefined {
    while (this.#isOpen) {
      const request = this.#queue[this.#head];
      if (request === undefined) return undefined;
      this.#head += 1;
      this.#waitingBytes -= request.text.length;
      if (this.#head > 1_000 && this.#head * 2 > this.#queue.length) {
        this.#queue = this.#queue.slice(this.#head);
        this.#head = 0;
      }
      if (this.#dropped.delete(request.id)) continue;
      this.#waits.delete(request.id);
      this.#atWork.add(request.id);
      return request;
    }
    return undefined;
  }

  /** A request is over: answered, or cancelled. */
  leave(id: Id): void {
    this.#atWork.delete(id);
  }

  /** Removes a waiting request; `false` for one that does not wait. */
  drop(id: Id): boolean {
    if (!this.#waits.delete(id)) return false;
    this.#dropped.add(id);
    return true;
  }

  written(bytes: number): void {
    this.#unread += bytes;
  }

  taken(bytes: number): void {
    this.#unread -= bytes;
  }
}
