/**
 * Plans in results, as structure and as text, for all tools that build, review, submit or show plans. Text and structure carry
 * the same information, since a client may show only one.
 */
import { z } from 'zod';
import { OVER } from '../src/presentation/statusWords.ts';
import { amountLine, moved } from './amounts.ts';
import { joinLines, plain, quoted } from './resultText.ts';
import type { PlanView, ShownAmount } from './tool.ts';

const amount = z.object({
  asset: z.string(),
  symbol: z.string().optional(),
  amount: z.string().optional(),
  raw: z.string().optional(),
});

const claimers = z.object({
  count: z.number(),
  largest: z.array(z.object({ wallet: z.string(), share: z.string() })),
  rest: z.string().optional(),
});

const stage = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  signature: z.string().optional(),
  missingSigners: z.array(z.string()).optional(),
  note: z.string().optional(),
  format: z.string().optional(),
  dependsOn: z.array(z.string()).optional(),
  requiredSigners: z.array(z.string()).optional(),
  feePayer: z.string().optional(),
  messageSha256: z.string().optional(),
});

const decision = z.object({
  effect: z.string(),
  /** Absent, like the explanation, in the brief form of an allowed plan. */
  reasonCodes: z.array(z.string()).optional(),
  explain: z.string().optional(),
  remedy: z.string().optional(),
});

/** Schema of a plan in results. Statuses and effects are plain text, so that a new one does not invalidate a result. */
export const planShape = z.object({
  planId: z.string(),
  operation: z.string(),
  status: z.string(),
  asked: z.string().optional(),
  createdAt: z.string().optional(),
  attempts: z.object({ signed: z.number(), since: z.string() }).optional(),
  expected: z
    .object({
      leavesAtMost: z.array(amount).optional(),
      arrivesAtLeast: z.array(amount).optional(),
      returns: z.string().optional(),
    })
    .optional(),
  says: z.array(z.string()).optional(),
  changes: z.array(amount).optional(),
  cost: z.object({ networkFee: z.string(), newAccounts: z.string().optional() }).optional(),
  wrapped: z.string().optional(),
  claimers: z.object({ before: claimers.optional(), after: claimers }).optional(),
  claims: z
    .array(z.object({ asked: z.string(), status: z.string(), arrives: z.array(amount).optional() }))
    .optional(),
  lacks: z.array(z.object({ needs: amount, has: amount })).optional(),
  /** Absent in the brief form once every stage has landed, since only allowed stages land. */
  decision: decision.optional(),
  approval: z
    .object({
      id: z.string(),
      state: z.string(),
      expiresAt: z.string(),
      where: z.string().optional(),
      grantId: z.string().optional(),
      reason: z.string().optional(),
    })
    .optional(),
  stages: z.array(stage),
  readiness: z.object({ status: z.string() }).optional(),
  expiresAt: z.string().optional(),
  repeats: z.string().optional(),
  next: z.string().optional(),
  intentKey: z.string().optional(),
});

/** A plan in results. */
export type ShownPlan = z.input<typeof planShape>;

/** Fields of all build results, in addition to those of the endpoint. */
export const builtFields = { plan: planShape.nullable(), note: z.string().optional() };

/** Whether a plan is allowed without further notes of the policy. */
const isEnded = (status: string): boolean => ['complete', 'cancelled', 'expired'].includes(status);

/**
 * Returns the brief form of a plan for build and submit results: operation, status, moved amounts and next step. Hashes,
 * formats and signers are in `get_plan` and `review_plan`.
 */
export function brief(plan: PlanView): ShownPlan {
  const { stages, wallet, readiness, expiresAt, ...more } = plan;
  const { intentKey: _, tokenMint: __, createdAt: ___, decision, ...rest } = more;
  const open = !OVER.includes(plan.status);
  const { effect, reasonCodes, explain, remedy } = decision;
  const { expected, says, claimers, changes, claims, ...kept } = rest;
  return {
    ...kept,
    // What moved replaces the bounds of a complete plan; nothing moves by one that was stopped.
    ...(expected === undefined || isEnded(plan.status) ? {} : { expected: shortly(expected) }),
    ...(changes === undefined ? {} : { changes: short(changes) }),
    ...(claims === undefined
      ? {}
      : {
          claims: claims.map(({ arrives, ...claim }) => ({
            ...claim,
            ...(arrives === undefined ? {} : { arrives: short(arrives) }),
          })),
        }),
    // What landed is read back from the chain.
    ...(open && says !== undefined ? { says } : {}),
    ...(open && claimers !== undefined ? { claimers } : {}),
    // Only the review says why it was allowed, and the approval says how a person answers.
    ...(isEnded(plan.status)
      ? {}
      : {
          decision: {
            ...(effect === 'allow' ? { effect } : { effect, reasonCodes, explain }),
            ...(effect === 'deny' && remedy !== undefined ? { remedy } : {}),
          },
        }),
    ...(open && readiness !== undefined && readiness.status !== 'ready' ? { readiness } : {}),
    ...(open && expiresAt !== undefined ? { expiresAt } : {}),
    stages: stages.map(({ id, kind, status, signature, missingSigners, note }) => {
      // Own signatures are added last, so a missing one is listed only for wallets of others.
      const foreign = plan.decision.reasonCodes.includes('SIGNER_UNAVAILABLE');
      const others = missingSigners.filter((key) => foreign || key !== wallet);
      return {
        id,
        kind,
        status,
        ...(signature === undefined ? {} : { signature }),
        ...(others.length === 0 ? {} : { missingSigners: others }),
        ...(note === undefined ? {} : { note }),
      };
    }),
  };
}

/** Returns amounts without base units: of SOL, or of assets with known decimals. */
const short = (amounts: readonly ShownAmount[], every?: 'every') =>
  amounts.map(({ raw, ...rest }) =>
    rest.amount !== undefined && (every === 'every' || rest.asset === 'SOL') ? rest : { ...rest, raw },
  );

/** Returns bounds in brief, without empty sides. */
const shortly = ({ leavesAtMost, arrivesAtLeast, returns }: NonNullable<PlanView['expected']>) => ({
  ...(leavesAtMost.length === 0 ? {} : { leavesAtMost: short(leavesAtMost, 'every') }),
  ...(arrivesAtLeast.length === 0 ? {} : { arrivesAtLeast: short(arrivesAtLeast, 'every') }),
  ...(returns === undefined ? {} : { returns }),
});

/** Returns the result of `open` in brief. */
export const briefly = <T extends { plan: PlanView | null }>(
  opened: T,
): Omit<T, 'plan'> & { plan: ShownPlan | null } => ({
  ...opened,
  plan: opened.plan === null ? null : brief(opened.plan),
});

const stageLine = (each: ShownPlan['stages'][number]): string => {
  // The id is the service's word: anything but one plain word is quoted.
  const parts = [`  ${plain(each.id)} ${each.kind}: ${each.status}`];
  if (each.signature !== undefined) parts.push(each.signature);
  if (each.missingSigners !== undefined && each.missingSigners.length > 0)
    parts.push(`needs ${each.missingSigners.join(', ')}`);
  if (each.requiredSigners !== undefined) parts.push(`signers ${each.requiredSigners.join(', ')}`);
  if (each.feePayer !== undefined) parts.push(`fee payer ${each.feePayer}`);
  if (each.format !== undefined) parts.push(each.format);
  if (each.messageSha256 !== undefined) parts.push(`message ${each.messageSha256}`);
  if (each.dependsOn !== undefined && each.dependsOn.length > 0)
    parts.push(`after ${each.dependsOn.map(plain).join(', ')}`);
  if (each.note !== undefined) parts.push(each.note);
  return parts.join(' · ');
};

const claimersLine = ({ count, largest, rest }: z.input<typeof claimers>): string =>
  `${largest.map(({ wallet, share }) => `${wallet} ${share}`).join(', ')}${
    rest === undefined ? '' : ` and ${count - largest.length} more with ${rest} together`
  }`;

const attemptsLine = ({ signed, since }: NonNullable<ShownPlan['attempts']>): string =>
  `Signed ${signed} ${signed === 1 ? 'time' : 'times'} since ${since}.`;

/** Describes the bounds of a plan. */
const boundsLine = (
  { leavesAtMost = [], arrivesAtLeast = [], returns }: NonNullable<ShownPlan['expected']>,
  isPast: boolean,
): string =>
  `${isPast ? 'Bounds were: leaves' : 'Leaves'} at most ${amountLine(leavesAtMost)}${
    returns === undefined ? '' : `, ${returns} SOL of it back when its accounts are closed`
  }${arrivesAtLeast.length === 0 ? '' : `; arrives at least ${amountLine(arrivesAtLeast)}`}.`;

/** Describes the open question of a plan, or its answer. */
function approvalLine(approval: NonNullable<ShownPlan['approval']>): string {
  const { id, state, expiresAt, where, grantId, reason } = approval;
  if (grantId !== undefined) return `A person approved it in advance, with ${grantId}.`;
  if (where !== undefined) return `Approval ${id}, until ${expiresAt}: a person answers on ${where}.`;
  if (state === 'expired') return `Approval ${id} expired ${expiresAt} without an answer.`;
  return `Approval ${id} was ${state}${reason === undefined ? '' : `: the person said ${quoted(reason)}`}.`;
}

/** Formats a plan: operation, amounts, decision, stages and next step. */
export function planText(plan: ShownPlan): string {
  const { effect, reasonCodes = [], explain, remedy } = (!isEnded(plan.status) && plan.decision) || {};
  const { expected, lacks = [], approval } = plan;
  return joinLines(
    `Plan ${plan.planId} (${plan.operation}) is ${plan.status}${plan.asked === undefined ? '' : `: ${plan.asked}`}.`,
    plan.attempts && attemptsLine(plan.attempts),
    plan.changes && plan.cost && moved(plan.changes, plan.cost),
    plan.wrapped && `${plan.wrapped} SOL of it arrived wrapped (wSOL): unwrap_sol turns it into SOL.`,
    expected && boundsLine(expected, plan.changes !== undefined),
    ...(plan.says ?? []).map((sentence) => `! ${sentence}`),
    ...(plan.claims ?? []).map(
      ({ asked, status, arrives }) =>
        `- ${asked}: ${status}${arrives === undefined ? '' : `, ${amountLine(arrives)}`}`,
    ),
    ...lacks.map(({ needs, has }) => `It needs ${amountLine([needs])}; the wallet has ${amountLine([has])}.`),
    plan.claimers?.before && `Earns now: ${claimersLine(plan.claimers.before)}.`,
    plan.claimers && `Earns then: ${claimersLine(plan.claimers.after)}.`,
    explain &&
      `Decision: ${effect}${reasonCodes.length > 0 ? ` [${reasonCodes.join(', ')}]` : ''}: ${explain}`,
    remedy,
    approval && approvalLine(approval),
    ...plan.stages.map(stageLine),
    plan.repeats && `It repeats ${plan.repeats}, which is complete.`,
    plan.readiness && `Readiness: ${plan.readiness.status}`,
    plan.createdAt && `Built ${plan.createdAt}.`,
    plan.expiresAt && `Expires ${plan.expiresAt}.`,
    plan.intentKey && `Intent ${plan.intentKey}.`,
    plan.next && `Next: ${plan.next}`,
  );
}

/** Formats the result of a build tool. */
export const builtText = (result: { plan: ShownPlan | null; note?: string | undefined }): string =>
  result.plan === null
    ? (result.note ?? 'Nothing needs to be signed.')
    : joinLines(planText(result.plan), result.note);
