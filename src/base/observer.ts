/**
 * The port through which work is watched: spans and counts, for OpenTelemetry where a person turned it on. Whoever calls it
 * gives names and facts from fixed lists and ids made here: no argument, no amount, no text of an agent or a service.
 */

/** What is known of a span or a count: codes, names from fixed lists, ids made here. Absent values are left out. */
export type Facts = Readonly<Record<string, string | number | undefined>>;

/** A piece of work that takes time. */
export interface Watched {
  /** From a fixed list, as are the values of `facts`. */
  readonly name: string;
  /** `server`: asked for from outside · `client`: asks something outside. Default: neither. */
  readonly kind?: 'server' | 'client';
  readonly facts?: Facts;
  /** W3C `traceparent` values that came with a request, the closest first: the first valid one is the parent. */
  readonly parents?: readonly unknown[];
  /** The histogram, in seconds, that its duration goes into, and those of its facts that go with it. */
  readonly duration?: { readonly metric: string; readonly by: readonly string[] };
}

/** Watches. None of it ever throws, rejects or waits by itself. */
export interface Observer {
  /** Runs work as a span; what `work` starts is below it. `note` adds facts, `error.type` among them when it failed. */
  around<T>(what: Watched, work: (note: (facts: Facts) => void) => Promise<T>): Promise<T>;
  /** Begins a span below the current one; calling what it returns ends it. */
  begin(what: Watched): (facts?: Facts) => void;
  /** Counts one. */
  count(name: string, facts: Facts): void;
}

/** An observer that is there from the start, and passes on to another one as soon as there is one. */
export interface LateObserver extends Observer {
  become(observer: Observer): void;
}

export function createLateObserver(): LateObserver {
  let real: Observer | undefined;
  return {
    around: (what, work) => (real === undefined ? work(() => undefined) : real.around(what, work)),
    begin: (what) => real?.begin(what) ?? (() => undefined),
    count: (name, facts) => real?.count(name, facts),
    become: (observer) => {
      real = observer;
    },
  };
}
