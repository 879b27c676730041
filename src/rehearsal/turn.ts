/** One rehearsal at a time for a home, whichever of its processes plays it: a lock file, and a queue within a process. */
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../clock.ts';

/** Runs work when its turn comes. Rejects with the signal's reason when that is too late. */
export type Turn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

const LOOK_MS = 50;
/** A rehearsal takes less: a lock this old was left by a process that ended. */
const STALE_MS = 20_000;

/** Turns under a lock file, whose folder is made with the first; within this process alone without one. */
export function createTurn(file: string | undefined): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (signal, work) => {
    const mine = last.then(async () => {
      if (signal.aborted) throw signal.reason;
      while (file !== undefined && !isTaken(file)) await systemClock.sleep(LOOK_MS, signal);
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

/** Whether the lock is ours from now on. A home that cannot be written has no lock. */
function isTaken(file: string): boolean {
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
