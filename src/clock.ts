/**
 * Time, injected. Every part that waits or stamps takes a `Clock`, so that tests and the
 * sandbox can drive time by hand.
 */
import { uptime } from 'node:os';

export interface Clock {
  /** Milliseconds since the Unix epoch. Anybody may set it back or ahead while a process runs. */
  now(): number;
  /** Milliseconds since some start that only pass, sleep of the machine included; absent where nobody counts them. */
  passed?(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Unlike `performance.now()`, which stands still on some systems while the machine sleeps.
  passed: () => uptime() * 1000,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
