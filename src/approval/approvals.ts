/**
 * Asks the owner about a run and finds the answer. Answers come only from the ledger, never from text or memory of an
 * agent (T57, T60).
 */
import { jsonDigest, sha256Text } from '../base/canonicalJson.ts';
import { approvalOfRow } from '../ledger/sqlite/approvals.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import { approvalOf, approvalText, meaningOf } from '../statement/aggregate.ts';
import { covers } from '../statement/covers.ts';
import { approvalByGrant } from '../statement/grant.ts';
import { type RunParts, runOf } from '../statement/run.ts';
import type { Approval, Run } from '../statement/types.ts';
import type { AnswerCheck } from './answers.ts';
import type { ApprovalChannel } from './types.ts';

/** Approval state of a stage, or why it has none. */
export type ApprovalState =
  | { readonly state: 'approved' | 'pending' | 'denied'; readonly row: ApprovalRow }
  /** No open question about this run; `lapsed`: a question expired. */
  | { readonly state: 'none'; readonly lapsed: boolean };

/** Returns the run with all its signed stages, regardless of when its approval was requested. */
const timeless = async (ledger: Ledger, planId: string, parts: RunParts): Promise<Run> =>
  runOf(parts, await ledger.rows('signedStages', { planId }), 0);

/**
 * Returns the approval that covers a run, or the state of the question. `holds` checks an approval: with real money
 * the row alone is not proof.
 */
export async function findApproval(
  ledger: Ledger,
  planId: string,
  parts: RunParts,
  holds: AnswerCheck,
): Promise<ApprovalState> {
  const rows = await ledger.rows('approvals', { planId });
  if (rows.length === 0) return { state: 'none', lapsed: false };
  const run = await timeless(ledger, planId, parts);
  const covering = rows.filter((row) => covers(approvalOfRow(row), run).covered);
  for (const row of covering)
    if (row.state === 'approved' && (await holds(row))) return { state: 'approved', row };
  const [newest] = covering;
  if (newest?.state === 'pending' || newest?.state === 'denied') return { state: newest.state, row: newest };
  return { state: 'none', lapsed: newest?.state === 'expired' };
}

/** A question to the owner. */
export interface Question {
  readonly plan: Plan;
  /** Includes every open stage as decided now. */
  readonly run: RunParts;
  readonly ttlMs: number;
  /** Channels the policy names, in the order they are tried. */
  readonly channels: readonly ApprovalChannel[];
  /** Checks a recorded approval. */
  readonly holds: AnswerCheck;
}

/**
 * Stores a question and sends it to the owner's channels, unless a grant approves it. Reuses an open or approved
 * question with the same meaning.
 */
export async function askPerson(ledger: Ledger, question: Question): Promise<ApprovalRow> {
  const { plan, run, channels, holds } = question;
  const found = await findApproval(ledger, plan.planId, run, holds);
  if (found.state === 'approved') return found.row;
  // A question already asked is answered only by the owner, not by a grant.
  const granted = found.state === 'none' ? await byGrant(ledger, question) : undefined;
  const row = granted ?? (await store(ledger, question));
  for (const channel of row.state === 'approved' ? [] : channels) {
    if (await channel.available()) await channel.ask(row.id);
  }
  return row;
}

/** Returns the approval by a grant; `undefined` if no grant matches. */
async function byGrant(ledger: Ledger, question: Question): Promise<ApprovalRow | undefined> {
  const { plan, run: parts, ttlMs, holds } = question;
  const granted = await ledger.rows('approvals', { grantId: 'any' });
  if (granted.length === 0) return undefined;
  const [now, run] = [await ledger.time(), await timeless(ledger, plan.planId, parts)];
  const digests = parts.open.map(({ decisionDigest }) => decisionDigest);
  for (const approved of granted) {
    const { id: grantId, grant, wallet } = approved;
    if (grant === undefined || wallet !== plan.wallet) continue;
    const expiresAt = Math.min(now + ttlMs, grant.until);
    const approval = approvalByGrant(approvalOfRow(approved), grant, run, expiresAt, digests);
    if (approval === undefined || !covers(approval, run).covered) continue;
    const row = { ...rowFor(question, approval, now, `${grantId} ${now}`), grantId };
    if (!(await holds({ ...row, state: 'approved', channel: 'grant' }))) continue;
    const stored = await ledger.askApproval(row);
    if (stored.state === 'approved') return stored;
  }
  return undefined;
}

async function store(ledger: Ledger, question: Question): Promise<ApprovalRow> {
  const { plan, run, ttlMs } = question;
  const { planId } = plan;
  const now = await ledger.time();
  const digests = run.open.map(({ decisionDigest }) => decisionDigest);
  const approval = approvalOf(await timeless(ledger, planId, run), now + ttlMs, digests);
  // The same meaning in other bytes is the same question; it keeps showing the build it was first asked about.
  const rows = await ledger.rows('approvals', { planId });
  const same = rows.find(
    (row) => row.state === 'pending' && meaningOf(approvalOfRow(row)) === meaningOf(approval),
  );
  return same ?? ledger.askApproval(rowFor(question, approval, now, rows.length));
}

/** Returns the row of a question; `salt` distinguishes questions created at the same time. */
function rowFor({ plan, run }: Question, approval: Approval, now: number, salt: string | number) {
  const { planId, intentKey, wallet, network } = plan;
  const scopeText = approvalText(approval);
  const approvalDigest = sha256Text(scopeText);
  return {
    ...{ planId, intentKey, wallet, network, approvalDigest, scopeText },
    id: `approval-${jsonDigest([planId, approvalDigest, now, salt]).slice(0, 16)}`,
    policyHash: run.scope.policyHash,
    stages: run.open.map(({ stageId }) => stageId),
    createdAt: now,
    expiresAt: approval.scope.expiresAt,
  };
}
