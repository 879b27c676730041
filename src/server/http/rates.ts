/** Rate limits per principal: requests per minute and concurrent requests. Old counts are dropped. */
import type { Principal } from './caller.ts';

const MINUTE_MS = 60_000;

/** An admitted request, or the wait until the next one. */
export type Admitted =
  | { readonly ok: true; readonly done: () => void }
  | { readonly ok: false; readonly retryAfterSeconds: number };

export interface Rates {
  admit(principal: Pick<Principal, 'name' | 'callsPerMinute' | 'callsAtOnce'>): Admitted;
  /** Counts further requests of an admitted principal; returns the wait in seconds if they exceed the limit. */
  charge(principal: Pick<Principal, 'name' | 'callsPerMinute'>, requests: number): number | undefined;
}

/** The remaining requests of a principal: a token bucket that refills evenly. */
interface Bucket {
  left: number;
  at: number;
  atWork: number;
}

/** `passed` returns monotonic milliseconds. */
export function createRates(passed: () => number): Rates {
  const buckets = new Map<string, Bucket>();
  return {
    admit: ({ name, callsPerMinute, callsAtOnce }) => {
      const now = passed();
      const bucket = buckets.get(name) ?? { left: callsPerMinute, at: now, atWork: 0 };
      buckets.set(name, bucket);
      bucket.left = Math.min(callsPerMinute, bucket.left + ((now - bucket.at) * callsPerMinute) / MINUTE_MS);
      bucket.at = now;
      if (bucket.left < 1)
        return { ok: false, retryAfterSeconds: Math.ceil(((1 - bucket.left) * 60) / callsPerMinute) };
      if (bucket.atWork >= callsAtOnce) return { ok: false, retryAfterSeconds: 1 };
      bucket.left -= 1;
      bucket.atWork += 1;
      let open = true;
      return {
        ok: true,
        done: () => {
          if (open) bucket.atWork -= 1;
          open = false;
        },
      };
    },
    charge: ({ name, callsPerMinute }, requests) => {
      const bucket = buckets.get(name);
      if (bucket === undefined || requests <= 0) return undefined;
      const missing = requests - bucket.left;
      if (missing > 0) return Math.ceil((missing * 60) / callsPerMinute);
      bucket.left -= requests;
      return undefined;
    },
  };
}
