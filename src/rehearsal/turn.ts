/** Mutual exclusion of rehearsals of a home: a lock file across processes, and a queue within a process. */
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../clock.ts';

/** Runs work exclusively. Rejects with the signal's reason if it aborts before the start. */
export type Turn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

const POLL_MS = 50;
/** Age at which a lock is stale, longer than any rehearsal takes. */
const STALE_MS = 20_000;

/** Creates a lock with a file, whose folder is created on first use; within this process only without a file. */
export function createTurn(file: string | undefined): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (signal, work) => {
    const mine = last.then(async () => {
      if (signal.aborted) throw signal.reason;
      while (file !== undefined && !acquire(file)) await systemClock.sleep(POLL_MS, signal);
      try {
        return await work();
      } finally {
        if (file !== undefined) rmSync(file, { force: true });
      }
    });
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Tries to acquire the lock file. Returns `true` also if the home is not writable. */
function acquire(file: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return true;
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > STALE_MS || age < 0) rmSync(file, { force: true });
    return false;
  }
}
