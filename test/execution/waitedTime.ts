/**
 * Clock that advances only during waits. Computation takes no time on any machine, so no blockhash, lease or timeout
 * expires because of it; a chain on this clock advances at the same rate.
 */
import type { Clock } from '../../src/clock.ts';

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

export interface WaitedTime extends Clock {
  /** Called after time has passed, with the milliseconds since the start. */
  onPassed(listener: (passed: number) => void): void;
}

export function createWaitedTime(start = Date.now()): WaitedTime {
  let passed = 0;
  let timer: NodeJS.Timeout | undefined;
  const sleepers = new Set<Sleeper>();
  const listeners: ((passed: number) => void)[] = [];

  // The wait restarts if another sleeper is due first.
  let awaited: Sleeper | undefined;
  const plan = () => {
    let next: Sleeper | undefined;
    for (const each of sleepers) if (next === undefined || each.due < next.due) next = each;
    if (next === awaited) return;
    clearTimeout(timer);
    awaited = next;
    if (next === undefined) return;
    timer = setTimeout(wakeNext, next.due - passed);
    timer.unref();
  };
  const wakeNext = () => {
    const woken = awaited;
    awaited = undefined;
    if (woken !== undefined) {
      sleepers.delete(woken);
      passed = Math.max(passed, woken.due);
      for (const notify of listeners) notify(passed);
      woken.wake();
    }
    plan();
  };

  return {
    now: () => start + passed,
    passed: () => passed,
    onPassed: (listener) => void listeners.push(listener),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          sleepers.delete(sleeper);
          plan();
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          due: passed + ms,
          wake: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        sleepers.add(sleeper);
        plan();
      }),
  };
}
