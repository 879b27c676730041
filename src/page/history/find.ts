/** Search in the history: text, outcome, time span and page. Pure. */
import { z } from 'zod';
import { operationWords } from '../../plan/operationNames.ts';
import type { Activity, Outcome, Period } from '../../presentation/history/activity.ts';
import { OUTCOMES } from '../../presentation/history/totals.ts';

const DAY_MS = 86_400_000;
const MAX_TEXT = 200;
/** Plans on one page. */
export const PER_PAGE = 50;

/** Time spans by form value; the first is the default. */
export const SPANS = {
  '30': 'last 30 days',
  '1': 'last 24 hours',
  '7': 'last 7 days',
  '365': 'last 12 months',
  all: 'all of it',
} as const;

const OUTCOME_NAMES = Object.keys(OUTCOMES) as Outcome[];
const SPAN_NAMES = Object.keys(SPANS) as (keyof typeof SPANS)[];

/** The query of the page's address; invalid values fall back to defaults. */
const wantedSchema = z.object({
  q: z
    .string()
    .transform((text) => text.slice(0, MAX_TEXT).trim())
    .catch(''),
  /** Absent: any outcome. */
  outcome: z.enum(OUTCOME_NAMES).optional().catch(undefined),
  span: z.enum(SPAN_NAMES).catch('30'),
  /** From 1. */
  page: z.coerce.number().int().min(1).max(999_999).catch(1),
});
export type Wanted = Readonly<z.infer<typeof wantedSchema>>;

export const wantedOf = (query: Readonly<Record<string, string>>): Wanted => wantedSchema.parse(query);

/** Returns the query of the same search on another page. */
export function queryOf({ q, outcome, span }: Wanted, page: number): string {
  const query = new URLSearchParams({ span, page: `${page}` });
  if (q !== '') query.set('q', q);
  if (outcome !== undefined) query.set('outcome', outcome);
  return `?${query}`;
}

/** Returns the period of a search. */
export const periodOf = ({ span }: Wanted, now: number): Period => ({
  from: span === 'all' ? 0 : now - Number(span) * DAY_MS,
  until: Number.MAX_SAFE_INTEGER,
});

/** Returns matching plans: every search word occurs in a plan's text or in one of its signatures. */
export function matching(all: readonly Activity[], { q, outcome }: Wanted): Activity[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((activity) => {
    if (outcome !== undefined && activity.outcome !== outcome) return false;
    if (words.length === 0) return true;
    const text = searchText(activity);
    return words.every((word) => text.includes(word));
  });
}

function searchText(activity: Activity): string {
  const { planId, operation, outcome, asked = '', about = [], why = '', wallet } = activity;
  const moved = activity.moves.flatMap(({ signature, changes }) => [
    signature,
    ...changes.map(({ asset }) => asset),
  ]);
  return [planId, operationWords(operation), OUTCOMES[outcome], asked, why, wallet]
    .concat(about, activity.reasonCodes, activity.unrecorded, moved)
    .join(' ')
    .toLowerCase();
}
