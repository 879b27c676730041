/**
 * JSON-RPC batches, which the 2025-03-26 revision of the protocol says a server must take: one line with several
 * messages, answered by one line with their answers. No other revision has them.
 */
import type { Id } from './messages.ts';

/** The one revision that has batches. */
export const BATCH_REVISION = '2025-03-26';
/** Most messages of a batch: its answers are kept until all of them are there. */
export const MAX_BATCH = 64;

/** The answers of one batch as they come. */
export class Batch {
  readonly #ids: Id[] = [];
  readonly #open = new Set<Id>();
  readonly #answers: unknown[] = [];
  #isWhole = false;

  /** Its requests, answered ones too. */
  get ids(): readonly Id[] {
    return this.#ids;
  }

  /** A request of the batch that will be answered or cancelled. */
  add(id: Id): void {
    this.#ids.push(id);
    this.#open.add(id);
  }

  /** Keeps the answer to a request, or none for one that was cancelled. */
  close(id: Id, answer?: unknown): void {
    this.#open.delete(id);
    if (answer !== undefined) this.#answers.push(answer);
  }

  /** All of its messages were looked at: no request is added any more. */
  whole(): void {
    this.#isWhole = true;
  }

  /** All answers, once nothing is open. */
  get answers(): readonly unknown[] | undefined {
    return this.#isWhole && this.#open.size === 0 ? this.#answers : undefined;
  }
}
