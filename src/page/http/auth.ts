/** What every request to a page passes first: the guard, the launch file with its one-time token, and the session. */
import type { IncomingMessage } from 'node:http';
import { type PageContext, page } from '../layout.ts';
import { refusal } from './guard.ts';
import { html } from './html.ts';
import { formOf, type Reply } from './loopback.ts';
import type { Sessions } from './sessions.ts';

const MAX_TOKEN_BYTES = 8 * 1024;

export interface AuthParts {
  readonly sessions: Sessions;
  /** `127.0.0.1:<port>` of this server. */
  readonly authority: string;
  /** What the layout needs to know about the page. */
  readonly context: PageContext;
  /** Shown to a visitor without a session: how to open the page. */
  readonly wayIn: string;
  /** Told when a one-time token was used. */
  readonly onEntered?: (() => void) | undefined;
}

/** The answer to a request that goes no further; `undefined` for one of an open session. */
export async function authenticate(request: IncomingMessage, parts: AuthParts): Promise<Reply | undefined> {
  const { sessions, authority, context, wayIn } = parts;
  const asked = { method: request.method ?? '', headers: request.headers };
  const [path = ''] = (request.url ?? '').split('?', 1);
  const launchFile = path === `${sessions.base}enter` && asked.method === 'POST';
  const why = refusal(asked, authority, launchFile);
  if (why !== undefined) return plain(context, 403, 'Refused', `Nothing was done: ${why}.`);
  if (!path.startsWith(sessions.base)) return plain(context, 404, 'Nothing here', wayIn);
  if (launchFile) return enter(request, parts);
  if (!sessions.holds(request.headers.cookie)) return plain(context, 401, 'Not open', wayIn);
  return undefined;
}

/** Takes the one-time token. Answers with a page that navigates on, since a redirect would lose the strict cookie. */
async function enter(
  request: IncomingMessage,
  { sessions, context, wayIn, onEntered }: AuthParts,
): Promise<Reply> {
  const cookie = sessions.enter((await formOf(request, MAX_TOKEN_BYTES)).get('token') ?? '');
  if (cookie === undefined) return plain(context, 401, 'This link was used or is too old', wayIn);
  onEntered?.();
  const body = page(
    context,
    'Opening',
    html`<meta http-equiv="refresh" content="0; url=${context.base}"><p><a href="${context.base}">Go on</a></p>`,
    false,
  );
  return { status: 200, body, headers: { 'set-cookie': cookie } };
}

/** A page of a title and a sentence. */
export function plain(context: PageContext, status: number, title: string, text: string): Reply {
  return { status, body: page(context, title, html`<h1>${title}</h1><p>${text}</p>`, false) };
}
