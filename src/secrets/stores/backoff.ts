// Slows down passphrase guessing within one process (F50). An attacker with the file can guess elsewhere; only
// passphrase length and derivation cost protect against that.

import { SecretError } from '../errors.ts';

const FREE_TRIES = 2;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export interface Backoff {
  /** Throws `PASSPHRASE_BACKOFF` during a wait. */
  check(): void;
  failed(): void;
  succeeded(): void;
}

/** `now` returns monotonic milliseconds. Each wrong passphrase after the second doubles the wait. */
export function createBackoff(now: () => number): Backoff {
  let failures = 0;
  let openAt = Number.NEGATIVE_INFINITY;
  return {
    check() {
      const left = openAt - now();
      if (left <= 0) return;
      const seconds = Math.ceil(left / 1000);
      throw new SecretError(
        'PASSPHRASE_BACKOFF',
        `The passphrase was wrong ${failures} times; the next attempt is possible in ${seconds} s.`,
        'Wait, then run the command again with the right passphrase.',
        { retryAfterMs: left },
      );
    },
    failed() {
      failures++;
      if (failures < FREE_TRIES) return;
      openAt = now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - FREE_TRIES));
    },
    succeeded() {
      failures = 0;
      openAt = Number.NEGATIVE_INFINITY;
    },
  };
}
