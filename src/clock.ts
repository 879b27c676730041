/**
 * Time, injected. Every part that waits or stamps takes a `Clock`, so that tests and the
 * sandbox can drive time by hand. Deadlines are made here and nowhere else: `AbortSignal.timeout` and
 * `AbortSignal.any` may be garbage-collected before they fire (Node 20 and 22), a running timer may not (F03).
 */
import { uptime } from 'node:os';

export interface Clock {
  /** Milliseconds since the Unix epoch. It may be set back or ahead while a process runs. */
  now(): number;
  /** Milliseconds since some start that only pass, sleep of the machine included; absent where the machine does not count them. */
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

/** Sleeps; `false` when the signal aborted first. */
export const slept = ({ sleep }: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, signal).then(
    () => true,
    () => false,
  );

/** What a signal of `withDeadline` is aborted with when the time is up. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`The deadline of ${ms} milliseconds has passed.`);
    this.name = 'DeadlineError';
  }
}

export interface Deadline {
  /** Milliseconds for the whole work, every read of it included. */
  readonly ms: number;
  readonly clock: Clock;
  /** Ends the work earlier, with its own reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs work under one deadline for all of it. The signal it is given is aborted with a `DeadlineError` when the time is
 * up, or with the reason of the caller's signal. The clock's timer holds the signal, so nothing can collect it before.
 * Waits of the work go through `orAborted`.
 */
export async function withDeadline<T>(
  { ms, clock, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const done = new AbortController();
  const follow = () => deadline.abort(signal?.reason);
  if (signal?.aborted) follow();
  else signal?.addEventListener('abort', follow, { once: true });
  clock.sleep(ms, done.signal).then(
    () => deadline.abort(new DeadlineError(ms)),
    () => {},
  );
  try {
    return await work(deadline.signal);
  } finally {
    done.abort(new Error('done'));
    signal?.removeEventListener('abort', follow);
  }
}

/** What is waited for, or a rejection with the signal's reason once it is aborted, whether or not the work notices. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
