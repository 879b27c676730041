// A login JWT, as far as this program looks into it: its form, and when it says it ends. Nothing is
// verified (the service does that), no claim is returned but the time, and no error quotes any of it (B59, B61).

const LONGEST_JWT = 16_384;
const PART = /^[A-Za-z0-9_-]+$/;

export type JwtCheck =
  | {
      ok: true;
      /** Seconds since 1970 from `exp`, unverified; absent when the token has no usable one. */
      expiresAt?: number;
      /** True when `exp` has passed: worth a warning, and the service decides. */
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
 * Checks that `text` has the form of a signed JWT: at most 16 KiB, three base64url parts with single dots,
 * the first two JSON objects. `nowSeconds` is the time since 1970. The reason is safe to show.
 */
export function checkJwt(text: string, nowSeconds: number): JwtCheck {
  if (text.length > LONGEST_JWT) return { ok: false, reason: 'The token is longer than 16 KiB.' };
  if (/\s/.test(text)) return { ok: false, reason: 'The token contains a space or a line break.' };
  const parts = text.split('.');
  if (parts.length !== 3 || !parts.every((part) => PART.test(part))) {
    return { ok: false, reason: 'The token is not a JWT: three parts with dots between them.' };
  }
  const [header, payload] = parts.map((part, index) => (index < 2 ? readObject(part) : undefined));
  if (header === undefined || payload === undefined) {
    return { ok: false, reason: 'The token is not a JWT: its parts do not hold JSON objects.' };
  }
  const exp = payload.get('exp');
  if (typeof exp !== 'number' || !Number.isFinite(exp)) return { ok: true, expired: false };
  return { ok: true, expiresAt: exp, expired: exp <= nowSeconds };
}
