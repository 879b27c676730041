/**
 * Sliding hourly windows, one per subject (a user over all keys, an IP address): C-LIMIT-01.
 */

/** What a request may still do. Times in unix seconds. */
export interface RateStatus {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest counted request leaves the window. */
  readonly resetTime: number;
}

const WINDOW_MS = 3_600_000;

export class RateLimiter {
  readonly #limit: number;
  readonly #now: () => number;
  /** Milliseconds of each counted request, oldest first; `start` counts those that left. */
  readonly #windows = new Map<string, { times: number[]; start: number }>();

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts one request for every subject, unless one of them has none left; the scarcest subject answers. */
  count(subjects: readonly string[]): RateStatus {
    const before = this.peek(subjects);
    if (before.remaining === 0) return { ...before, allowed: false };
    const now = this.#now();
    for (const subject of subjects) this.#window(subject).times.push(now);
    return this.peek(subjects);
  }

  /** The scarcest subject's state, without counting. */
  peek(subjects: readonly string[]): RateStatus {
    const now = this.#now();
    let scarcest: RateStatus | undefined;
    for (const subject of subjects) {
      const window = this.#window(subject);
      const used = window.times.length - window.start;
      const oldest = window.times[window.start] ?? now;
      const status = {
        allowed: true,
        limit: this.#limit,
        remaining: Math.max(0, this.#limit - used),
        resetTime: Math.ceil((oldest + WINDOW_MS) / 1000),
      };
      if (scarcest === undefined || status.remaining < scarcest.remaining) scarcest = status;
    }
    return scarcest ?? { allowed: true, limit: this.#limit, remaining: this.#limit, resetTime: 0 };
  }

  /** Counts as many requests for a subject as leave it `remaining` (a sandbox control). */
  leave(subject: string, remaining: number): void {
    const window = this.#window(subject);
    window.times.length = 0;
    window.start = 0;
    const now = this.#now();
    for (let used = 0; used < this.#limit - remaining; used += 1) window.times.push(now);
  }

  #window(subject: string): { times: number[]; start: number } {
    const known = this.#windows.get(subject);
    const window = known ?? { times: [], start: 0 };
    if (known === undefined) this.#windows.set(subject, window);
    const since = this.#now() - WINDOW_MS;
    while ((window.times[window.start] ?? Number.POSITIVE_INFINITY) <= since) window.start += 1;
    if (window.start > 1024) {
      window.times.splice(0, window.start);
      window.start = 0;
    }
    return window;
  }
}
