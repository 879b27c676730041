/** Stops calling a service that keeps failing: after five failed calls in a row it rests for a while (F04). */

export interface Breaker {
  /** The moment until which calls are not sent, or `undefined`. */
  openUntil(): number | undefined;
  succeeded(): void;
  failed(): void;
}

export const BREAKER_FAILURES = 5;
export const BREAKER_REST_MS = 15_000;

/** After the rest one more failure opens it again; one success closes it for good. */
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
