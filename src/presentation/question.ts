/**
 * The question that blocks or ended a plan, for the agent: its id, where and until when the owner answers it, its
 * outcome, and the next step.
 */
import { closedBy } from '../answering/closedQuestion.ts';
import type { ExecutionDeps } from '../execution/ports.ts';
import type { ApprovalRow } from '../ledger/types.ts';
import type { ShownStatus } from './statusWords.ts';

/** A question in results. Only an open one says where to answer. */
export interface ShownQuestion {
  id: string;
  state: ApprovalRow['state'];
  expiresAt: string;
  where?: string;
  /** The earlier approval whose grant approved this question. */
  grantId?: string;
  /** The reason given for a denial, in the person's own words. */
  reason?: string;
}

/** Returns the approval by a grant, without a question. */
export const approvedInAdvance = (rows: readonly ApprovalRow[]): ShownQuestion | undefined =>
  rows
    .filter(({ channel, state, run }) => channel === 'grant' && (state === 'approved' || run !== undefined))
    .map(({ grantId = '', ...row }) => ({
      ...shown(row, undefined),
      state: 'approved' as const,
      grantId,
    }))[0];

/** Returns the newest question that blocks a plan; `undefined` if there is none. */
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

/** Returns the agent's next step for a question. */
export function nextOfQuestion({ id, state, expiresAt, reason }: ShownQuestion): string {
  switch (state) {
    case 'pending':
      return 'Tell the person where to answer, and until when. After an approval it continues by itself; get_plan or submit_plan shows the progress.';
    case 'approved':
      return `A person approved ${id}: it continues by itself. get_plan shows the progress; submit_plan continues at once, or asks again for anything the approval does not cover.`;
    case 'expired':
      return `No person answered ${id} by ${expiresAt}, so nothing was signed. submit_plan asks again: call it when the person is there to answer.`;
    case 'denied':
      return `A person denied it${reason === undefined ? '' : ' and said why (approval.reason)'}. Do not resubmit it or request the same in another way: ask them what they want instead. If they do want exactly this: cancel_plan, then build it with again: true.`;
  }
}
