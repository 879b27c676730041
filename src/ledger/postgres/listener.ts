/**
 * The listening connection of a host. Reconnects when lost, and reports whether notifications arrive.
 */
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import type { Hearing } from '../wakes.ts';

/** The channel of all ledgers of a database; their keys differ. */
export const CHANNEL = 'countersign';
/** `application_name` of the connection. */
export const LISTENER = 'countersign waits';
const CONNECT_MS = 5_000;
/** Pause before a reconnect. */
const AGAIN_MS = 1_000;

/** Listens until the returned function is called. */
export function listenTo(
  address: string,
  clock: Pick<Clock, 'sleep'>,
  hearing: Hearing,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;

  /** Runs one connection to its end; returns whether it ever listened. */
  const once = async (): Promise<boolean> => {
    const client = new pg.Client({
      connectionString: address,
      application_name: LISTENER,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      client.on('end', () => resolve());
      client.on('error', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ payload = '' }) => hearing.heard(payload));
    let listened = false;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      listened = true;
      hearing.listening(true);
      await ended;
    } catch {
      // Waits poll meanwhile, and report an unreachable database.
    }
    if (listened) hearing.listening(false);
    await client.end().catch(() => undefined);
    return listened;
  };
  const going = (async () => {
    while (!signal.aborted)
      if (!(await once()) && !signal.aborted) await clock.sleep(AGAIN_MS, signal).catch(() => undefined);
  })();
  return async () => {
    stop.abort();
    await going;
  };
}
