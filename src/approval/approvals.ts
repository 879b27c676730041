/**
 * Asking a person, and finding the answer again. Answers live only in the ledger; no text of an agent and
 * nothing in its memory is an approval (T57, T60).
 */

import { jsonDigest } from '../base/canonicalJson.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import type { AnswerCheck } from './answers.ts';
import { type DecidedStage, envelopeOf, leastOf, makeEnvelope, outside, sealEnvelope } from './envelope.ts';
import type { ApprovalChannel, ApprovalEnvelope, EnvelopeAsset } from './types.ts';

/** Whether a stage has the approval it needs, and why not. */
export type ApprovalState =
  /** A person approved exactly this, and the stage has not used the approval yet. */
  | {
      readonly state: 'approved';
      readonly row: ApprovalRow;
      readonly stageDigest: string;
      /** What it leaves to this stage. */
      readonly assets: readonly EnvelopeAsset[];
      /** What was shown of what the bytes fix beyond the request, where it covers a whole run. */
      readonly opened?: ApprovalEnvelope['opened'];
    }
  | { readonly state: 'pending' | 'denied'; readonly row: ApprovalRow }
  /** No open question about this; `lapsed`: a question expired. */
  | { readonly state: 'none'; readonly lapsed: boolean };

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
  const covering = rows.filter((row) => outside(envelopeOf(row), plan, policyHash, stage) === undefined);
  for (const row of covering) {
    if (row.state !== 'approved') continue;
    const left = await leftOf(ledger, plan, row, stage);
    if (left === undefined || !(await holds(row))) continue;
    const { opened } = envelopeOf(row);
    const stageDigest = stage.decision.envelopeDigest;
    return { state: 'approved', row, stageDigest, assets: left, ...(opened && { opened }) };
  }
  const [newest] = covering;
  if (newest?.state === 'pending' || newest?.state === 'denied') return { state: newest.state, row: newest };
  return { state: 'none', lapsed: newest?.state === 'expired' };
}

/**
 * What an approval leaves to a stage: as it was shown for it, or what is left of the run's budget. `undefined` where the
 * stage has used it, or would take more than is left.
 */
async function leftOf(
  ledger: Ledger,
  plan: Plan,
  row: ApprovalRow,
  { id, decision }: DecidedStage,
): Promise<readonly EnvelopeAsset[] | undefined> {
  const envelope = envelopeOf(row);
  if (envelope.expectation === undefined) {
    if ((await ledger.approvalUses(row.id)).includes(id)) return undefined;
    return envelope.stages.find((stage) => stage.id === id)?.assets ?? [];
  }
  const drawn = await ledger.approvalDraws(row.id);
  const left = new Map(
    envelope.assets.map(({ asset, mostOut }) => [asset, BigInt(mostOut) - (drawn.get(asset) ?? 0n)]),
  );
  const least = leastOf(envelope, plan, id);
  const fits = decision.changes.every(({ asset, out }) => BigInt(out) <= (left.get(asset) ?? 0n));
  if (!fits) return undefined;
  return [...left].map(([asset, amount]) => ({
    ...{ asset, mostOut: `${amount}` },
    leastIn: `${least.get(asset) ?? 0n}`,
  }));
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
export async function askPerson(ledger: Ledger, question: Question): Promise<ApprovalRow> {
  const { plan, policyHash, stages, channels, holds } = question;
  const envelope = makeEnvelope(plan, policyHash, stages);
  let row = await store(ledger, question, envelope);
  for (let times = 0; times < ASKED_ANEW; times++) {
    if (row.state !== 'approved') break;
    // A run's budget that does not suffice is asked for anew; so is an approval that does not count here.
    const short = envelope.expectation !== undefined && (await ledger.approvalDraws(row.id)).size > 0;
    if (!short && (holds === undefined || (await holds(row)))) break;
    row = await store(ledger, question, { ...envelope, instead: row.id });
  }
  for (const channel of channels) {
    if (await channel.available()) await channel.ask(row.id);
  }
  return row;
}

async function store(
  ledger: Ledger,
  { plan, policyHash, stages, ttlMs }: Question,
  envelope: ApprovalEnvelope,
): Promise<ApprovalRow> {
  // The same meaning in other bytes is the same question, which shows the build it was first asked about.
  const open = await ledger.approvals({ planId: plan.planId, state: 'pending' });
  const same = open.find((row) => meaningOf(envelopeOf(row)) === meaningOf(envelope));
  if (same !== undefined) return same;
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

/** What an envelope is about, whichever bytes it was made from. */
const meaningOf = ({ stages, ...rest }: ApprovalEnvelope): string =>
  jsonDigest({ ...rest, stages: stages.map(({ messageSha256: _, decisionDigest: __, ...stage }) => stage) });
