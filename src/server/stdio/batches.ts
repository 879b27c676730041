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
  readonly ids: readonly Id[];
  readonly #open: Set<Id>;
  readonly #answers: unknown[] = [];

  /** @param ids of the requests that will be answered or cancelled */
  constructor(ids: readonly Id[]) {
    this.ids = ids;
    this.#open = new Set(ids);
  }

  /** Keeps the answer to a request, or none for one that was cancelled. Returns all answers once nothing is open. */
  close(id: Id, answer?: unknown): readonly unknown[] | undefined {
    this.#open.delete(id);
    if (answer !== undefined) this.#answers.push(answer);
    return this.#open.size === 0 ? this.#answers : undefined;
  }
}
