// Lock file for files that several processes of one user may rewrite. It contains the process id, so that the lock of
// a dead process is taken over.

import { closeSync, linkSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { causeOf } from '../../base/systemErrors.ts';
import { SecretError, systemCode } from '../errors.ts';

const RETRY_MS = 50;
const TRIES = 200;
const STALE_MS = 60_000;

/** Returns whether a lock is of a dead process. One that is gone by now may be another's in a moment. */
function isAbandoned(path: string): boolean {
  try {
    const owner = Number(readFileSync(path, 'utf8'));
    if (Number.isInteger(owner) && owner > 0) {
      process.kill(owner, 0);
      return false;
    }
    return Date.now() - statSync(path).mtimeMs > STALE_MS;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}

/** Creates a file with this process's id. */
function writeOwner(path: string, flags: 'w' | 'wx'): void {
  const descriptor = openSync(path, flags, 0o600);
  try {
    writeSync(descriptor, String(process.pid));
  } finally {
    closeSync(descriptor);
  }
}

/** Errors of filesystems without hard links (some memory cards): the lock is briefly empty there. */
const NO_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Creates the lock with its content at once: a process killed while locking leaves no lock without a process id. */
function tryLock(path: string): boolean {
  const own = `${path}.${process.pid}`;
  try {
    writeOwner(own, 'w');
    try {
      linkSync(own, path);
    } catch (error) {
      if (!NO_LINKS.includes(systemCode(error))) throw error;
      writeOwner(path, 'wx');
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw new SecretError(
      'KEYSTORE_WRITE_FAILED',
      `${path} could not be created: ${causeOf(systemCode(error))}.`,
      'Free disk space or check the folder with `countersign doctor`, then run the command again.',
    );
  } finally {
    unlock(own);
  }
}

function unlock(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The lock file is already gone.
  }
}

/**
 * Removes the lock of a dead process, and returns whether it did. Processes take turns, so that a lock made in the
 * meantime is not removed.
 */
function takeOver(path: string): boolean {
  const turn = `${path}.turn`;
  if (!isAbandoned(path)) return false;
  if (!tryLock(turn)) {
    // No living process holds the turn for longer than two file operations.
    if (isAbandoned(turn)) unlock(turn);
    return false;
  }
  try {
    if (!isAbandoned(path)) return false;
    unlock(path);
    return true;
  } finally {
    unlock(turn);
  }
}

/** Runs `work` while holding the lock file `path`. Throws `KEYSTORE_BUSY` after about ten seconds. */
export async function withFileLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; !tryLock(path); attempt++) {
    if (takeOver(path)) continue;
    if (attempt >= TRIES) {
      throw new SecretError(
        'KEYSTORE_BUSY',
        'Another process is writing a file in this home.',
        'Run the command again in a moment; if no other countersign runs, delete the .lock file in the home folder.',
        { retryAfterMs: 1_000 },
      );
    }
    await wait(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    unlock(path);
  }
}
