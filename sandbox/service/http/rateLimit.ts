/** Sliding hourly windows, one per subject (a user over all keys, an IP address): C-LIMIT-01. */

/** Rate limit state of a request. Times in unix seconds. */
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
  /** Milliseconds of each counted request, oldest first. */
  readonly #windows = new Map<string, number[]>();

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts a request for each subject unless one is exhausted. Returns the state of the most limited subject. */
  count(subjects: readonly string[]): RateStatus {
    const before = this.peek(subjects);
    if (before.remaining === 0) return { ...before, allowed: false };
    for (const subject of subjects) this.#window(subject).push(this.#now());
    return this.peek(subjects);
  }

  /** Returns the state of the most limited subject without counting. */
  peek(subjects: readonly string[]): RateStatus {
    const windows = subjects.map((subject) => this.#window(subject));
    const [fullest = []] = windows.sort((a, b) => b.length - a.length);
    return {
      allowed: true,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - fullest.length),
      resetTime: Math.ceil(((fullest[0] ?? this.#now()) + WINDOW_MS) / 1000),
    };
  }

  /** Sets the remaining requests of a subject. */
  leave(subject: string, remaining: number): void {
    this.#windows.set(subject, new Array(this.#limit - remaining).fill(this.#now()));
  }

  #window(subject: string): number[] {
    const window = this.#windows.get(subject) ?? [];
    this.#windows.set(subject, window);
    const since = this.#now() - WINDOW_MS;
    const left = window.findIndex((time) => time > since);
    window.splice(0, left < 0 ? window.length : left);
    return window;
  }
}
