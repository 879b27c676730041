/** What a person looks for in the history: words, how a plan ended, how far back, which page. Pure. */

import { operationWords } from '../../plan/words.ts';
import type { Activity, Outcome, Period } from '../../presentation/history/activity.ts';
import { OUTCOMES } from '../../presentation/history/totals.ts';

const DAY_MS = 86_400_000;
const MAX_TEXT = 200;
/** Plans on one page. */
export const PER_PAGE = 50;

/** How far back, by the name the form sends; the first is the usual one. */
export const SPANS = {
  '30': 'last 30 days',
  '1': 'last 24 hours',
  '7': 'last 7 days',
  '365': 'last 12 months',
  all: 'all of it',
} as const;
type Span = keyof typeof SPANS;

export interface Wanted {
  readonly text: string;
  /** Absent: however it ended. */
  readonly outcome?: Outcome;
  readonly span: Span;
  /** From 1. */
  readonly page: number;
}

const isOutcome = (name: string): name is Outcome => Object.hasOwn(OUTCOMES, name);
const isSpan = (name: string): name is Span => Object.hasOwn(SPANS, name);

/** Reads the address of the page; what cannot be understood is left out. */
export function wantedOf(query: URLSearchParams): Wanted {
  const outcome = query.get('outcome') ?? '';
  const span = query.get('span') ?? '';
  const page = query.get('page') ?? '';
  return {
    text: (query.get('q') ?? '').slice(0, MAX_TEXT).trim(),
    ...(isOutcome(outcome) ? { outcome } : {}),
    span: isSpan(span) ? span : '30',
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
}

/** The address of the same search on another page. */
export function queryOf({ text, outcome, span }: Wanted, page: number): string {
  const query = new URLSearchParams({ span, page: `${page}` });
  if (text !== '') query.set('q', text);
  if (outcome !== undefined) query.set('outcome', outcome);
  return `?${query}`;
}

/** The period of a search. */
export const periodOf = ({ span }: Wanted, now: number): Period => ({
  from: span === 'all' ? 0 : now - Number(span) * DAY_MS,
  until: Number.MAX_SAFE_INTEGER,
});

/** Plans that fit: every word is somewhere in what the page says of a plan, or in one of its signatures. */
export function matching(all: readonly Activity[], { text, outcome }: Wanted): Activity[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((activity) => {
    if (outcome !== undefined && activity.outcome !== outcome) return false;
    if (words.length === 0) return true;
    const said = saidOf(activity);
    return words.every((word) => said.includes(word));
  });
}

function saidOf({
  planId,
  operation,
  outcome,
  asked,
  about = [],
  why,
  wallet,
  moves,
  unrecorded,
  reasonCodes,
}: Activity): string {
  return [
    planId,
    operationWords(operation),
    OUTCOMES[outcome],
    asked ?? '',
    ...about,
    why ?? '',
    wallet,
    ...reasonCodes,
    ...unrecorded,
    ...moves.flatMap(({ signature, changes }) => [signature, ...changes.map(({ asset }) => asset)]),
  ]
    .join(' ')
    .toLowerCase();
}
