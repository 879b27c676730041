/**
 * Two ways back to the page that show nothing and hold no secret. The plain address (`http://127.0.0.1:<port>/`), which
 * results, clients and webhooks may name, has the page opened in the person's own browser through a new launch file. And
 * `countersign open`, which shows a key from a file of this user's home, gets a new launch file written.
 */
import type { IncomingMessage } from 'node:http';
import { type PageContext, page } from '../layout.ts';
import { refusal } from './guard.ts';
import { html } from './html.ts';
import { formOf, type Reply } from './loopback.ts';
import type { Sessions } from './sessions.ts';

export interface LandingParts {
  readonly sessions: Sessions;
  /** `127.0.0.1:<port>` of this server. */
  readonly authority: string;
  readonly context: PageContext;
  readonly onVisit?: () => Promise<unknown>;
  readonly onReopen?: () => Promise<unknown>;
}

const MAX_KEY_BYTES = 1024;

/** The answer to a visit or a reopen; `undefined` for everything else. */
export async function landingPage(request: IncomingMessage, parts: LandingParts): Promise<Reply | undefined> {
  const { sessions, authority, context, onVisit, onReopen } = parts;
  const asked = { method: request.method ?? '', headers: request.headers };
  const [path = ''] = (request.url ?? '').split('?', 1);
  const why = refusal(asked, authority, false);
  if (
    path === `${sessions.base}reopen` &&
    asked.method === 'POST' &&
    why === undefined &&
    onReopen !== undefined
  ) {
    if (!sessions.isKey((await formOf(request, MOST_KEY_BYTES)).get('key') ?? '')) return { status: 401 };
    await onReopen();
    return { status: 200 };
  }
  if (path !== '/' || asked.headers.host !== authority || onVisit === undefined) return undefined;
  // Only a person's own navigation or the button below opens a window; other programs of this machine get the button.
  const isPerson = asked.method === 'POST' || asked.headers['sec-fetch-site'] === 'none';
  if (why === undefined && isPerson) {
    await onVisit();
    return shown(
      context,
      html`<h1>Opening your approvals</h1><p>They open in a window of your browser. If none opens, run <span class="code">countersign open</span>.</p>`,
    );
  }
  if (asked.method !== 'GET') return undefined;
  return shown(
    context,
    html`<h1>Your approvals</h1><form method="post" action="/"><p><button class="primary">Open them</button></p></form>`,
  );
}

const shown = (context: PageContext, content: ReturnType<typeof html>): Reply => ({
  status: 200,
  body: page({ ...context, base: '/' }, 'Approvals', content, false),
});
