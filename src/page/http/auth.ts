/**
 * Access control of the approval page: strict headers, same-origin requests only, and sessions that begin with the
 * launch file. Every site in the person's browser and every process of the machine can reach loopback, so a request
 * must name this address (DNS rebinding), come from this origin (cross-site requests, T62) and carry the session.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type PageContext, page } from '../layout.ts';
import { html } from './html.ts';
import type { Sessions } from './sessions.ts';

/** Variables of a request: the layout's context, and the nonce of the inline style and script. */
interface PageEnv {
  Variables: { page: PageContext; secureHeadersNonce: string };
}
export type PageApp = Hono<PageEnv>;
export type PageRequest = Context<PageEnv>;

export interface AuthParts {
  readonly sessions: Sessions;
  /** Host and port of this server: `127.0.0.1:<port>`. */
  readonly authority: string;
  readonly mode: PageContext['mode'];
  /** Called when a one-time token is used. */
  readonly onStart: () => void;
}

const COOKIE = 'countersign';
const MAX_BODY_BYTES = 8 * 1024;
/** Shown to a visitor without a session. */
const HOW_TO_OPEN = 'Run `countersign open`, or go to the address of this page up to its port.';

const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [NONCE],
    scriptSrc: [NONCE],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // `no-referrer` would make the browser send a form's own origin as `null`.
  referrerPolicy: 'same-origin',
  strictTransportSecurity: false,
  permissionsPolicy: { camera: [], microphone: [], geolocation: [], payment: [] },
});

/**
 * Creates the app of a local page, which accepts the launch file's token at `enter`. Routes that need the session
 * follow `requireSession`.
 */
export function createPageApp(parts: AuthParts): PageApp {
  const { sessions, mode, onStart } = parts;
  const { base } = sessions;
  const app: PageApp = new Hono<PageEnv>();
  app.use(headers, async (c, next) => {
    c.set('page', { base, nonce: c.get('secureHeadersNonce'), mode, frozen: true });
    c.header('cache-control', 'no-store');
    const why = refusal(c, parts);
    return why === undefined ? next() : plain(c, 403, 'Refused', `Nothing was done: ${why}.`);
  });
  app.notFound((c) => plain(c, 404, 'Nothing here', HOW_TO_OPEN));
  // The error's own text may contain a secret. It did not change ledger or journal.
  app.onError((_, c) =>
    plain(c, 500, 'An unexpected error occurred.', 'Nothing was answered. Reload the page.'),
  );
  app.post(`${base}enter`, async (c) => {
    const cookie = sessions.start((await formOf(c)).get('token') ?? '');
    if (cookie === undefined) return plain(c, 401, 'This link was already used or has expired', HOW_TO_OPEN);
    onStart();
    setCookie(c, COOKIE, cookie, { path: base, httpOnly: true, sameSite: 'Strict' });
    // A redirect would continue the navigation from the file, which carries no strict cookie.
    const go = html`<meta http-equiv="refresh" content="0; url=${base}"><p><a href="${base}">Go on</a></p>`;
    return c.html(page(c.var.page, 'Opening', go, false));
  });
  return app;
}

/**
 * Returns why a request is refused. Requires both `Origin` and `Sec-Fetch-Site` to match, also for reads: hono's CSRF
 * check accepts either and covers only forms.
 */
function refusal(c: PageRequest, { authority, sessions }: AuthParts): string | undefined {
  const { method, path } = c.req;
  if (method !== 'GET' && method !== 'POST') return 'the method is not supported';
  if (c.req.header('host') !== authority) return 'the request is for another host';
  // The plain address shows no data, and a link to it may be anywhere.
  if (method === 'GET' && path === '/') return undefined;
  const origin = c.req.header('origin');
  // The launch file has an opaque origin and may only send its token.
  const isLaunch = method === 'POST' && path === `${sessions.base}enter`;
  if (method === 'POST' && origin === undefined) return 'the request has no origin';
  const isOwn = origin === undefined || origin === `http://${authority}` || (isLaunch && origin === 'null');
  const site = c.req.header('sec-fetch-site') ?? 'none';
  if (!isOwn || !(isLaunch || site === 'same-origin' || site === 'none'))
    return 'the request comes from another site';
  // Form bodies always have a length.
  const isShort = method === 'GET' || Number(c.req.header('content-length') ?? Number.NaN) <= MAX_BODY_BYTES;
  return isShort ? undefined : 'the request is too long';
}

/** Passes requests of an open session. */
export const requireSession =
  ({ sessions }: AuthParts): MiddlewareHandler<PageEnv> =>
  async (c, next) => {
    if (!c.req.path.startsWith(sessions.base)) return plain(c, 404, 'Nothing here', HOW_TO_OPEN);
    if (!sessions.holds(getCookie(c, COOKIE) ?? '')) return plain(c, 401, 'Not open', HOW_TO_OPEN);
    return next();
  };

/** Returns the fields of a form; empty for a body of another type. */
export async function formOf(c: PageRequest): Promise<URLSearchParams> {
  const type = c.req.header('content-type')?.split(';', 1)[0];
  return new URLSearchParams(type === 'application/x-www-form-urlencoded' ? await c.req.text() : '');
}

/** Renders a page with a title and a sentence. */
export const plain = (c: PageRequest, status: ContentfulStatusCode, title: string, text: string) =>
  c.html(page(c.var.page, title, html`<h1>${title}</h1><p>${text}</p>`, false), status);
