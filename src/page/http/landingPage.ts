/**
 * Two routes that reopen the page and show none of its content. The plain address (`http://127.0.0.1:<port>/`), which
 * results, clients and webhooks may name, launches the page in the person's browser. `countersign open`, which sends
 * a key from a file in the user's home, requests a new launch file.
 */
import { page } from '../layout.ts';
import { formOf, type PageApp, type PageRequest } from './auth.ts';
import { type Html, html } from './html.ts';
import type { Sessions } from './sessions.ts';

export interface LandingParts {
  readonly sessions: Sessions;
  /** Opens the page in the person's browser. */
  readonly onVisit: () => Promise<unknown>;
  /** Writes a new launch file. */
  readonly onReopen: () => Promise<unknown>;
}

export function addLandingPage(app: PageApp, { sessions, onVisit, onReopen }: LandingParts): void {
  const shown = (c: PageRequest, content: Html) =>
    c.html(page({ ...c.var.page, base: '/' }, 'Approvals', content, false));
  const visit = async (c: PageRequest) => {
    await onVisit();
    return shown(
      c,
      html`<h1>Opening your approvals</h1><p>They open in a browser window. If none opens, run <span class="code">countersign open</span>.</p>`,
    );
  };
  // Only a person's own navigation or the button opens a window; requests of other programs get the button.
  app.get('/', (c) =>
    c.req.header('sec-fetch-site') === 'none'
      ? visit(c)
      : shown(
          c,
          html`<h1>Your approvals</h1><form method="post" action="/"><p><button class="primary">Open them</button></p></form>`,
        ),
  );
  app.post('/', visit);
  app.post(`${sessions.base}reopen`, async (c) => {
    if (!sessions.isKey((await formOf(c)).get('key') ?? '')) return c.body(null, 401);
    await onReopen();
    return c.body(null, 200);
  });
}
