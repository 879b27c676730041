/**
 * Sessions of a page. The launch file's one-time token starts one, and a cookie on a random path carries it: cookies
 * of a loopback address are sent to every port, so the path keeps them from other local servers.
 */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN_MS = 10 * 60_000;
const MAX_IDLE_MS = 8 * 3_600_000;
const MAX_SESSIONS = 8;

export class Sessions {
  /** The random path `/<random>/`, constant for the life of the process. */
  readonly base = `/${secret(16)}/`;
  /** Sent by `countersign open` to relaunch the page; starts no session. */
  readonly key = secret(32);
  private readonly now: () => number;
  private token: { readonly digest: string; readonly until: number } | undefined;
  /** Time of last use by cookie digest; the longest unused first. */
  private readonly seen = new Map<string, number>();

  constructor(now: () => number) {
    this.now = now;
  }

  isKey(given: string): boolean {
    return digestOf(given) === digestOf(this.key);
  }

  /** Returns a new one-time token and revokes the previous one. */
  issue(): string {
    const token = secret(32);
    this.token = { digest: digestOf(token), until: this.now() + TOKEN_MS };
    return token;
  }

  /** Exchanges a token for the cookie of a new session; `undefined` if it is wrong, used or expired. */
  start(given: string): string | undefined {
    const { token } = this;
    if (token === undefined || token.until <= this.now() || digestOf(given) !== token.digest)
      return undefined;
    this.token = undefined;
    const cookie = secret(32);
    this.seen.set(digestOf(cookie), this.now());
    const [unused] = this.seen.keys();
    if (this.seen.size > MAX_SESSIONS && unused !== undefined) this.seen.delete(unused);
    return cookie;
  }

  /** Returns whether a cookie belongs to a session, and records the use. */
  holds(cookie: string): boolean {
    const id = digestOf(cookie);
    const at = this.seen.get(id);
    if (at === undefined || at + MAX_IDLE_MS <= this.now()) return false;
    this.seen.delete(id);
    this.seen.set(id, this.now());
    return true;
  }

  /** Returns when a session was last used, in milliseconds; `undefined` for never. */
  lastSeen(): number | undefined {
    return [...this.seen.values()].at(-1);
  }
}

const secret = (bytes: number): string => randomBytes(bytes).toString('base64url');
/** Secrets are compared by digest, so that timing reveals nothing about them. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');
