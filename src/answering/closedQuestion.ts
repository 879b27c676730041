/**
 * How a question ends without an answer that counts, in words for a person: it was answered before, it expired, or
 * nothing waits for the answer any more. And a person's reason for a no, as it is kept.
 */
import { timeWords } from '../base/format.ts';
import type { ApprovalRow, Ledger, PlanNote } from '../ledger/types.ts';
import { createRedactor } from '../secrets/redaction/redact.ts';
import { cleanText } from '../service/untrusted.ts';

/** What happened to the plan behind a question, so that an approval would sign nothing and none is taken. */
export type Closed = 'cancelled' | 'superseded' | 'ended';

/** Why nothing waits for an answer to this question; `undefined` where something does. */
export async function closedBy(
  ledger: Pick<Ledger, 'planRows' | 'rows'>,
  { planId }: Pick<ApprovalRow, 'planId'>,
): Promise<Closed | undefined> {
  const held = await ledger.planRows(planId);
  if (held === undefined) return undefined;
  if (held.cancelled) return 'cancelled';
  const planNote = held.planNotes.find(({ stageId }) => stageId === undefined);
  if (planNote !== undefined && ENDED.includes(planNote.status)) return 'ended';
  const { intentKey, mode } = held.plan;
  const [newest] = await ledger.rows('plans', { intentKey, mode, limit: 1 });
  return newest !== undefined && newest.planId !== planId ? 'superseded' : undefined;
}

/** Marks of a plan of which nothing more is signed. */
const ENDED: readonly PlanNote['status'][] = ['complete', 'failed', 'landed_unverified'];

export const CLOSED_WORDS: Readonly<Record<Closed, string>> = {
  cancelled: 'The plan was cancelled, so there is nothing left to answer. Nothing more of it is signed.',
  ended: 'The plan has ended, so there is nothing left to answer: see `countersign plans`.',
  superseded:
    'A newer plan of the same request took the place of this one, so there is nothing left to answer. Nothing more of this one is signed.',
};

/** A question that was not answered in time, or whose approval nothing was signed under in time. */
export const expiredWords = ({
  answeredAt,
  expiresAt,
}: Pick<ApprovalRow, 'answeredAt' | 'expiresAt'>): string =>
  answeredAt === undefined
    ? `The question expired at ${timeWords(expiresAt)} without an answer. Nothing was signed for it.`
    : `This was approved at ${timeWords(answeredAt)}, and the approval expired at ${timeWords(expiresAt)} before anything was signed under it.`;

const WAYS: Readonly<Record<NonNullable<ApprovalRow['channel']>, string>> = {
  page: 'on the page',
  command: 'on the command line',
  elicitation: "in the client's dialog",
  grant: 'by your earlier approval of similar plans',
};

/** How a question was answered: `denied on the page at 2026-11-21 12:00:05Z`. */
export function answeredWords({
  state,
  channel,
  answeredAt,
}: Pick<ApprovalRow, 'state' | 'channel' | 'answeredAt'>): string {
  const where = channel === undefined ? '' : ` ${WAYS[channel]}`;
  return `${state}${where}${answeredAt === undefined ? '' : ` at ${timeWords(answeredAt)}`}`;
}

/** Most characters of a reason that are kept. */
export const MAX_REASON_LENGTH = 280;

/** A person's reason as it is kept: one line without anything invisible or that looks like a key, cut at the cap. */
export function cleanReason(text: string | undefined): string | undefined {
  const clean = cleanText(createRedactor().redact(text ?? ''), MAX_REASON_LENGTH).text.trim();
  return clean === '' ? undefined : clean;
}
