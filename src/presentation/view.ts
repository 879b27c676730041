/** A plan as shown in results: operation, status and next step, without transaction bytes and untrusted text. */

import { dueSlot, isRebuildable } from '../execution/run/next.ts';
import {
  type DecidedPlan,
  isExpired,
  isLanded,
  isOnChain,
  planStatus,
  type StageState,
  strictestOf,
} from '../execution/status.ts';
import type { PlanNote } from '../ledger/types.ts';
import type { Plan, PlanStatus } from '../plan/types.ts';
import type { Decision } from '../policy/decide/types.ts';
import { requiredSigners, verifyCosignatures } from '../transaction/signatures.ts';
import { explained, nextOfRefusal } from './decisions/explain.ts';
import { REASONS } from './decisions/reasons.ts';
import type { PlanView, StageView } from './planPort.ts';
import { OVER, type ShownStatus, STAGE_STATUS_WORDS, STATUS_WORDS } from './statusWords.ts';

/** State beside the plan's own. */
interface Beside {
  /** Whether this process executes it now. */
  readonly running?: boolean;
  /** Whether signing is frozen; omitted if the caller shows the freeze itself. */
  readonly frozen?: boolean;
  /** The completed earlier plan of the same intent. */
  readonly repeats?: string;
  /** Milliseconds since the epoch; without it no quote expires. */
  readonly now?: number;
}

/** Returns a plan with its status and newest decisions. */
export function planView(
  decided: DecidedPlan,
  { running, frozen = false, repeats, now }: Beside = {},
): PlanView {
  const { plan, states, planNote } = decided;
  const strictest = strictestOf(decided);
  const status = shownStatus(planStatus(decided, running), decided, now);
  const { planId, operation, intentKey, readiness, expiresAt } = plan;
  return {
    planId,
    operation,
    status,
    intentKey,
    stages: states.map((state) => stageView(state, states)),
    decision: shownDecision(strictest, planNote),
    ...(readiness === undefined ? {} : { readiness }),
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    ...(repeats === undefined ? {} : { repeats }),
    next: nextOf({ status, states, planNote, strictest, frozen }) + deferred(plan, status),
  };
}

/** Returns the status, specialized by cause. */
function shownStatus(
  status: PlanStatus,
  { plan, states, planNote, decisions }: DecidedPlan,
  now: number | undefined,
): ShownStatus {
  if (status === 'failed' && planNote?.code === 'CANCELLED') return 'cancelled';
  if (status === 'failed' && planNote?.code === 'QUOTE_EXPIRED') return 'expired';
  if (status === 'denied' && isDeniedByPerson(planNote)) return 'denied_by_owner';
  if (isRebuildable(plan) || status !== 'ready') return status;
  const strictest = strictestOf({ states, decisions });
  const isOld = now !== undefined && plan.expiresAt !== undefined && plan.expiresAt <= now;
  const isUnsigned = states.every(({ row }) => row === undefined);
  return (isOld && isUnsigned) || (strictest !== undefined && isExpired(strictest)) ? 'expired' : status;
}

function stageView(state: StageState, states: readonly StageState[]): StageView {
  const { stage, status, row } = state;
  const transaction = stage.transaction.decoded;
  const slots = transaction === undefined ? [] : verifyCosignatures(transaction);
  const signed = row !== undefined && status !== 'ready' && status !== 'waiting';
  const note = noteOf(state, states);
  return {
    id: stage.id,
    kind: stage.kind,
    format: stage.format,
    dependsOn: [...stage.dependsOn],
    status,
    requiredSigners: transaction === undefined ? [] : [...requiredSigners(transaction)],
    missingSigners: signed ? [] : slots.filter((slot) => slot.status !== 'valid').map((slot) => slot.address),
    feePayer: transaction?.staticAccounts[0] ?? '',
    messageSha256: (signed ? row.messageSha256 : transaction?.messageSha256) ?? '',
    ...(row !== undefined && isOnChain(status) ? { signature: row.signature } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

function noteOf(state: StageState, states: readonly StageState[]): string | undefined {
  const { stage, status, row, planNote } = state;
  if (planNote?.note !== undefined && !isLanded(status)) return planNote.note;
  if (row?.state === 'chain_gone') return 'The embedded chain it was signed for is gone.';
  const due = stage.waitSlots > 0 && !isLanded(status) ? dueSlot(state, states) : undefined;
  if (due !== undefined) return `Can be sent from slot ${due}.`;
  return STAGE_STATUS_WORDS[status].known;
}

function shownDecision(decision: Decision | undefined, planNote: PlanNote | undefined): PlanView['decision'] {
  if (decision === undefined) {
    return { effect: 'allow', reasonCodes: [], explain: planNote?.note ?? 'There is nothing to decide yet.' };
  }
  // Denied by a person: the question is closed.
  if (isDeniedByPerson(planNote)) {
    return { effect: 'deny', reasonCodes: ['PERSON_DENIED'], explain: REASONS.PERSON_DENIED.cause };
  }
  return { effect: decision.effect, reasonCodes: [...decision.reasonCodes], ...explained(decision) };
}

const isDeniedByPerson = (planNote: PlanNote | undefined): boolean =>
  planNote?.status === 'denied' && planNote.code === 'PERSON_DENIED';

/** Statuses whose note is the next step; refusals have theirs in the reason table. */
const NOTED: readonly ShownStatus[] = [
  'ready',
  'running',
  'waiting_setup',
  'failed',
  'unknown',
  'landed_unverified',
];

interface NextStepInput {
  readonly status: ShownStatus;
  readonly states: readonly StageState[];
  readonly planNote: PlanNote | undefined;
  readonly strictest: Decision | undefined;
  readonly frozen: boolean;
}

const FROZEN =
  'Signing is frozen until a person runs `countersign unfreeze`; signed transactions are still followed.';

/** Returns the next step. A freeze comes first while something is left to sign. */
function nextOf(input: NextStepInput): string {
  const { status, frozen } = input;
  return frozen && !OVER.includes(status) && status !== 'landed_unverified' ? FROZEN : nextStep(input);
}

function nextStep({ status, states, planNote, strictest }: NextStepInput): string {
  const noted = planNote?.status === status ? planNote.note : undefined;
  if (noted !== undefined && NOTED.includes(status)) return noted;
  const { agent } = STATUS_WORDS[status];
  switch (status) {
    case 'ready':
      if (strictest === undefined || !isExpired(strictest)) return agent;
      return 'It has expired. Call submit_plan: the service builds it again first.';
    case 'denied':
      return strictest === undefined ? agent : nextOfRefusal(strictest);
    case 'complete':
      return [
        agent,
        ...(planNote?.note === undefined ? [] : [planNote.note]),
        ...(isOptionalLeft(states) ? ['The remaining stages are optional and refund rent.'] : []),
      ].join(' ');
    default:
      return agent;
  }
}

const isOptionalLeft = (states: readonly StageState[]): boolean =>
  states.some(({ stage, status }) => stage.optional && !isLanded(status) && status !== 'skipped');

/** Returns the notice on claims the service deferred (C-DEPLOY-03), once the plan is complete. */
function deferred({ answer }: Plan, status: ShownStatus): string {
  const { deferredClaims } = answer;
  if (status !== 'complete' || !Array.isArray(deferredClaims) || deferredClaims.length === 0) return '';
  return ` The service deferred ${deferredClaims.length} more: build the claims again for them.`;
}
