/**
 * `countersign login page`: a local page with one field for the login token, for users who do not want to paste it
 * into a terminal. Opens through its own launch file, accepts one login, and ends with the command. Neither the token
 * nor the key is in any response.
 */
import { createPageApp, formOf, type PageApp, requireSession } from '../../../page/http/auth.ts';
import { type Html, html } from '../../../page/http/html.ts';
import { LOGIN_LAUNCH_FILE, removeLaunchFile, writeLaunchFile } from '../../../page/http/launchFile.ts';
import { serveOnLoopback } from '../../../page/http/loopback.ts';
import { openInBrowser } from '../../../page/http/openBrowser.ts';
import { Sessions } from '../../../page/http/sessions.ts';
import { type Notice, type PageContext, page } from '../../../page/layout.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import type { Environment } from '../../../secrets/home.ts';
import { createRedactor } from '../../../secrets/redaction/redact.ts';
import type { StoreKind } from '../../../secrets/stores/store.ts';
import type { KeptKey } from './exchange.ts';

/** A token has at most 16 KiB; longer text is refused with a message. */
const MAX_BODY_BYTES = 64 * 1024;
const OPEN_MS = 15 * 60_000;
/** Milliseconds for sending the last response. */
const ANSWER_MS = 1_000;
const WAY_IN = 'Run `countersign login page` and open the file that it names. A link works once.';

export interface LoginPageParts {
  readonly home: string;
  readonly env: Environment;
  /** Origin of the service. */
  readonly origin: string;
  /** Name of the requested key. */
  readonly keyName: string;
  /** Store of the key. */
  readonly storedIn: StoreKind;
  /** Exchanges a token and stores the key. Its own errors are shown. */
  readonly save: (token: string) => Promise<KeptKey>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Prints a line on the terminal. */
  readonly tell: (line: string) => void;
  /** Timeout of the page in milliseconds. */
  readonly openMs?: number;
}

/**
 * Shows the page and waits until a key is stored. A refused token can be corrected.
 * @throws SetupError if no token was pasted in time, or the command was stopped
 */
export async function loginOnPage(parts: LoginPageParts): Promise<KeptKey> {
  const { home, env, tell, openMs = OPEN_MS } = parts;
  const sessions = new Sessions(parts.now);
  const { promise: stored, resolve, reject } = outcome<KeptKey>();
  let saving: Promise<KeptKey> | undefined;
  /** A form submitted twice creates one key. */
  const save = (token: string): Promise<KeptKey> => {
    saving ??= parts.save(token).then(
      (kept) => {
        resolve(kept);
        return kept;
      },
      (error: unknown) => {
        saving = undefined;
        throw error;
      },
    );
    return saving;
  };
  /** Ends the wait, unless a key is being stored. */
  const giveUp = (why: string) => (): void => {
    const error = new SetupError(why, 'Nothing was stored. Run `countersign login page` again.');
    if (saving === undefined) reject(error);
    else saving.catch(() => reject(error));
  };
  const server = await serveOnLoopback((authority) => {
    const auth = {
      sessions,
      authority,
      wayIn: WAY_IN,
      afterFailure: 'Run `countersign doctor`.',
      maxBodyBytes: MAX_BODY_BYTES,
      onStart: () => removeLaunchFile(home, LOGIN_LAUNCH_FILE),
    };
    const app = createPageApp(auth);
    app.use(requireSession(auth));
    addForm(app, sessions.base, { ...parts, save });
    return app;
  });
  const timer = setTimeout(giveUp('No login token was pasted into the page in time.'), openMs);
  const stopped = giveUp('The login was stopped.');
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stopped);
  try {
    const target = `${server.origin}${sessions.base}enter`;
    const file = writeLaunchFile(home, target, sessions.issue(), LOGIN_LAUNCH_FILE);
    const opened = openInBrowser(file, env);
    tell(
      `${opened ? 'Paste the login token into the page; if none opens, open' : 'Open'} ${file} in a browser.`,
    );
    return await stored;
  } finally {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, stopped);
    removeLaunchFile(home, LOGIN_LAUNCH_FILE);
    await server.close(ANSWER_MS);
  }
}

interface Outcome<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

function outcome<Value>(): Outcome<Value> {
  let settle: Omit<Outcome<Value>, 'promise'> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}

/** Adds the page with the field. Its responses close the connection, so that the server can end. */
function addForm(app: PageApp, base: string, parts: LoginPageParts): void {
  app.use(async (c, next) => {
    c.header('connection', 'close');
    await next();
  });
  app.get(base, (c) => c.html(formPage(parts, c.var.page)));
  app.post(base, async (c) => {
    const token = ((await formOf(c)).get('jwt') ?? '').trim();
    try {
      return c.html(donePage(c.var.page, await parts.save(token)));
    } catch (error) {
      const notice = noticeOf(error, token);
      if (notice === undefined) throw error;
      return c.html(formPage(parts, { ...c.var.page, notice }), 422);
    }
  });
}

/** Returns the notice for an error of this project, without the token; other errors are not shown. */
function noticeOf(error: unknown, token: string): Notice | undefined {
  if (!(error instanceof Error) || !('hint' in error) || typeof error.hint !== 'string') return undefined;
  const redactor = createRedactor();
  redactor.register(token);
  return { kind: 'bad', text: redactor.redact(error.message), hint: redactor.redact(error.hint) };
}

/** Names the store of a key. */
const placeOf = (kind: StoreKind): string =>
  kind === 'keychain' ? "the system's keychain" : `the ${kind} store`;

const rows = (entries: readonly (readonly [string, string])[]): Html =>
  html`<dl>${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

function formPage({ origin, keyName, storedIn }: LoginPageParts, context: PageContext): Html {
  const facts = rows([
    ['Service', origin],
    ['Name of the key', keyName],
    ['Kept in', placeOf(storedIn)],
  ]);
  return page(
    context,
    'Log in',
    html`<h1>Log in</h1>
<p class="soft">The login token is sent to the service once, for an API key. Only the key is kept.</p>
<section class="card" aria-label="The key">${facts}</section>
<form class="card" method="post" action="${context.base}">
<label for="jwt">Login token (JWT)<input id="jwt" name="jwt" type="password" required autofocus autocomplete="off" spellcheck="false"></label>
<p><button class="primary">Save</button></p>
</form>`,
    false,
  );
}

function donePage(context: PageContext, { keyId, origin, storedIn, replaced }: KeptKey): Html {
  const facts = rows([
    ['API key', keyId ?? 'without an id'],
    ['Service', origin],
    ['Kept in', placeOf(storedIn)],
  ]);
  const notice: Notice | undefined = replaced
    ? {
        kind: 'warn',
        text: 'It replaces the key that was there.',
        hint: 'Revoke that one at the service, and restart running servers.',
      }
    : undefined;
  return page(
    { ...context, notice },
    'Key stored',
    html`<h1>Key stored</h1>
<section class="card" aria-label="The key">${facts}</section>
<p>You can close this page.</p>`,
    false,
  );
}
