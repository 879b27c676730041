/**
 * Asking the owner about a run, and finding the answer again. Answers live only in the ledger; no text of an agent and
 * nothing in its memory is an approval (T57, T60).
 */
import { jsonDigest, sha256Text } from '../base/canonicalJson.ts';
import { approvalOfRow } from '../ledger/sqlite/approvals.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import { approvalOf, approvalText, meaningOf } from '../statement/aggregate.ts';
import { covers } from '../statement/covers.ts';
import { type RunParts, runOf } from '../statement/run.ts';
import type { Run } from '../statement/types.ts';
import type { AnswerCheck } from './answers.ts';
import type { ApprovalChannel } from './types.ts';

/** Whether a stage has the approval it needs, and why not. */
export type ApprovalState =
  | { readonly state: 'approved' | 'pending' | 'denied'; readonly row: ApprovalRow }
  /** No open question about this run; `lapsed`: a question expired. */
  | { readonly state: 'none'; readonly lapsed: boolean };

/** The run as the ledger holds it, whenever its approval was asked for: rows say themselves when they expired. */
const timeless = async (ledger: Ledger, planId: string, parts: RunParts): Promise<Run> =>
  runOf(parts, await ledger.signedStages(planId), 0);

/**
 * The answer that covers a run, or what is known instead. `holds` checks an approval: where money is real, the row alone
 * proves nothing.
 */
export async function findApproval(
  ledger: Ledger,
  planId: string,
  parts: RunParts,
  holds: AnswerCheck,
): Promise<ApprovalState> {
  const rows = await ledger.approvals({ planId });
  if (rows.length === 0) return { state: 'none', lapsed: false };
  const run = await timeless(ledger, planId, parts);
  const covering = rows.filter((row) => covers(approvalOfRow(row), run).covered);
  for (const row of covering)
    if (row.state === 'approved' && (await holds(row))) return { state: 'approved', row };
  const [newest] = covering;
  if (newest?.state === 'pending' || newest?.state === 'denied') return { state: newest.state, row: newest };
  return { state: 'none', lapsed: newest?.state === 'expired' };
}

/** Everything a question is made of. */
export interface Question {
  readonly plan: Plan;
  /** With every open stage as it is decided now. */
  readonly run: RunParts;
  readonly ttlMs: number;
  /** The channels the policy names, in the order they are tried. */
  readonly channels: readonly ApprovalChannel[];
  /** Checks an approval that is already recorded. */
  readonly holds: AnswerCheck;
}

/** Stores a question and brings it before the owner. A question with the same meaning that is open or approved stays. */
export async function askPerson(ledger: Ledger, question: Question): Promise<ApprovalRow> {
  const { plan, run, channels, holds } = question;
  const found = await findApproval(ledger, plan.planId, run, holds);
  const row = found.state === 'approved' ? found.row : await store(ledger, question);
  for (const channel of channels) {
    if (await channel.available()) await channel.ask(row.id);
  }
  return row;
}

async function store(ledger: Ledger, { plan, run, ttlMs }: Question): Promise<ApprovalRow> {
  const { planId } = plan;
  const now = await ledger.time();
  const digests = run.open.map(({ decisionDigest }) => decisionDigest);
  const approval = approvalOf(await timeless(ledger, planId, run), now + ttlMs, digests);
  // The same meaning in other bytes is the same question, which shows the build it was first asked about.
  const rows = await ledger.approvals({ planId });
  const same = rows.find(
    (row) => row.state === 'pending' && meaningOf(approvalOfRow(row)) === meaningOf(approval),
  );
  if (same !== undefined) return same;
  const envelope = approvalText(approval);
  const envelopeDigest = sha256Text(envelope);
  return ledger.askApproval({
    id: `approval-${jsonDigest([planId, envelopeDigest, now, rows.length]).slice(0, 16)}`,
    planId,
    intentKey: plan.intentKey,
    wallet: plan.wallet,
    network: plan.network,
    envelopeDigest,
    envelope,
    policyHash: run.scope.policyHash,
    stages: run.open.map(({ stageId }) => stageId),
    createdAt: now,
    expiresAt: now + ttlMs,
  });
}
