/**
 * The local page: an HTTP server on loopback, on a port the system chooses, started on first need. Small pages made
 * on the server, plain forms, one inline script. It answers approvals, freezes and lifts freezes; nothing else.
 */
import type { IncomingMessage } from 'node:http';
import { AnswerError, type Answering } from '../answering/answering.ts';
import { GrantError, grantOf } from '../answering/grantTerms.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { Mode } from '../plan/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import { openQuestions, readApprovalView } from '../presentation/question/readView.ts';
import { Secret } from '../secrets/secret.ts';
import type { Grant } from '../statement/grant.ts';
import { pastPage } from './history/routes.ts';
import { homePage, homeParts } from './homePage.ts';
import { authenticate, plain } from './http/auth.ts';
import { landingPage } from './http/landingPage.ts';
import { formOf, type Reply, serveOnLoopback } from './http/loopback.ts';
import { createSessions, type Sessions } from './http/sessions.ts';
import { type LiveParts, type Notice, type PageContext, stampOf } from './layout.ts';
import { createNotices, type Notices } from './notices.ts';
import { questionPage, questionParts } from './questionPage.ts';
import { readHome, readQuestion } from './state.ts';

const MAX_BODY_BYTES = 8 * 1024;

export interface PageServerParts {
  readonly mode: Mode;
  readonly ledger: Ledger;
  readonly answering: Answering;
  /** The policy in force, for the names of limits and rules. */
  readonly policy: () => Promise<LoadedPolicy | undefined>;
  /** The address of an explorer with `{signature}` in it, `none`, or absent for the usual one of the network. */
  readonly explorer?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after an approval, so that the plan goes on without the agent asking again. */
  readonly onApproved?: (row: ApprovalRow) => void;
  /** Told when a one-time token was used. */
  readonly onEntered?: () => void;
  /** Opens the page in the person's browser, for a visitor of the plain address. Returns the launch file's path. */
  readonly onVisit?: () => Promise<string>;
  /** Writes a new launch file, for `countersign open`. */
  readonly onReopen?: () => Promise<unknown>;
}

export interface PageServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly sessions: Sessions;
  close(): Promise<void>;
}

/** What the routes work with. */
interface Desk extends PageServerParts {
  readonly notices: Notices;
}

/** Starts the server. It does not keep the process alive. */
export async function startPageServer(parts: PageServerParts): Promise<PageServer> {
  const sessions = createSessions(parts.now);
  const context = (nonce: string): PageContext => ({
    base: sessions.base,
    nonce,
    mode: parts.mode,
    frozen: true,
  });
  const desk: Desk = { ...parts, notices: createNotices() };
  const server = await serveOnLoopback({
    route: (request, authority, nonce) => route(desk, sessions, authority, context(nonce), request),
    // The ledger and the journal are as they were.
    failed: (nonce) =>
      plain(context(nonce), 500, 'Something went wrong here.', 'Nothing was answered. Reload the page.'),
  });
  server.unref();
  return { origin: server.origin, sessions, close: server.close };
}

const WAY_IN = 'Run `countersign open`, or go to the address of this page without what follows its port.';

async function route(
  parts: Desk,
  sessions: Sessions,
  authority: string,
  stranger: PageContext,
  request: IncomingMessage,
): Promise<Reply> {
  const { onEntered } = parts;
  const landed = await landingPage(request, { ...parts, sessions, authority, context: stranger });
  if (landed !== undefined) return landed;
  const outside = await authenticate(request, {
    sessions,
    authority,
    context: stranger,
    wayIn: WAY_IN,
    onEntered,
  });
  if (outside !== undefined) return outside;

  const { ledger } = parts;
  const waiting = (await openQuestions(ledger)).map(({ id }) => id);
  const frozen = (await ledger.frozen()) !== undefined;
  const context: PageContext = { ...stranger, place: 'approvals', frozen, waiting };
  const [path = '', query] = (request.url ?? '').split('?', 2);
  const rest = path.slice(sessions.base.length);
  if (request.method === 'POST') return act(parts, context, rest, await formOf(request, MAX_BODY_BYTES));
  if (query === 'live') return live(parts, context, rest);
  const past = await pastPage(parts, context, rest, query);
  if (past !== undefined) return { status: 200, body: past };
  const notice = parts.notices.take(query);
  return show(parts, { ...context, ...(notice === undefined ? {} : { notice }) }, rest);
}

async function show(parts: Desk, context: PageContext, rest: string): Promise<Reply> {
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
async function live(parts: Desk, context: PageContext, rest: string): Promise<Reply> {
  const policy = await parts.policy();
  if (rest === '') {
    const state = await readHome(parts.ledger, policy, await parts.answering.unfreezeNeedsOwner());
    return json(context, state.now, homeParts(context, state));
  }
  const state = await readQuestion(parts.ledger, approvalId(rest) ?? '', policy);
  return state === undefined
    ? { status: 404, type: 'application/json', body: '{}' }
    : json(context, state.now, questionParts(context, state));
}

function json({ waiting = [] }: PageContext, now: number, live: LiveParts): Reply {
  const parts = Object.fromEntries(
    Object.entries(live).map(([name, part]) => [name, { html: part.text, stamp: stampOf(part) }]),
  );
  return { status: 200, type: 'application/json', body: JSON.stringify({ now, waiting, parts }) };
}

const approvalId = (rest: string): string | undefined => /^approval\/([\w-]{1,80})$/.exec(rest)?.[1];

/** What a form asks for. After an answer that is not taken, the page shows the question as it was and says why. */
async function act(parts: Desk, context: PageContext, rest: string, fields: URLSearchParams): Promise<Reply> {
  const { answering } = parts;
  const [, id = '', verb] = /^approval\/([\w-]{1,80})\/(approve|deny)$/.exec(rest) ?? [];
  const back = id === '' ? '' : `approval/${id}`;
  const typed = fields.get('passphrase');
  const passphrase = typed === null || typed === '' ? undefined : Secret.fromText(typed);
  const answer = { id, envelopeDigest: fields.get('envelope') ?? '', channel: 'page' } as const;
  try {
    if (verb === 'approve') {
      const grant = await grantIn(parts, id, fields);
      const row = await answering.approve({ ...answer, passphrase, grant });
      parts.onApproved?.(row);
    } else if (verb === 'deny')
      await answering.deny({ ...answer, reason: fields.get('reason') ?? undefined });
    else if (rest === 'freeze') await answering.freeze('A person froze signing on the page.');
    else if (rest === 'unfreeze') await answering.unfreeze(passphrase);
    else return plain(context, 404, 'Nothing here', 'Go back to the list.');
    return seeOther(`${context.base}${back}`);
  } catch (error) {
    const notice = noticeOf(error);
    if (notice === undefined) throw error;
    return seeOther(`${context.base}${back}?${parts.notices.keep(notice)}`);
  } finally {
    passphrase?.wipe();
  }
}

/** The like that the form approves too. */
async function grantIn({ ledger }: Desk, id: string, fields: URLSearchParams): Promise<Grant | undefined> {
  const again = (await readApprovalView(ledger, id))?.again;
  if (again === undefined) return undefined;
  const [times, total, until, worse] = ['times', 'total', 'until', 'worse'].map(
    (name) => fields.get(name) ?? undefined,
  );
  try {
    return grantOf({ times, total, until, worse }, again, await ledger.time());
  } catch (error) {
    if (!(error instanceof GrantError)) throw error;
    throw new AnswerError(
      'NOT_GRANTABLE',
      error.message,
      'Nothing was answered. Correct it, or leave the number empty.',
    );
  }
}

/** After every form another address, so that reloading shows the page and sends nothing again. */
const seeOther = (location: string): Reply => ({ status: 303, headers: { location } });

/** Errors of this project say what happened without secrets; anything else is not shown. */
function noticeOf(error: unknown): Notice | undefined {
  if (!(error instanceof Error)) return undefined;
  const known = error instanceof AnswerError || error.name === 'SecretError' || error.name === 'LedgerError';
  if (!known || !('hint' in error) || typeof error.hint !== 'string') return undefined;
  const hint = 'code' in error ? TYPED_AGAIN[String(error.code)] : undefined;
  return { kind: 'bad', text: error.message, hint: hint ?? error.hint };
}

/** What to do about a passphrase on this page, where no command has to be run again. */
const TYPED_AGAIN: Readonly<Record<string, string>> = {
  WRONG_PASSPHRASE:
    'Nothing was answered. Type the owner passphrase again, which is not the one of the wallet. After a second wrong one there is a pause before the next try, longer each time.',
  PASSPHRASE_BACKOFF: 'Nothing was answered, and this try was not looked at. Wait, then type it again here.',
};
