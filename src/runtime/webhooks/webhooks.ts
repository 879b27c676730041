/**
 * Webhooks that call a person to a question, where the person configured them and nowhere else. What is sent says what
 * kind of question waits, for which plan and until when: no amount, no address, no text of an agent, and no secret of the
 * page. Where the person chose so, it holds the statement of the plan too. A webhook's own URL is a secret (who has it can write there), so it stands in no message, log or error.
 */
import { timeWords } from '../../base/format.ts';
import { type Clock, withDeadline } from '../../clock.ts';
import type { Ledger } from '../../ledger/types.ts';
import { operationWords } from '../../plan/operationNames.ts';
import type { Redactor } from '../../secrets/redaction/redact.ts';
import { isLoopback } from '../../service/rootUrl.ts';
import { SetupError } from '../backends/backend.ts';

/** What a webhook is told of a question. */
export interface Call {
  readonly approvalId: string;
  readonly planId: string;
  readonly mode: 'live' | 'sandbox';
  /** What the plan does, in our own words. */
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The plain address of the approval page on this machine. */
  readonly page?: string | undefined;
  /** The statement of the plan in text, where the person chose that webhooks are told it. */
  readonly says?: string | undefined;
}

/** Milliseconds a webhook has for its answer. */
const MAX_MS = 10_000;
/** However many questions an agent, or a principal of several, asks: each webhook is told of so many of it within an hour (T59). */
const [MAX_CALLS, HOUR_MS] = [20, 3_600_000];
const MAX_WEBHOOKS = 8;

const HINT =
  'Set `countersign settings webhook URL` or COUNTERSIGN_WEBHOOK; several stand with a space between them.';

/** Reads URLs separated by spaces. @throws SetupError with the position of the invalid one, never its URL */
export function readWebhooks(text: string | undefined): readonly string[] {
  const given = (text ?? '').split(/\s+/).filter((each) => each !== '');
  if (given.length > MAX_WEBHOOKS)
    throw new SetupError(`There are more than ${MAX_WEBHOOKS} webhooks.`, HINT);
  return given.map((text, index) => {
    const wrong = (why: string) => new SetupError(`Webhook ${index + 1} cannot be used: ${why}.`, HINT);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) throw wrong('it is no complete URL');
    if (url.username !== '' || url.password !== '') throw wrong('its URL has a user name or a password');
    const encrypted = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
    if (!encrypted) throw wrong('its URL must begin with https:// (http:// only for this machine)');
    return text;
  });
}

/** Makes what is configured unprintable: of each URL its path and query, and what in it looks like a secret; not its host. */
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
    // Not the whole URL: a long part of a registered value is hidden too, and its host is no secret; this server's own
    // address may begin alike.
    const { pathname, search } = new URL(url);
    redactor.register(`${pathname}${search}`);
    for (const part of pathname.split('/')) if (part.length >= 16) redactor.register(part);
  }
}

/** The message as a person reads it. */
export const callWords = ({ kind, planId, mode, expiresAt, page, says }: Call): string =>
  `Countersign (${mode}) asks you: ${kind}. Answer by ${timeWords(expiresAt)}. On the machine it runs on, ${
    page === undefined ? '' : `go to ${page} or `
  }run \`countersign open\`. Plan ${planId}.${says === undefined ? '' : `\n${says}`}`;

/** The JSON body. Slack and Telegram read `text`, Discord reads `content`. */
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

/** Tells one webhook once. Returns why it was not told, without its URL; `undefined` when it was. */
export async function tell(
  url: string,
  call: Call,
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
): Promise<string | undefined> {
  try {
    const answer = await withDeadline({ clock, ms: MAX_MS }, (signal) =>
      // Another address than the configured one is never written to.
      fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal,
        headers: { 'content-type': 'application/json' },
        body: bodyOf(call),
      }),
    );
    return answer.ok ? undefined : `it answered with HTTP ${answer.status}`;
  } catch (error) {
    // The error's own text may hold the URL.
    const late = error instanceof Error && error.name === 'DeadlineError';
    return late ? `it did not answer within ${MAX_MS / 1000} seconds` : 'it could not be reached';
  }
}

/** Discord takes 2,000 characters in all. */
const MAX_SAID_CHARS = 1_500;

/** Whole lines up to what a message may hold, and a line that says so where there are more. */
function cutLines(lines: readonly string[]): string {
  const kept: string[] = [];
  for (const line of lines.filter((each) => each.trim() !== '')) {
    if (kept.join('\n').length + line.length > MAX_SAID_CHARS)
      return [...kept, 'More is on the page.'].join('\n');
    kept.push(line);
  }
  return kept.join('\n');
}

export interface Caller {
  /** Tells every webhook of a question, once for each question. Returns at once, and never fails. */
  call(approvalId: string, principal?: string): void;
  /** Resolves when every webhook was told or given up. */
  idle(): Promise<void>;
}

export interface CallerParts {
  readonly webhooks: readonly string[];
  readonly ledger: Pick<Ledger, 'approvals' | 'plans'>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly page: () => string | undefined;
  /** The lines of a question's statement; absent where webhooks are not told them. */
  readonly says?: ((approvalId: string) => Promise<readonly string[]>) | undefined;
  /** One line for standard error. */
  readonly log?: ((line: string) => void) | undefined;
}

export function createCaller({ webhooks, ledger, fetch, clock, page, says, log }: CallerParts): Caller {
  const called = new Set<string>();
  const working = new Set<Promise<void>>();
  const timesOf = new Map<string | undefined, number[]>();

  async function callNow(approvalId: string): Promise<void> {
    const [row] = await ledger.approvals({ id: approvalId });
    const plan = row && (await ledger.plans({ planId: row.planId }))[0];
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
        const why = await tell(url, call, { fetch, clock });
        if (why !== undefined) log?.(`Webhook ${index + 1} was not told of ${approvalId}: ${why}.`);
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
        log?.(`No webhook is told of ${approvalId}: there were ${MAX_CALLS} questions within an hour.`);
        return;
      }
      times.push(now);
      const work = callNow(approvalId)
        .catch(() => log?.(`No webhook could be told of ${approvalId}.`))
        .then(() => void working.delete(work));
      working.add(work);
    },
    idle: async () => {
      await Promise.all(working);
    },
  };
}
