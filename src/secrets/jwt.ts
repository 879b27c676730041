// Checks the form and expiry of a login JWT. Nothing is verified (the service does that), no claim but the expiry is
// returned, and no error quotes the token (B59, B61).

const LONGEST_JWT = 16_384;
const PART = /^[A-Za-z0-9_-]+$/;

export type JwtCheck =
  | {
      ok: true;
      /** Seconds since 1970 from `exp`, unverified; absent if the token has no usable one. */
      expiresAt?: number;
      /** Whether `exp` has passed. Only a warning: the service decides. */
      expired: boolean;
    }
  | { ok: false; reason: string };

function readObject(part: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return new Map(Object.entries(value));
  } catch {
    return undefined;
  }
}

/**
 * Checks that `text` has the form of a signed JWT: at most 16 KiB, three base64url parts separated by dots, the first
 * two JSON objects. `nowSeconds` is the time since 1970. The reason is safe to show.
 */
export function checkJwt(text: string, nowSeconds: number): JwtCheck {
  if (text.length > LONGEST_JWT) return { ok: false, reason: 'The token is longer than 16 KiB.' };
  if (/\s/.test(text)) return { ok: false, reason: 'The token contains a space or a line break.' };
  const parts = text.split('.');
  if (parts.length !== 3 || !parts.every((part) => PART.test(part))) {
    return { ok: false, reason: 'The token is not a JWT: it needs three parts separated by dots.' };
  }
  const [header, payload] = parts.map((part, index) => (index < 2 ? readObject(part) : undefined));
  if (header === undefined || payload === undefined) {
    return { ok: false, reason: 'The token is not a JWT: its parts are not JSON objects.' };
  }
  const exp = payload.get('exp');
  if (typeof exp !== 'number' || !Number.isFinite(exp)) return { ok: true, expired: false };
  return { ok: true, expiresAt: exp, expired: exp <= nowSeconds };
}
