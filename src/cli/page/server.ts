/**
 * The local page: an HTTP server on loopback, on a port the system chooses, started on first need. Small pages made
 * on the server, plain forms, one inline script. It answers approvals, freezes and lifts freezes; nothing else.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AnswerError, type Answering } from '../../approval/answering.ts';
import type { ApprovalRow, Ledger } from '../../ledger/types.ts';
import type { Mode } from '../../plan/types.ts';
import type { LoadedPolicy } from '../../policy/file.ts';
import { Secret } from '../../secrets/secret.ts';
import { refusal, securityHeaders } from './guard.ts';
import { homePage, homeParts } from './homePage.ts';
import { html } from './html.ts';
import { type LiveParts, type Notice, type PageContext, page, stampOf } from './layout.ts';
import { questionPage, questionParts } from './questionPage.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { readHome, readQuestion } from './state.ts';

const MOST_BODY_BYTES = 8 * 1024;

export interface PageServerParts {
  readonly mode: Mode;
  readonly ledger: Ledger;
  readonly answering: Answering;
  /** The policy in force, for the names of limits and rules. */
  readonly policy: () => Promise<LoadedPolicy | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told after a yes, so that the plan goes on without the agent asking again. */
  readonly onApproved?: (row: ApprovalRow) => void;
  /** Told when a one-time token was used. */
  readonly onEntered?: () => void;
}

export interface PageServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly sessions: Sessions;
  close(): Promise<void>;
}

/** What is answered: a page, JSON for the script, or another address. */
interface Reply {
  readonly status: number;
  readonly type?: 'text/html; charset=utf-8' | 'application/json';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts the server. It does not keep the process alive. */
export async function startPageServer(parts: PageServerParts): Promise<PageServer> {
  const sessions = createSessions(parts.now);
  let authority = '';
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: 16_384 });
  server.on('request', (request, response) => {
    void answer(parts, sessions, authority, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server without a port');
  authority = `127.0.0.1:${address.port}`;
  return {
    origin: `http://${authority}`,
    sessions,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  parts: PageServerParts,
  sessions: Sessions,
  authority: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  let reply: Reply;
  try {
    reply = await route(parts, sessions, authority, nonce, request);
  } catch {
    // Whatever it was, its text may hold anything; the ledger and the journal are as they were.
    const context = { base: sessions.base, nonce, mode: parts.mode, frozen: true };
    reply = plain(context, 500, 'Something went wrong here.', 'Nothing was answered. Reload the page.');
  }
  const { status, type = 'text/html; charset=utf-8', body = '', headers = {} } = reply;
  response.writeHead(status, {
    ...securityHeaders(nonce),
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

async function route(
  parts: PageServerParts,
  sessions: Sessions,
  authority: string,
  nonce: string,
  request: IncomingMessage,
): Promise<Reply> {
  const { base } = sessions;
  const asked = { method: request.method ?? '', headers: request.headers };
  const [path = '', query] = (request.url ?? '').split('?', 2);
  const stranger: PageContext = { base, nonce, mode: parts.mode, frozen: true };
  const door = path === `${base}enter` && asked.method === 'POST';
  const why = refusal(asked, authority, door);
  if (why !== undefined) return plain(stranger, 403, 'Refused', `Nothing was done: ${why}.`);
  if (!path.startsWith(base)) return plain(stranger, 404, 'Nothing here', WAY_IN);
  if (door) return enter(parts, sessions, stranger, request);
  if (!sessions.holds(request.headers.cookie)) return plain(stranger, 401, 'Not open', WAY_IN);

  const context = { ...stranger, frozen: (await parts.ledger.frozen()) !== undefined };
  const rest = path.slice(base.length);
  if (asked.method === 'POST') return act(parts, context, rest, await form(request));
  if (query === 'live') return live(parts, context, rest);
  return show(parts, context, rest);
}

const WAY_IN = 'Open the page through the file that `countersign pending` names. A link works once.';

/** Takes the one-time token. Answers with a page that goes on, since a redirect would lose the strict cookie. */
async function enter(
  parts: PageServerParts,
  sessions: Sessions,
  context: PageContext,
  request: IncomingMessage,
): Promise<Reply> {
  const cookie = sessions.enter((await form(request)).get('token') ?? '');
  if (cookie === undefined) return plain(context, 401, 'This link was used or is too old', WAY_IN);
  parts.onEntered?.();
  const body = page(
    context,
    'Opening',
    html`<meta http-equiv="refresh" content="0; url=${context.base}"><p><a href="${context.base}">Go on</a></p>`,
    false,
  );
  return { status: 200, body, headers: { 'set-cookie': cookie } };
}

async function show(parts: PageServerParts, context: PageContext, rest: string): Promise<Reply> {
  const policy = await parts.policy();
  if (rest === '') {
    const needsOwner = await parts.answering.unfreezeNeedsOwner();
    return { status: 200, body: homePage(context, await readHome(parts.ledger, policy, needsOwner)) };
  }
  const question = await readQuestion(parts.ledger, approvalId(rest) ?? '', policy);
  if (question === undefined) return plain(context, 404, 'There is no such question', 'Go back to the list.');
  return { status: 200, body: questionPage(context, question) };
}

/** The parts of a page that change, for its script. */
async function live(parts: PageServerParts, context: PageContext, rest: string): Promise<Reply> {
  const policy = await parts.policy();
  if (rest === '') {
    const state = await readHome(parts.ledger, policy, await parts.answering.unfreezeNeedsOwner());
    return json(state.now, homeParts(context, state));
  }
  const state = await readQuestion(parts.ledger, approvalId(rest) ?? '', policy);
  return state === undefined
    ? { status: 404, type: 'application/json', body: '{}' }
    : json(state.now, questionParts(context, state));
}

function json(now: number, live: LiveParts): Reply {
  const parts = Object.fromEntries(
    Object.entries(live).map(([name, part]) => [name, { html: part.text, stamp: stampOf(part) }]),
  );
  return { status: 200, type: 'application/json', body: JSON.stringify({ now, parts }) };
}

const approvalId = (rest: string): string | undefined => /^approval\/([\w-]{1,80})$/.exec(rest)?.[1];

/** What a form asks for. An answer that is not taken shows the page again and says why. */
async function act(
  parts: PageServerParts,
  context: PageContext,
  rest: string,
  fields: URLSearchParams,
): Promise<Reply> {
  const { answering } = parts;
  const [, id = '', verb] = /^approval\/([\w-]{1,80})\/(approve|deny)$/.exec(rest) ?? [];
  const back = id === '' ? '' : `approval/${id}`;
  const typed = fields.get('passphrase');
  const passphrase = typed === null || typed === '' ? undefined : Secret.fromText(typed);
  const answer = { id, envelopeDigest: fields.get('envelope') ?? '', channel: 'page' } as const;
  try {
    if (verb === 'approve') {
      const row = await answering.approve({ ...answer, passphrase });
      parts.onApproved?.(row);
    } else if (verb === 'deny') await answering.deny(answer);
    else if (rest === 'freeze') await answering.freeze('A person froze signing on the page.');
    else if (rest === 'unfreeze') await answering.unfreeze(passphrase);
    else return plain(context, 404, 'Nothing here', 'Go back to the list.');
    return { status: 303, headers: { location: `${context.base}${back}` } };
  } catch (error) {
    const notice = noticeOf(error);
    if (notice === undefined) throw error;
    const frozen = (await parts.ledger.frozen()) !== undefined;
    return { ...(await show(parts, { ...context, frozen, notice }, back)), status: 409 };
  } finally {
    passphrase?.wipe();
  }
}

/** Errors of this project say what happened without secrets; anything else is not shown. */
function noticeOf(error: unknown): Notice | undefined {
  if (!(error instanceof Error)) return undefined;
  const known = error instanceof AnswerError || error.name === 'SecretError' || error.name === 'LedgerError';
  if (!known || !('hint' in error) || typeof error.hint !== 'string') return undefined;
  return { kind: 'bad', text: error.message, hint: error.hint };
}

/** The fields of a form. Larger bodies and other types hold none. */
async function form(request: IncomingMessage): Promise<URLSearchParams> {
  const none = new URLSearchParams();
  if (request.headers['content-type']?.split(';', 1)[0] !== 'application/x-www-form-urlencoded') return none;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) return none;
    size += chunk.length;
    if (size > MOST_BODY_BYTES) return none;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  try {
    return new URLSearchParams(body.toString('utf8'));
  } finally {
    body.fill(0);
    for (const chunk of chunks) chunk.fill(0);
  }
}

function plain(context: PageContext, status: number, title: string, text: string): Reply {
  return { status, body: page(context, title, html`<h1>${title}</h1><p>${text}</p>`, false) };
}
