/**
 * Looks again and again at what somebody subscribed to, and says which resources hold something else than before.
 * It asks instead of being told: what is read here is changed by other processes too (a person's editor, `countersign
 * freeze`), and a look costs a file and a row of this machine. Loaded by the first subscription.
 */
import { type Clock, systemClock } from '../../clock.ts';
import type { ToolHost } from '../host.ts';
import { nameResource, ResourceError, resourceError } from './resources.ts';

const INVALID_PARAMS = -32602;
/** From one look to the next, in milliseconds. */
const PAUSE_MS = 1_000;
/** Most resources looked at: each is read every second. */
const MOST = 64;

export interface Watch {
  /** Looks at this too. Resolves once it is known what it holds; rejects with a ResourceError, and does not follow it. */
  follow(uri: string): Promise<void>;
  /** Looks at these only, and stops looking when there are none. */
  keep(uris: ReadonlySet<string>): void;
}

export interface WatchParts {
  readonly open: () => Promise<ToolHost>;
  readonly changed: (uri: string) => void;
  readonly clock?: Clock | undefined;
}

/** Looks at nothing until told to. */
export function createWatch({ open, changed, clock = systemClock }: WatchParts): Watch {
  /** What each resource held at the last look. */
  const held = new Map<string, string>();
  let looking: AbortController | undefined;

  /** What it holds now; written pages hold the same for ever. */
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
      // What cannot be read just now has not changed: the next look tells.
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
      if (held.size >= MOST)
        throw new ResourceError(INVALID_PARAMS, `No more than ${MOST} resources are watched.`, uri);
      held.set(uri, await standing(uri));
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
