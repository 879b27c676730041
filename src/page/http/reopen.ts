/** Has the running server of a home write a new launch file: a request on loopback with the key from its file. */
import { systemClock, withDeadline } from '../../clock.ts';
import type { PageHandle } from './launchFile.ts';

/** A server that does not answer within this is taken as gone. */
const MAX_WAIT_MS = 5_000;

/** Whether the server took the key and wrote a launch file; `false` where it is gone. */
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
