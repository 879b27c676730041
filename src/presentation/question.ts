/**
 * The question a plan waits for, or was ended by, as the agent is told: its id, where a person answers it and until
 * when, how it ended, and the one thing to do next.
 */
import { closedBy } from '../answering/closedQuestion.ts';
import type { ExecutionDeps } from '../execution/ports.ts';
import type { ApprovalRow } from '../ledger/types.ts';
import type { ShownStatus } from './statusWords.ts';

/** A question as results show it. Only one that is open says where it is answered. */
export interface ShownQuestion {
  id: string;
  state: ApprovalRow['state'];
  expiresAt: string;
  where?: string;
  /** The earlier approval that was given for similar plans too, where it approved this one. */
  grantId?: string;
  /** Why the person denied it, in their own words. */
  reason?: string;
}

/** The approval of a plan by an earlier one, without a question. */
export const approvedInAdvance = (rows: readonly ApprovalRow[]): ShownQuestion | undefined =>
  rows
    .filter(({ channel, state, run }) => channel === 'grant' && (state === 'approved' || run !== undefined))
    .map(({ grantId = '', ...row }) => ({
      ...shown(row, undefined),
      state: 'approved' as const,
      grantId,
    }))[0];

/** The newest of a plan's questions that holds it back; `undefined` where none does. */
export async function questionOf(
  { ledger, answerAt }: Pick<ExecutionDeps, 'ledger' | 'answerAt'>,
  { status }: { readonly status: ShownStatus },
  rows: readonly ApprovalRow[],
): Promise<ShownQuestion | undefined> {
  const denied = status === 'denied_by_owner';
  if (status !== 'approval_required' && !denied) return undefined;
  const row = denied
    ? rows.find(({ state }) => state === 'denied')
    : (rows.find(({ state }) => state === 'pending') ?? rows[0]);
  if (row === undefined || (row.state === 'denied' && !denied)) return undefined;
  if ((await closedBy(ledger, row)) !== undefined) return undefined;
  return shown(row, answerAt);
}

function shown(row: ApprovalRow, answerAt: ExecutionDeps['answerAt']): ShownQuestion {
  const { id, state, reason } = row;
  const expiresAt = new Date(row.expiresAt).toISOString();
  if (state !== 'pending') return { id, state, expiresAt, ...(reason === undefined ? {} : { reason }) };
  return {
    id,
    state,
    expiresAt,
    where: answerAt?.(id) ?? `countersign approve ${id}`,
  };
}

/** What the agent does next about it. */
export function nextOfQuestion({ id, state, expiresAt, reason }: ShownQuestion): string {
  switch (state) {
    case 'pending':
      return 'Tell the person where to answer, and until when. After an approval it goes on by itself; get_plan, or submit_plan again, shows how.';
    case 'approved':
      return `A person approved ${id}: it goes on by itself. get_plan shows how; submit_plan goes on at once, or asks again for what the approval does not cover.`;
    case 'expired':
      return `No person answered ${id} by ${expiresAt}, so nothing was signed. submit_plan asks again: call it when the person is there to answer.`;
    case 'denied':
      return `A person denied it${reason === undefined ? '' : ' and said why (approval.reason)'}. Do not submit it again or ask for the same by other means: ask them what they want instead. If they want exactly this after all: cancel_plan, then build it with again: true.`;
  }
}
