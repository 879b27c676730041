/**
 * A clock driven by hand. Pauses shorter than the deadline end at once and are counted; longer sleeps end only when the
 * test calls `advance`.
 */
import type { Clock } from '../../src/clock.ts';
import { DEADLINE_MS } from '../../src/service/client.ts';

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Pauses taken so far, in milliseconds. */
  readonly pauses: number[];
  /** Number of unfinished long sleeps. */
  pending(): number;
}

export function createManualClock(start = 1_800_000_000_000): ManualClock {
  let now = start;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  const pauses: number[] = [];
  return {
    pauses,
    now: () => now,
    pending: () => sleepers.size,
    advance(ms) {
      now += ms;
      for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake();
    },
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (ms < DEADLINE_MS) {
        pauses.push(ms);
        now += ms;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const sleeper = { until: now + ms, wake: () => finish(resolve) };
        const finish = (end: () => void) => {
          sleepers.delete(sleeper);
          end();
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => finish(() => reject(signal.reason)), { once: true });
      });
    },
  };
}
