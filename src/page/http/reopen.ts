/** Has the running server of a home write a new launch file to its page: a request on loopback with the key from its file. */
import { request } from 'node:http';
import type { PageHandle } from './launchFile.ts';

/** A server that does not answer within this is taken as gone. Milliseconds. */
const MAX_MS = 5_000;

/** Whether the server took the key and wrote a launch file. Never rejects: a server that is gone is `false`. */
export function reopen({ origin, base, key }: PageHandle): Promise<boolean> {
  const body = new URLSearchParams({ key }).toString();
  const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve) => {
    const asked = request(
      `${origin}${base}reopen`,
      { method: 'POST', headers, timeout: MOST_MS },
      (answer) => {
        answer.resume();
        answer.on('close', () => resolve(answer.statusCode === 200));
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end(body);
  });
}
