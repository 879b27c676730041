/**
 * Refuses requests that did not come from the page itself. The page is on loopback, but every site in the person's browser and every
 * process of the machine can reach loopback: a request must name our own address, come from our own page, and
 * carry the session (DNS rebinding, cross-site requests, T62).
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Why a request is refused; `undefined` when it is not. `launch file`: it brings the one-time token. */
export function refusal(
  { method, headers }: Asked,
  authority: string,
  launchFile: boolean,
): string | undefined {
  if (method !== 'GET' && method !== 'POST') return 'this method is not used here';
  if (headers.host !== authority) return 'the request is for another host';
  const { origin } = headers;
  const own = `http://${authority}`;
  // The launch file is a file, whose origin is opaque: it may only send its token.
  const allowed = launchFile ? [own, 'null'] : [own];
  if (origin !== undefined && !allowed.includes(origin)) return 'the request comes from another site';
  if (method === 'POST' && origin === undefined) return 'the request does not say where it comes from';
  const site = headers['sec-fetch-site'];
  if (launchFile || site === undefined || site === 'same-origin' || site === 'none') return undefined;
  return 'the request comes from another site';
}

/** Headers of every answer. `nonce` is the one of its inline style and script. */
export const securityHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: a form's own origin would then be sent as `null`.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
});
