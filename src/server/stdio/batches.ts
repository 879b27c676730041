/**
 * JSON-RPC batches, required by protocol revision 2025-03-26: one line with several messages, answered by one line
 * with their answers. No other revision has them.
 */
import type { Id } from './messages.ts';

/** The only revision with batches. */
export const BATCH_REVISION = '2025-03-26';
/** Maximum number of messages in a batch: its answers are kept until all are complete. */
export const MAX_BATCH = 64;

/** Collects the answers of one batch. */
export class Batch {
  readonly #ids: Id[] = [];
  readonly #open = new Set<Id>();
  readonly #answers: unknown[] = [];
  #isWhole = false;

  /** Ids of its requests, including answered ones. */
  get ids(): readonly Id[] {
    return this.#ids;
  }

  /** Adds a request that will be answered or cancelled. */
  add(id: Id): void {
    this.#ids.push(id);
    this.#open.add(id);
  }

  /** Stores the answer of a request, or none for a cancelled one. */
  close(id: Id, answer?: unknown): void {
    this.#open.delete(id);
    if (answer !== undefined) this.#answers.push(answer);
  }

  /** Marks the batch as complete: no request is added any more. */
  whole(): void {
    this.#isWhole = true;
  }

  /** Returns all answers once no request is open. */
  get answers(): readonly unknown[] | undefined {
    return this.#isWhole && this.#open.size === 0 ? this.#answers : undefined;
  }
}
