/**
 * Waits for writes of other processes. With notifications (PostgreSQL) a wait ends at the notification, and the caller
 * reads the tables: the notification itself is not trusted. On a file, or while the listening connection is lost, waits
 * poll.
 */
import { sha256Text } from '../base/canonicalJson.ts';
import type { Clock } from '../clock.ts';

/** A question about a plan was answered. */
export const answerOf = (planId: string): string => `answer ${planId}`;
/** The lease of a wallet was given back. */
export const freedWallet = (wallet: string): string => `wallet ${wallet}`;

/** Returns the notification key of a topic: 16 hex digits that reveal no plan or wallet. */
export const wakeKey = (topic: string): string => sha256Text(topic).slice(0, 16);

/** Number of recent keys kept for callers that are reading the tables; a slower caller reads them once more. */
const REMEMBERED = 1_000;

/** Poll intervals. */
export interface Pause {
  /** Poll interval without notifications, in milliseconds. */
  readonly pollMs: number;
  /** Longest poll interval with notifications, in milliseconds. */
  readonly notifiedMs: number;
}

/** Resolves after the pause or at a notification; rejects with the reason of an aborted signal. */
export type Wait = (clock: Pick<Clock, 'sleep'>, pause: Pause, signal?: AbortSignal) => Promise<void>;

/** Notifications of a ledger. */
export interface Wakes {
  /** Call before reading the tables: the returned wait covers every change since this call. */
  watch(topic: string): Wait;
}

/** Events of the listening connection. */
export interface Hearing {
  heard(key: string): void;
  /** Sets whether notifications arrive. Every pending wait then polls once. */
  listening(is: boolean): void;
}

/** Creates the notifications of one process. The first watch calls `listen`, which returns a function to stop. */
export function createWakes(
  listen: (hearing: Hearing) => () => Promise<void>,
): Wakes & { close(): Promise<void> } {
  let count = 0;
  let recent: string[] = [];
  let isListening = false;
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
      isListening = is;
      // Notifications during the interruption are lost, so everything may have changed.
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
      return async (clock, { pollMs, notifiedMs }, signal) => {
        signal?.throwIfAborted();
        if (changedSince(from, key)) return;
        const done = new AbortController();
        const woken = new Error('woken');
        const entry = { key, wake: () => done.abort(woken) };
        const cut = () => done.abort(signal?.reason);
        waiting.add(entry);
        signal?.addEventListener('abort', cut, { once: true });
        try {
          await clock.sleep(isListening ? notifiedMs : pollMs, done.signal);
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

/** Returns the next wait for a topic. Call before reading the tables. */
export function waitFor(ledger: { readonly wakes?: Wakes | undefined }, topic: string): Wait {
  return ledger.wakes?.watch(topic) ?? ((clock, { pollMs }, signal) => clock.sleep(pollMs, signal));
}
