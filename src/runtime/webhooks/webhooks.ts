/**
 * Webhooks notify a person of questions, only at URLs the person configured. The message contains the kind of
 * question, plan and deadline: no amount, address, text of an agent or secret of the page. If configured, it includes
 * the plan's statement. A webhook's URL is a secret (its holder can post there), so it appears in no message, log or
 * error.
 */
import { timeWords } from '../../base/format.ts';
import { type Clock, withDeadline } from '../../clock.ts';
import type { Ledger } from '../../ledger/types.ts';
import { operationWords } from '../../plan/operationNames.ts';
import type { Redactor } from '../../secrets/redaction/redact.ts';
import { isLoopback } from '../../service/rootUrl.ts';
import { SetupError } from '../backends/backend.ts';

/** The notification about a question. */
export interface Call {
  readonly approvalId: string;
  readonly planId: string;
  readonly mode: 'live' | 'sandbox';
  /** The kind of plan in our own words. */
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The plain address of the approval page on this machine. */
  readonly page?: string | undefined;
  /** The plan's statement as text, if configured. */
  readonly says?: string | undefined;
}

/** Timeout of a webhook in milliseconds. */
const MAX_MS = 10_000;
/** Maximum notifications per webhook and hour for the questions of one agent or principal (T59). */
const [MAX_CALLS, HOUR_MS] = [20, 3_600_000];
const MAX_WEBHOOKS = 8;

const HINT =
  'Set `countersign settings webhook URL` or COUNTERSIGN_WEBHOOK; separate several URLs by spaces.';

/** Parses URLs separated by spaces. @throws SetupError with the position of an invalid one, never its URL */
export function readWebhooks(text: string | undefined): readonly string[] {
  const given = (text ?? '').split(/\s+/).filter((each) => each !== '');
  if (given.length > MAX_WEBHOOKS)
    throw new SetupError(`There are more than ${MAX_WEBHOOKS} webhooks.`, HINT);
  return given.map((text, index) => {
    const wrong = (why: string) => new SetupError(`Webhook ${index + 1} cannot be used: ${why}.`, HINT);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) throw wrong('it is not a complete URL');
    if (url.username !== '' || url.password !== '') throw wrong('its URL contains a user name or password');
    const encrypted = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
    if (!encrypted) throw wrong('its URL must begin with https:// (http:// only for this machine)');
    return text;
  });
}

/**
 * Registers secret parts of the configured URLs for redaction: path, query and secret-looking parts, but not the
 * host.
 */
export function registerWebhooks(
  redactor: Pick<Redactor, 'register' | 'registerUrl'>,
  text: string | undefined,
): void {
  for (const url of (text ?? '').split(/\s+/)) {
    if (!URL.canParse(url)) {
      redactor.register(url);
      continue;
    }
    redactor.registerUrl(url);
    // The whole URL is not registered: a long part of a registered value is redacted too, and the host is no secret
    // and may be shared with this server's own address.
    const { pathname, search } = new URL(url);
    redactor.register(`${pathname}${search}`);
    for (const part of pathname.split('/')) if (part.length >= 16) redactor.register(part);
  }
}

/** Formats the message as text. */
export const callWords = ({ kind, planId, mode, expiresAt, page, says }: Call): string =>
  `Countersign (${mode}) asks you: ${kind}. Answer by ${timeWords(expiresAt)}. On the machine it runs on, ${
    page === undefined ? '' : `go to ${page} or `
  }run \`countersign open\`. Plan ${planId}.${says === undefined ? '' : `\n${says}`}`;

/** Returns the JSON body. Slack and Telegram read `text`, Discord reads `content`. */
export function bodyOf(call: Call): string {
  const { expiresAt, ...rest } = call;
  const words = callWords(call);
  const until = new Date(expiresAt).toISOString();
  return JSON.stringify({
    event: 'approval_required',
    text: words,
    content: words,
    ...rest,
    expiresAt: until,
  });
}

export type Fetch = (
  url: string,
  init: RequestInit,
) => Promise<{ readonly ok: boolean; readonly status: number }>;

/** Calls one webhook once. Returns why it failed, without its URL; `undefined` on success. */
export async function callWebhook(
  url: string,
  call: Call,
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
): Promise<string | undefined> {
  try {
    const answer = await withDeadline({ clock, ms: MAX_MS }, (signal) =>
      // Redirects are refused: only the configured address is called.
      fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal,
        headers: { 'content-type': 'application/json' },
        body: bodyOf(call),
      }),
    );
    return answer.ok ? undefined : `it responded with HTTP ${answer.status}`;
  } catch (error) {
    // The error's own text may contain the URL.
    const late = error instanceof Error && error.name === 'DeadlineError';
    return late ? `it timed out after ${MAX_MS / 1000} seconds` : 'it could not be reached';
  }
}

/** Discord accepts at most 2,000 characters in total. */
const MAX_STATEMENT_CHARS = 1_500;

/** Replaces what chats read as links, mentions, hidden or struck text by the wide form of the same sign. */
const withoutMarkup = (text: string): string =>
  text.replace(/[<>[\]|`*~@]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

/** Returns whole lines up to the maximum length, and a final line if some are missing. */
function cutLines(lines: readonly string[]): string {
  const kept: string[] = [];
  for (const line of lines.filter((each) => each.trim() !== '').map(withoutMarkup)) {
    if (kept.join('\n').length + line.length > MAX_STATEMENT_CHARS)
      return [...kept, 'See the page for more.'].join('\n');
    kept.push(line);
  }
  return kept.join('\n');
}

export interface Caller {
  /** Notifies every webhook of a question, once per question. Returns at once and never fails. */
  call(approvalId: string, principal?: string): void;
  /** Resolves when every call has succeeded or failed. */
  idle(): Promise<void>;
}

export interface CallerParts {
  readonly webhooks: readonly string[];
  readonly ledger: Pick<Ledger, 'rows'>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly page: () => string | undefined;
  /** Returns the lines of a question's statement; absent if webhooks do not receive them. */
  readonly says?: ((approvalId: string) => Promise<readonly string[]>) | undefined;
  /** Writes one line to standard error. */
  readonly log?: ((line: string) => void) | undefined;
}

export function createCaller({ webhooks, ledger, fetch, clock, page, says, log }: CallerParts): Caller {
  const called = new Set<string>();
  const working = new Set<Promise<void>>();
  const timesOf = new Map<string | undefined, number[]>();

  async function callNow(approvalId: string): Promise<void> {
    const [row] = await ledger.rows('approvals', { id: approvalId });
    const plan = row && (await ledger.rows('plans', { planId: row.planId }))[0];
    if (row?.state !== 'pending' || plan === undefined) return;
    const { planId, expiresAt } = row;
    const lines = await says?.(approvalId);
    const call = {
      approvalId,
      planId,
      mode: plan.mode,
      kind: operationWords(plan.operation),
      expiresAt,
      page: page(),
      ...(lines === undefined ? {} : { says: cutLines(lines) }),
    };
    await Promise.all(
      webhooks.map(async (url, index) => {
        const why = await callWebhook(url, call, { fetch, clock });
        if (why !== undefined) log?.(`Webhook ${index + 1} was not notified of ${approvalId}: ${why}.`);
      }),
    );
  }

  return {
    call: (approvalId, principal) => {
      if (webhooks.length === 0 || called.has(approvalId)) return;
      called.add(approvalId);
      const now = clock.now();
      const times = (timesOf.get(principal) ?? []).filter((time) => time > now - HOUR_MS);
      timesOf.set(principal, times);
      if (times.length >= MAX_CALLS) {
        log?.(`No webhook is notified of ${approvalId}: there were ${MAX_CALLS} questions within an hour.`);
        return;
      }
      times.push(now);
      const work = callNow(approvalId)
        .catch(() => log?.(`No webhook could be notified of ${approvalId}.`))
        .then(() => void working.delete(work));
      working.add(work);
    },
    idle: async () => {
      await Promise.all(working);
    },
  };
}
