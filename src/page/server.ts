/**
 * The approval page's server, on loopback and started on first need: server-rendered pages, plain forms, one inline
 * script. It handles approvals and freezes only.
 */
import { AnswerError, type Answering } from '../answering/answering.ts';
import { GrantError, grantOf } from '../answering/grantTerms.ts';
import { frozenFor } from '../ledger/frozen.ts';
import type { ApprovalRow } from '../ledger/types.ts';
import type { Mode } from '../plan/types.ts';
import { openQuestions, readApprovalView } from '../presentation/question/readView.ts';
import { Secret } from '../secrets/secret.ts';
import type { Grant } from '../statement/grant.ts';
import { addHistory, type HistoryParts } from './history/routes.ts';
import { homePage } from './homePage.ts';
import { createPageApp, formOf, type PageApp, plain, requireSession } from './http/auth.ts';
import { addLandingPage, type LandingParts } from './http/landingPage.ts';
import { type Loopback, serveOnLoopback } from './http/loopback.ts';
import { Sessions } from './http/sessions.ts';
import type { Notice } from './layout.ts';
import { questionPage } from './questionPage.ts';
import { readHome, readQuestion } from './state.ts';

/** Maximum number of notices kept until their page is shown. */
const MAX_NOTICES = 16;

export interface PageServerParts extends HistoryParts {
  readonly mode: Mode;
  readonly answering: Answering;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after an approval, so that the plan continues without another request of the agent. */
  readonly onApproved?: (row: ApprovalRow) => void;
}

export type PageEvents = Omit<LandingParts, 'sessions'> & {
  /** Called when a one-time token is used. */
  readonly onStart: () => void;
};

export interface PageServer extends Loopback {
  readonly sessions: Sessions;
}

/** Starts the server. It does not keep the process alive. */
export async function startPageServer(parts: PageServerParts, events: PageEvents): Promise<PageServer> {
  const sessions = new Sessions(parts.now);
  const server = await serveOnLoopback((authority) => {
    const auth = { sessions, authority, mode: parts.mode, onStart: events.onStart };
    const app = createPageApp(auth);
    addLandingPage(app, { sessions, ...events });
    app.use(requireSession(auth));
    addPages(app, sessions.base, parts);
    return app;
  });
  server.unref();
  return { ...server, sessions };
}

/** Adds the pages of an open session. */
function addPages(app: PageApp, base: string, parts: PageServerParts): void {
  const { ledger, answering, onApproved } = parts;
  const notices = new Map<string, Notice>();

  app.use(async (c, next) => {
    const waiting = (await openQuestions(ledger)).map(({ id }) => id);
    const frozen = (await frozenFor(ledger)) !== undefined;
    const noticeId = c.req.query('said') ?? '';
    const notice = notices.get(noticeId);
    notices.delete(noticeId);
    c.set('page', { ...c.var.page, place: 'approvals', frozen, waiting, notice });
    await next();
  });

  app.get(base, async (c) => {
    const needsOwner = await answering.unfreezeNeedsOwner();
    const state = await readHome(ledger, await parts.policy(), needsOwner);
    return c.html(homePage(c.var.page, state));
  });
  app.get(`${base}approval/:id`, async (c) => {
    const state = await readQuestion(ledger, c.req.param('id'), await parts.policy());
    if (state === undefined) return plain(c, 404, 'Question not found', 'Go back to the list.');
    return c.html(questionPage(c.var.page, state));
  });
  addHistory(app, base, parts);

  /**
   * Handles a form. Responds with a redirect, so that reloading resubmits nothing; if the form was rejected, the next
   * page shows why, once.
   */
  const form = (path: string, act: (sent: Sent) => Promise<void>) =>
    app.post(`${base}${path}`, async (c) => {
      const fields = await formOf(c);
      const typed = fields.get('passphrase');
      const passphrase = typed ? Secret.fromText(typed) : undefined;
      const id = c.req.param('id') ?? '';
      const back = id === '' ? base : `${base}approval/${id}`;
      try {
        await act({
          fields,
          passphrase,
          answer: { id, approvalDigest: fields.get('digest') ?? '', channel: 'page' },
        });
        return c.redirect(back, 303);
      } catch (error) {
        const noticeId = crypto.randomUUID();
        if (notices.size >= MAX_NOTICES) notices.clear();
        notices.set(noticeId, noticeOf(error));
        return c.redirect(`${back}?said=${noticeId}`, 303);
      } finally {
        passphrase?.wipe();
      }
    });
  form('approval/:id/approve', async ({ answer, passphrase, fields }) => {
    const grant = await grantIn(parts, answer.id, fields);
    onApproved?.(await answering.approve({ ...answer, passphrase, grant }));
  });
  form('approval/:id/deny', async ({ answer, fields }) => {
    await answering.deny({ ...answer, reason: fields.get('reason') ?? undefined });
  });
  form('freeze', () => answering.freeze('A person froze signing on the page.'));
  form('unfreeze', ({ passphrase, fields }) => answering.unfreeze(passphrase, Number(fields.get('newest'))));
}

/** The contents of a form. */
interface Sent {
  readonly fields: URLSearchParams;
  readonly passphrase: Secret | undefined;
  readonly answer: { readonly id: string; readonly approvalDigest: string; readonly channel: 'page' };
}

/** Returns the grant requested by the form. */
async function grantIn(
  { ledger }: PageServerParts,
  id: string,
  fields: URLSearchParams,
): Promise<Grant | undefined> {
  const again = (await readApprovalView(ledger, id))?.again;
  if (again === undefined) return undefined;
  try {
    return grantOf(Object.fromEntries(fields), again, await ledger.time());
  } catch (error) {
    if (!(error instanceof GrantError)) throw error;
    throw new AnswerError(
      'NOT_GRANTABLE',
      error.message,
      'Nothing was answered. Correct the bounds, or leave the number empty.',
    );
  }
}

/** Returns the notice for an error of this project, whose text contains no secret. @throws any other error */
function noticeOf(error: unknown): Notice {
  const isKnown =
    error instanceof AnswerError ||
    (error instanceof Error && (error.name === 'SecretError' || error.name === 'LedgerError'));
  if (!isKnown || !('hint' in error) || typeof error.hint !== 'string') throw error;
  const hint = 'code' in error ? TYPED_AGAIN[String(error.code)] : undefined;
  return { text: error.message, hint: hint ?? error.hint };
}

/** Passphrase hints for this page, where no command has to be run again. */
const TYPED_AGAIN: Readonly<Record<string, string>> = {
  WRONG_PASSPHRASE:
    'Nothing was answered. Type the owner passphrase again, which is not the one of the wallet. After a second wrong passphrase you must wait before the next attempt, longer each time.',
  PASSPHRASE_BACKOFF:
    'Nothing was answered, and this attempt was not checked. Wait, then type it again here.',
};
