/**
 * Admits requests in order, with a limit on concurrent requests, and none while the client leaves our output unread
 * (row F57). Waiting requests are kept as JSON text.
 */
import type { Id } from './messages.ts';

/** Maximum number of concurrent requests. */
export const MAX_IN_FLIGHT = 64;
/** Bytes of unread output from which new requests wait. */
export const MAX_UNREAD_BYTES = 256 * 1024;

/** A waiting request. */
export interface Waiting {
  readonly id: Id;
  /** The message as JSON. */
  readonly text: string;
}

export class Gate {
  /** In order of arrival. */
  readonly #waiting = new Map<Id, Waiting>();
  /** Iterator at the first waiting request. It is reused, because a new one would skip over every deleted entry. */
  readonly #order = this.#waiting.values();
  readonly #atWork = new Set<Id>();
  #unread = 0;
  #waitingBytes = 0;

  /** Bytes of the waiting requests. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Bytes written to the client's pipe and not read yet. */
  get unreadBytes(): number {
    return this.#unread;
  }

  get #isOpen(): boolean {
    return this.#atWork.size < MAX_IN_FLIGHT && this.#unread < MAX_UNREAD_BYTES;
  }

  /** Admits a request at once if there is a free slot and none is waiting. Returns whether it was admitted. */
  enter(id: Id): boolean {
    if (this.#waiting.size > 0 || !this.#isOpen) return false;
    this.#atWork.add(id);
    return true;
  }

  /** Queues a request. Its id must not be queued yet. */
  wait(request: Waiting): void {
    this.#waiting.set(request.id, request);
    this.#waitingBytes += Buffer.byteLength(request.text);
  }

  /** Admits and returns the next waiting request; `undefined` if none is waiting or no slot is free. */
  next(): Waiting | undefined {
    if (this.#waiting.size === 0 || !this.#isOpen) return undefined;
    const { value } = this.#order.next();
    if (value === undefined) return undefined;
    this.drop(value.id);
    this.#atWork.add(value.id);
    return value;
  }

  /** Frees the slot of an answered or cancelled request. */
  leave(id: Id): void {
    this.#atWork.delete(id);
  }

  /** Removes a waiting request; returns `false` if it is not waiting. */
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
