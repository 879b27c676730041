/** Circuit breaker for a failing service: pauses calls after five consecutive failures (F04). */

export interface Breaker {
  /** Returns the time until which calls are not sent, or `undefined`. */
  openUntil(): number | undefined;
  succeeded(): void;
  failed(): void;
}

export const BREAKER_FAILURES = 5;
export const BREAKER_REST_MS = 15_000;

/** Creates a breaker. After the pause one more failure opens it again; one success closes it. */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let until = 0;
  return {
    openUntil: () => (until > now() ? until : undefined),
    succeeded() {
      failures = 0;
      until = 0;
    },
    failed() {
      failures += 1;
      if (failures >= BREAKER_FAILURES) until = now() + BREAKER_REST_MS;
    },
  };
}
