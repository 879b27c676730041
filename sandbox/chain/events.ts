/** Events of the chain and their listeners. Listeners run at once and must not throw. */
import type { TransactionRecord } from './types.ts';

export interface ChainEvents {
  /** A slot began; `root` is the newest finalized one. */
  slot: { readonly slot: number; readonly parent: number; readonly root: number };
  /** A slot became final. */
  root: number;
  /** A transaction landed. */
  transaction: TransactionRecord;
  /** A fork dropped the transaction with this signature. */
  fork: string;
}

type Listeners = { [K in keyof ChainEvents]: Set<(event: ChainEvents[K]) => void> };

export class ChainEventHub {
  readonly #listeners: Listeners = {
    slot: new Set(),
    root: new Set(),
    transaction: new Set(),
    fork: new Set(),
  };

  /** Calls `listener` on every event of a kind until the returned function is called. */
  on<K extends keyof ChainEvents>(kind: K, listener: (event: ChainEvents[K]) => void): () => void {
    this.#listeners[kind].add(listener);
    return () => {
      this.#listeners[kind].delete(listener);
    };
  }

  emit<K extends keyof ChainEvents>(kind: K, event: ChainEvents[K]): void {
    for (const listener of this.#listeners[kind]) listener(event);
  }

  clear(): void {
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }
}
