/**
 * Requests a new launch file from the running server of a home, by a loopback request with the key from its handle
 * file.
 */
import { systemClock, withDeadline } from '../../clock.ts';
import type { PageHandle } from './launchFile.ts';

/** Timeout after which the server counts as stopped. */
const MAX_WAIT_MS = 5_000;

/** Returns whether the server accepted the key and wrote a launch file; `false` if it is stopped. */
export const reopen = ({ origin, base, key }: PageHandle): Promise<boolean> =>
  withDeadline({ clock: systemClock, ms: MAX_WAIT_MS }, (signal) =>
    fetch(`${origin}${base}reopen`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ key }),
      redirect: 'error',
      signal,
    }),
  ).then(
    ({ ok }) => ok,
    () => false,
  );
