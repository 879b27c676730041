/**
 * How a plan looks in a result, and how it reads as text. Shared by every tool that builds, reviews, submits or
 * shows plans, so that an agent learns one shape.
 */
import { z } from 'zod';
import { plain, say } from './say.ts';

const stage = z.object({
  id: z.string(),
  kind: z.string(),
  format: z.string(),
  dependsOn: z.array(z.string()),
  status: z.string(),
  requiredSigners: z.array(z.string()),
  missingSigners: z.array(z.string()),
  feePayer: z.string(),
  messageSha256: z.string(),
  signature: z.string().optional(),
  note: z.string().optional(),
});

const decision = z.object({
  effect: z.string(),
  reasonCodes: z.array(z.string()),
  explain: z.string(),
  remedy: z.string().optional(),
});

/** A plan as every result shows it. Statuses and effects are plain text here: a new one must not hide a result. */
export const planShape = z.object({
  planId: z.string(),
  operation: z.string(),
  status: z.string(),
  intentKey: z.string(),
  stages: z.array(stage),
  decision,
  readiness: z.object({ status: z.string() }).optional(),
  expiresAt: z.string().optional(),
  repeats: z.string().optional(),
  next: z.string().optional(),
});

/** The same as a type; a `PlanView` is one. */
type ShownPlan = z.input<typeof planShape>;

/** Fields every build tool answers with, beside those of its endpoint. */
export const builtFields = { plan: planShape.nullable(), note: z.string().optional() };

const stageLine = (each: ShownPlan['stages'][number]): string => {
  // The id is the service's word: anything but one plain word is quoted.
  const parts = [`  ${plain(each.id)} ${each.kind} ${each.format}: ${each.status}`];
  if (each.signature !== undefined) parts.push(each.signature);
  if (each.missingSigners.length > 0) parts.push(`needs ${each.missingSigners.join(', ')}`);
  if (each.note !== undefined) parts.push(each.note);
  return parts.join(' · ');
};

/** A plan in a few lines: its status, what the policy thinks, each stage, and what to do next. */
export function planText(plan: ShownPlan): string {
  const { effect, reasonCodes, explain, remedy } = plan.decision;
  return say(
    `Plan ${plan.planId} (${plan.operation}) is ${plan.status}.`,
    `Decision: ${effect}${reasonCodes.length > 0 ? ` [${reasonCodes.join(', ')}]` : ''}: ${explain}`,
    remedy,
    ...plan.stages.map(stageLine),
    plan.repeats && `It repeats ${plan.repeats}, which is complete.`,
    plan.readiness && `Readiness: ${plan.readiness.status}`,
    plan.expiresAt && `Expires ${plan.expiresAt}.`,
    plan.next ?? nextStep(plan.status),
  );
}

/** The text of a build tool's result. */
export const builtText = (result: { plan: ShownPlan | null; note?: string | undefined }): string =>
  say(result.plan === null ? 'Nothing needs to be signed.' : planText(result.plan), result.note);

function nextStep(status: string): string | undefined {
  switch (status) {
    case 'ready':
      return 'Next: submit_plan.';
    case 'waiting_setup':
      return 'Next: submit_plan lands the setup and asks for the rest.';
    case 'approval_required':
      return 'Next: a person must approve outside this conversation; submit_plan asks them.';
    case 'running':
      return 'Next: submit_plan again, or get_plan, to follow it.';
    case 'unknown':
      return 'Next: submit_plan again reconciles it with the chain; do not build a replacement.';
    default:
      return undefined;
  }
}
