/**
 * Asking a person, and finding the answer again. Answers live only in the ledger; no text of an agent and
 * nothing in its memory is an approval (T57, T60).
 */

import { jsonDigest } from '../base/canonicalJson.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import type { AnswerCheck } from './answers.ts';
import { type DecidedStage, makeEnvelope, outside, sealEnvelope } from './envelope.ts';
import type { ApprovalChannel, ApprovalEnvelope } from './types.ts';

/** Whether a stage has the approval it needs, and why not. */
export type ApprovalState =
  /** A person approved exactly this, and the stage has not used the approval yet. */
  | { readonly state: 'approved'; readonly row: ApprovalRow; readonly stageDigest: string }
  | { readonly state: 'pending' | 'denied'; readonly row: ApprovalRow }
  /** No open question about this; `lapsed`: a question expired, `changed`: a question was about something else. */
  | { readonly state: 'none'; readonly lapsed: boolean; readonly changed: boolean };

/** The envelope a person was shown. */
export const envelopeOf = (row: ApprovalRow): ApprovalEnvelope => JSON.parse(row.envelope);

/**
 * The answer that covers a stage about to be signed, or what is known instead. `holds` checks an approval: in live mode
 * the row alone proves nothing.
 */
export async function findApproval(
  ledger: Ledger,
  plan: Plan,
  policyHash: string,
  stage: DecidedStage,
  holds: AnswerCheck,
): Promise<ApprovalState> {
  const rows = await ledger.approvals({ planId: plan.planId });
  const covering: ApprovalRow[] = [];
  let changed = false;
  for (const row of rows) {
    const why = outside(envelopeOf(row), plan, policyHash, stage);
    if (why === undefined) covering.push(row);
    else if (row.state === 'approved' && why !== 'other_stage') changed = true;
  }
  for (const row of covering) {
    if (row.state !== 'approved') continue;
    if ((await ledger.approvalUses(row.id)).includes(stage.id)) continue;
    if (!(await holds(row))) continue;
    return { state: 'approved', row, stageDigest: stage.decision.envelopeDigest };
  }
  const [newest] = covering;
  if (newest?.state === 'pending' || newest?.state === 'denied') return { state: newest.state, row: newest };
  return { state: 'none', lapsed: newest?.state === 'expired', changed };
}

/** Everything a question is made of. */
export interface Question {
  readonly plan: Plan;
  readonly policyHash: string;
  /** The stages that need approval, as decided now. */
  readonly stages: readonly DecidedStage[];
  readonly ttlMs: number;
  /** The channels the policy names, in the order they are tried. */
  readonly channels: readonly ApprovalChannel[];
  /** Checks an approval that is already recorded. */
  readonly holds?: AnswerCheck;
}

/** How often to ask again where a recorded approval does not count (another process's dialog, a row without signature). */
const ASKED_ANEW = 8;

/** Stores a question and brings it before a person. The same question asked again is the same row. */
export async function askPerson(
  ledger: Ledger,
  question: Question,
): Promise<{ row: ApprovalRow; reached: readonly string[] }> {
  const { plan, policyHash, stages, channels, holds } = question;
  const envelope = makeEnvelope(plan, policyHash, stages);
  let row = await store(ledger, question, envelope);
  for (let times = 0; times < ASKED_ANEW; times++) {
    if (row.state !== 'approved' || holds === undefined || (await holds(row))) break;
    row = await store(ledger, question, { ...envelope, instead: row.id });
  }
  const reached: string[] = [];
  for (const channel of channels) {
    if (!(await channel.available())) continue;
    await channel.ask(row.id);
    reached.push(channel.name);
  }
  return { row, reached };
}

async function store(
  ledger: Ledger,
  { plan, policyHash, stages, ttlMs }: Question,
  envelope: ApprovalEnvelope,
): Promise<ApprovalRow> {
  const { text, digest } = sealEnvelope(envelope);
  const now = await ledger.time();
  return ledger.askApproval({
    id: `approval-${jsonDigest([plan.planId, digest, now]).slice(0, 16)}`,
    planId: plan.planId,
    intentKey: plan.intentKey,
    wallet: plan.wallet,
    network: plan.network,
    envelopeDigest: digest,
    envelope: text,
    policyHash,
    stages: stages.map((stage) => stage.id),
    createdAt: now,
    expiresAt: now + ttlMs,
  });
}
