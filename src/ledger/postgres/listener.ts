/**
 * The one connection of a host on which PostgreSQL tells of changes. It is made again whenever it was lost, and says when
 * it is there and when it is not.
 */
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import type { Hearing } from '../wakes.ts';

/** The channel of every ledger of a database: another ledger's changes have other keys. */
export const CHANNEL = 'countersign';
/** The name under which the database lists the connection. */
export const LISTENER = 'countersign waits';
const CONNECT_MS = 5_000;
/** Before a connection is tried again that could not be made. */
const AGAIN_MS = 1_000;

/** Listens until it is ended. */
export function listenTo(
  address: string,
  clock: Pick<Clock, 'sleep'>,
  hearing: Hearing,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;

  /** One connection, until it ends. Whether it ever listened. */
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
      // Waits look at the tables meanwhile, where a database that cannot be reached is reported.
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
