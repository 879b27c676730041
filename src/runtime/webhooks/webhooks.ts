/**
 * Webhooks that call a person to a question, where the person configured them and nowhere else. What is sent says what
 * kind of question waits, for which plan and until when: no amount, no address, no text of an agent, and no secret of the
 * page. A webhook's own URL is a secret (who has it can write there), so it stands in no message, log or error.
 */
import { timeWords } from '../../base/words.ts';
import { type Clock, withDeadline } from '../../clock.ts';
import type { Ledger } from '../../ledger/types.ts';
import { operationWords } from '../../plan/words.ts';
import type { Redactor } from '../../secrets/redaction/redact.ts';
import { isLoopback } from '../../service/rootUrl.ts';
import { SetupError } from '../backends/backend.ts';

export const SHAPES = ['json', 'ntfy', 'slack', 'telegram'] as const;
export type WebhookShape = (typeof SHAPES)[number];

export interface Webhook {
  readonly shape: WebhookShape;
  readonly url: string;
}

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
}

/** Milliseconds a webhook has for its answer. */
const MOST_MS = 10_000;
/** However many questions an agent, or a principal of several, asks: each webhook is told of so many of it within an hour (T59). */
const [MOST_CALLS, HOUR_MS] = [20, 3_600_000];
const MOST_WEBHOOKS = 8;

const HINT =
  'Use --webhook SHAPE=URL, or COUNTERSIGN_WEBHOOK; several stand with a space between them. Shapes: json, ntfy, slack, telegram.';

/** Reads `SHAPE=URL SHAPE=URL`. @throws SetupError that says which one is wrong, never its URL */
export function readWebhooks(text: string | undefined): readonly Webhook[] {
  const given = (text ?? '').split(/\s+/).filter((each) => each !== '');
  if (given.length > MOST_WEBHOOKS)
    throw new SetupError(`There are more than ${MOST_WEBHOOKS} webhooks.`, HINT);
  return given.map((each, index) => {
    const at = each.indexOf('=');
    const shape = SHAPES.find((known) => known === each.slice(0, Math.max(0, at)));
    const wrong = (why: string) => new SetupError(`Webhook ${index + 1} cannot be used: ${why}.`, HINT);
    if (shape === undefined) throw wrong('it does not begin with a shape and an equals sign');
    const text = each.slice(at + 1);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) throw wrong('what follows is no complete URL');
    if (url.username !== '' || url.password !== '') throw wrong('its URL has a user name or a password');
    const encrypted = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
    if (!encrypted) throw wrong('its URL must begin with https:// (http:// only for this machine)');
    if (shape === 'telegram' && !url.searchParams.has('chat_id'))
      throw wrong('its URL needs ?chat_id=NUMBER');
    return { shape, url: text };
  });
}

/** Makes what is configured unprintable: of each URL its path and query, and what in it looks like a secret; not its host. */
export function registerWebhooks(
  redactor: Pick<Redactor, 'register' | 'registerUrl'>,
  text: string | undefined,
): void {
  for (const each of (text ?? '').split(/\s+/)) {
    const url = each.slice(each.indexOf('=') + 1);
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
export const callWords = ({ kind, planId, mode, expiresAt, page }: Call): string =>
  `Countersign (${mode}) asks you: ${kind}. Answer by ${timeWords(expiresAt)}. On the machine it runs on, ${
    page === undefined ? '' : `go to ${page} or `
  }run \`countersign open\`. Plan ${planId}.`;

/** What is sent. Pure. */
export function requestOf({ shape }: Webhook, call: Call): { headers: Record<string, string>; body: string } {
  const json = (value: unknown) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  switch (shape) {
    case 'json': {
      const { expiresAt, ...rest } = call;
      return json({ event: 'approval_required', ...rest, expiresAt: new Date(expiresAt).toISOString() });
    }
    case 'ntfy':
      return {
        headers: { 'content-type': 'text/plain; charset=utf-8', title: 'Countersign asks you' },
        body: callWords(call),
      };
    case 'slack':
    case 'telegram':
      return json({ text: callWords(call) });
  }
}

export type Fetch = (
  url: string,
  init: RequestInit,
) => Promise<{ readonly ok: boolean; readonly status: number }>;

/** Tells one webhook once. Returns why it was not told, without its URL; `undefined` when it was. */
export async function tell(
  webhook: Webhook,
  call: Call,
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
): Promise<string | undefined> {
  try {
    const answer = await withDeadline({ clock, ms: MOST_MS }, (signal) =>
      // Another address than the configured one is never written to.
      fetch(webhook.url, { method: 'POST', redirect: 'error', signal, ...requestOf(webhook, call) }),
    );
    return answer.ok ? undefined : `it answered with HTTP ${answer.status}`;
  } catch (error) {
    // The error's own text may hold the URL.
    const late = error instanceof Error && error.name === 'DeadlineError';
    return late ? `it did not answer within ${MOST_MS / 1000} seconds` : 'it could not be reached';
  }
}

export interface Caller {
  /** Tells every webhook of a question, once for each question. Returns at once, and never fails. */
  call(approvalId: string, principal?: string): void;
  /** Resolves when every webhook was told or given up. */
  idle(): Promise<void>;
}

export interface CallerParts {
  readonly webhooks: readonly Webhook[];
  readonly ledger: Pick<Ledger, 'approvals' | 'plan'>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly page: () => string | undefined;
  /** One line for standard error. */
  readonly log?: ((line: string) => void) | undefined;
}

export function createCaller({ webhooks, ledger, fetch, clock, page, log }: CallerParts): Caller {
  const called = new Set<string>();
  const working = new Set<Promise<void>>();
  const timesOf = new Map<string | undefined, number[]>();

  async function callNow(approvalId: string): Promise<void> {
    const [row] = await ledger.approvals({ id: approvalId });
    const plan = row && (await ledger.plan(row.planId));
    if (row?.state !== 'pending' || plan === undefined) return;
    const { planId, expiresAt } = row;
    const call = {
      approvalId,
      planId,
      mode: plan.mode,
      kind: operationWords(plan.operation),
      expiresAt,
      page: page(),
    };
    await Promise.all(
      webhooks.map(async (webhook, index) => {
        const why = await tell(webhook, call, { fetch, clock });
        if (why !== undefined)
          log?.(`Webhook ${index + 1} (${webhook.shape}) was not told of ${approvalId}: ${why}.`);
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
      if (times.length >= MOST_CALLS) {
        log?.(`No webhook is told of ${approvalId}: there were ${MOST_CALLS} questions within an hour.`);
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
