/**
 * Rate limits as reported by the service: headers on every answer, and 429 with a reset time that may be seconds,
 * milliseconds, in the past, absurd or missing (F07, F08). Never sleeps: a limited call fails at once with the time
 * to retry (docs/contract.md C-LIMIT-02 … 04).
 */
import { LIMITS } from '../contract/constants.ts';

/** Rate headers of the last answer that had them. */
export interface RateHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  /** Milliseconds since the epoch. */
  readonly resetAt?: number;
}

/** Back-off after a 429 without a usable reset time. */
export const DEFAULT_BACKOFF_MS = 60_000;
/** The window is an hour, so no valid reset is further away. */
export const MAX_BACKOFF_MS = 3_600_000;
const MIN_BACKOFF_MS = 1_000;

/** Parses a reset time in seconds or milliseconds, clamped to between one second and one hour from now. */
export function resetMoment(value: unknown, now: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return now + DEFAULT_BACKOFF_MS;
  // Unix seconds stay below 1e11 until the year 5138; milliseconds passed it in 1973.
  const moment = Math.abs(number) < 1e11 ? number * 1000 : number;
  return Math.min(Math.max(moment, now + MIN_BACKOFF_MS), now + MAX_BACKOFF_MS);
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

/** Parses the three `X-RateLimit-…` headers; `undefined` if there are none. */
export function readRateHeaders(headers: Headers, now: number): RateHeaders | undefined {
  const limit = wholeNumber(headers.get('x-ratelimit-limit'));
  const remaining = wholeNumber(headers.get('x-ratelimit-remaining'));
  const reset = wholeNumber(headers.get('x-ratelimit-reset'));
  if (limit === undefined && remaining === undefined && reset === undefined) return undefined;
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(reset === undefined ? {} : { resetAt: resetMoment(reset, now) }),
  };
}

/** Returns a 429's retry time, and whether it applies to the whole account or this endpoint only. */
export function readRefusal(
  body: unknown,
  headers: Headers,
  now: number,
): { readonly until: number; readonly wholeAccount: boolean } {
  const field = (name: string): unknown =>
    typeof body === 'object' && body !== null && Object.hasOwn(body, name)
      ? Reflect.get(body, name)
      : undefined;
  const retryAfter = wholeNumber(headers.get('retry-after'));
  const reset = field('resetTime') ?? headers.get('x-ratelimit-reset') ?? undefined;
  const until =
    reset === undefined && retryAfter !== undefined
      ? now + Math.min(Math.max(retryAfter * 1000, MIN_BACKOFF_MS), MAX_BACKOFF_MS)
      : resetMoment(reset, now);
  const limit = field('limit') ?? wholeNumber(headers.get('x-ratelimit-limit'));
  return { until, wholeAccount: typeof limit !== 'number' || limit === LIMITS.requestsPerHour };
}

/** Stores refusals, so that later calls fail locally. */
export interface RateGate {
  /** Returns the time until which calls of this endpoint are pointless, or `undefined`. */
  blockedUntil(endpoint: string): number | undefined;
  refuse(endpoint: string, until: number, wholeAccount: boolean): void;
}

/** Creates a gate for one client: an account refusal blocks every call, an endpoint refusal only that endpoint. */
export function createRateGate(now: () => number): RateGate {
  let account = 0;
  const byEndpoint = new Map<string, number>();
  return {
    blockedUntil(endpoint) {
      const until = Math.max(account, byEndpoint.get(endpoint) ?? 0);
      return until > now() ? until : undefined;
    },
    refuse(endpoint, until, wholeAccount) {
      if (wholeAccount) account = until;
      else byEndpoint.set(endpoint, until);
    },
  };
}
