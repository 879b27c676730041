/**
 * Checks subscribed resources once a second, and reports which of them changed.
 * It polls, because what is read here is changed by other processes too (a person's editor, `countersign
 * freeze`), and a check reads one file and one row of this machine. Loaded by the first subscription.
 */
import { type Clock, systemClock } from '../../clock.ts';
import type { ToolHost } from '../host.ts';
import { nameResource, ResourceError, resourceError } from './resources.ts';

const INVALID_PARAMS = -32602;
/** Pause between two checks, in milliseconds. */
const PAUSE_MS = 1_000;
/** Most resources looked at: each is read every second. */
export const MOST_WATCHED = 64;

export interface Watch {
  /** Adds a resource. Resolves after the first reading; rejects with a ResourceError, and then does not watch it. */
  follow(uri: string): Promise<void>;
  /** Watches only these from now on, and stops the timer when there are none. */
  keep(uris: ReadonlySet<string>): void;
}

export interface WatchParts {
  readonly open: () => Promise<ToolHost>;
  readonly changed: (uri: string) => void;
  readonly clock?: Clock | undefined;
}

/** A watch without resources; no timer runs yet. */
export function createWatch({ open, changed, clock = systemClock }: WatchParts): Watch {
  /** What each resource held at the last check; `undefined` until the first reading ends. */
  const held = new Map<string, string | undefined>();
  let looking: AbortController | undefined;

  /** What a resource holds now; written pages never change. */
  const standing = async (uri: string): Promise<string> => {
    const name = nameResource(uri);
    if (name.kind === 'page') return '';
    let host: ToolHost | undefined;
    try {
      host = await open();
      return await host.standing(name);
    } catch (error) {
      throw resourceError(error, uri, host);
    }
  };

  const look = async (): Promise<void> => {
    for (const [uri, before] of [...held]) {
      // A resource that cannot be read now counts as unchanged; the next check reads it again.
      if (before === undefined) continue;
      const now = await standing(uri).catch(() => before);
      if (now === before || held.get(uri) !== before) continue;
      held.set(uri, now);
      changed(uri);
    }
  };

  const keepLooking = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
      if (!signal.aborted) await look();
    }
  };

  return {
    follow: async (uri) => {
      if (held.has(uri)) return;
      if (held.size >= MOST_WATCHED)
        throw new ResourceError(INVALID_PARAMS, `No more than ${MOST_WATCHED} resources are watched.`, uri);
      // The place is taken before anything is read: many that are asked for at once are bounded too.
      held.set(uri, undefined);
      try {
        const now = await standing(uri);
        if (!held.has(uri)) return;
        held.set(uri, now);
      } catch (error) {
        held.delete(uri);
        throw error;
      }
      if (looking !== undefined) return;
      looking = new AbortController();
      void keepLooking(looking.signal);
    },
    keep: (uris) => {
      for (const uri of [...held.keys()]) if (!uris.has(uri)) held.delete(uri);
      if (held.size > 0) return;
      looking?.abort();
      looking = undefined;
    },
  };
}
