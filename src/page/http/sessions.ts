/**
 * Who may use the page: a browser that came through the launch file. One-time tokens open it, a cookie bound to a
 * random path keeps it open (cookies of a loopback address are sent to every port of it, so the path is what keeps
 * them from other local servers).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_MS = 10 * 60_000;
const IDLE_MS = 8 * 3_600_000;
const MAX_SESSIONS = 8;
const COOKIE = 'countersign';

export interface Sessions {
  /** `/<random>/`, the same for the life of the process. */
  readonly base: string;
  /** A new one-time token; earlier ones that were not used stop working. */
  issue(): string;
  /** Uses a token up. The `Set-Cookie` value, or `undefined` when the token is wrong, used or too old. */
  enter(token: string): string | undefined;
  /** Whether a `Cookie` header holds an open session. */
  holds(cookies: string | undefined): boolean;
  /** What `countersign open` shows to have the page opened again; it opens nothing by itself. */
  readonly key: string;
  isKey(given: string): boolean;
  /** When a session was last used, milliseconds; `undefined` for never. */
  lastSeen(): number | undefined;
}

export function createSessions(now: () => number): Sessions {
  const base = `/${secret(16)}/`;
  const key = secret(32);
  let token: { readonly digest: Buffer; readonly until: number } | undefined;
  const sessions: { readonly digest: Buffer; seenAt: number }[] = [];
  return {
    base,
    key,
    isKey: (given) => timingSafeEqual(digestOf(given), digestOf(key)),
    issue: () => {
      const issued = secret(32);
      token = { digest: digestOf(issued), until: now() + TOKEN_MS };
      return issued;
    },
    enter: (given) => {
      if (token === undefined || token.until <= now() || !timingSafeEqual(digestOf(given), token.digest)) {
        return undefined;
      }
      token = undefined;
      const cookie = secret(32);
      sessions.push({ digest: digestOf(cookie), seenAt: now() });
      if (sessions.length > MAX_SESSIONS) sessions.shift();
      return `${COOKIE}=${cookie}; Path=${base}; HttpOnly; SameSite=Strict`;
    },
    holds: (cookies) => {
      const values = (cookies ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${COOKIE}=`))
        .map((pair) => digestOf(pair.slice(COOKIE.length + 1)));
      const session = sessions.find(
        ({ digest, seenAt }) =>
          seenAt + IDLE_MS > now() && values.some((value) => timingSafeEqual(value, digest)),
      );
      if (session === undefined) return false;
      session.seenAt = now();
      return true;
    },
    lastSeen: () => (sessions.length === 0 ? undefined : Math.max(...sessions.map(({ seenAt }) => seenAt))),
  };
}

const secret = (bytes: number): string => randomBytes(bytes).toString('base64url');
/** Digests have one length, so that comparing them tells nothing about the length of a guess. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
