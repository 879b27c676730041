/** The order in which pieces of work of one process run: one after the other, or at once where they concern different things. */
import type { Concerns } from './database.ts';

/** Lets one piece of work run after the other, in the order they were asked for. */
export function createQueue(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}

/**
 * Lets work run at once that concerns different wallets, at most `most` pieces of it; work that concerns the same wallet,
 * or all, runs in the order it was asked for.
 */
export function createLanes(most: number): <T>(concerns: Concerns, work: () => T | Promise<T>) => Promise<T> {
  /** The last work that concerned all, and since then the last of each wallet (or, without a name, of none). */
  let ofAll: Promise<unknown> = Promise.resolve();
  const last = new Map<string, Promise<unknown>>();
  let free = most;
  const waiting: (() => void)[] = [];

  const inPlace = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
  return (concerns, work) => {
    const lanes = concerns === 'all' ? [...last.keys()] : concerns.length === 0 ? [''] : concerns;
    const before = [ofAll, ...lanes.flatMap((lane) => last.get(lane) ?? [])];
    const next = Promise.all(before).then(() => inPlace(work));
    const done = next.then(
      () => undefined,
      () => undefined,
    );
    if (concerns === 'all') {
      ofAll = done;
      last.clear();
      return next;
    }
    for (const lane of lanes) {
      last.set(lane, done);
      void done.then(() => {
        if (last.get(lane) === done) last.delete(lane);
      });
    }
    return next;
  };
}
