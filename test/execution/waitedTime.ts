/**
 * Time that passes only while something waits for it. However slow the machine is, work takes no time: a blockhash, a
 * lease or a patience never ends because a test computed, and a chain that follows this clock moves by the same measure.
 */
import type { Clock } from '../../src/clock.ts';

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

export interface WaitedTime extends Clock {
  /** Called after time has passed, with the milliseconds since the start. */
  onPassed(told: (passed: number) => void): void;
}

export function createWaitedTime(start = Date.now()): WaitedTime {
  let passed = 0;
  let timer: NodeJS.Timeout | undefined;
  const sleepers = new Set<Sleeper>();
  const listeners: ((passed: number) => void)[] = [];

  // Waiting for the next one begins anew when the one that wakes first is another.
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
      for (const tell of listeners) tell(passed);
      woken.wake();
    }
    plan();
  };

  return {
    now: () => start + passed,
    passed: () => passed,
    onPassed: (told) => void listeners.push(told),
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
