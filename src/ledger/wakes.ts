/**
 * Waits for what another process writes into the ledger. Where the database tells its hosts of a commit (PostgreSQL), a
 * wait ends as soon as it is told, and looks at the tables itself: what it is told is never believed. Where nothing is
 * told, because the database is a file or because the connection that listens is lost, the tables are looked at again
 * and again.
 */
import { sha256Text } from '../base/canonicalJson.ts';
import type { Clock } from '../clock.ts';

/** A question about a plan was answered. */
export const answerOf = (planId: string): string => `answer ${planId}`;
/** A wallet was given back. */
export const freedWallet = (wallet: string): string => `wallet ${wallet}`;

/** What is sent to say that a topic changed: 16 hex digits that name no plan and no wallet. */
export const wakeKey = (topic: string): string => sha256Text(topic).slice(0, 16);

/** Keys that are remembered, for those who look at the tables just now. Whoever looked longer looks once more. */
const REMEMBERED = 1_000;

/** How long to wait, in milliseconds. */
export interface Pause {
  /** Poll interval without notifications, in milliseconds. */
  readonly untold: number;
  /** Longest poll interval with notifications, in milliseconds. */
  readonly told: number;
}

/** Waits. Resolves when the time is over or a change was told; rejects with the signal's reason when it aborts. */
export type Wait = (clock: Pick<Clock, 'sleep'>, pause: Pause, signal?: AbortSignal) => Promise<void>;

/** What a ledger offers whose database tells of changes. */
export interface Wakes {
  /** To be called before the tables are looked at: the wait that it gives knows of every change since this call. */
  watch(topic: string): Wait;
}

/** What the connection that listens reports. */
export interface Hearing {
  heard(key: string): void;
  /** Sets whether notifications arrive. Every pending wait then polls once. */
  listening(is: boolean): void;
}

/** The wakes of one process. `listen` begins with the first watch, and returns how to end it. */
export function createWakes(
  listen: (hearing: Hearing) => () => Promise<void>,
): Wakes & { close(): Promise<void> } {
  let count = 0;
  let recent: string[] = [];
  let isTold = false;
  let end: (() => Promise<void>) | undefined;
  const waiting = new Set<{ readonly key: string; readonly wake: () => void }>();

  const hearing: Hearing = {
    heard: (key) => {
      count += 1;
      recent.push(key);
      if (recent.length > REMEMBERED) recent.shift();
      for (const each of waiting) if (each.key === key) each.wake();
    },
    listening: (is) => {
      isTold = is;
      // What was told while there was no connection is not known: all of it may have changed.
      count += 1;
      recent = [];
      for (const each of waiting) each.wake();
    },
  };
  const changedSince = (from: number, key: string): boolean => {
    const missed = count - from;
    return missed > recent.length || recent.slice(recent.length - missed).includes(key);
  };

  return {
    watch: (topic) => {
      end ??= listen(hearing);
      const key = wakeKey(topic);
      const from = count;
      return async (clock, { untold, told }, signal) => {
        signal?.throwIfAborted();
        if (changedSince(from, key)) return;
        const done = new AbortController();
        const woken = new Error('woken');
        const entry = { key, wake: () => done.abort(woken) };
        const cut = () => done.abort(signal?.reason);
        waiting.add(entry);
        signal?.addEventListener('abort', cut, { once: true });
        try {
          await clock.sleep(isTold ? told : untold, done.signal);
        } catch (error) {
          if (error !== woken) throw error;
        } finally {
          waiting.delete(entry);
          signal?.removeEventListener('abort', cut);
        }
      };
    },
    close: async () => {
      const ending = end;
      end = undefined;
      await ending?.();
    },
  };
}

/**
 * The next wait for a topic, to be made before the tables are looked at.
 * @param ledger the ledger, with `wakes` where its database tells of changes
 */
export function waitFor(ledger: { readonly wakes?: Wakes | undefined }, topic: string): Wait {
  return ledger.wakes?.watch(topic) ?? ((clock, { untold }, signal) => clock.sleep(untold, signal));
}
