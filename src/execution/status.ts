/**
 * The status of plans and stages, derived from one read of the ledger. All processes, tools, page and command line
 * use it: the same rows always give the same status.
 */
import { maySignAgain } from '../ledger/plans/guarded.ts';
import type {
  DecisionRecord,
  JournalRow,
  JournalState,
  Ledger,
  PlanNote,
  PlanRows,
} from '../ledger/types.ts';
import type { Plan, PlanStatus, Stage, StageStatus } from '../plan/types.ts';
import type { Decision } from '../policy/decide/types.ts';
import { PERSON_DENIED } from './run/outcomes.ts';

/** A stage and its status. */
export interface StageState {
  readonly stage: Stage;
  readonly status: StageStatus;
  /** The signed transaction the status is derived from. */
  readonly row?: JournalRow;
  readonly planNote?: PlanNote;
}

/** A plan at one moment: its ledger rows and the status derived from them. */
export interface PlanSnapshot extends PlanRows {
  /** Every stage with its status, in the plan's order. */
  readonly states: readonly StageState[];
  /** The latest note on the plan as a whole. */
  readonly planNote?: PlanNote;
}

export function snapshotOf(held: PlanRows): PlanSnapshot {
  const noted = held.planNotes.find(({ stageId }) => stageId === undefined);
  const isDenied =
    noted?.status === 'approval_required' &&
    held.approvals.some(({ id, state }) => id === noted.ref && state === 'denied');
  // The owner answers in another process: the plan counts as denied from then on, even before it is submitted again.
  const planNote = isDenied ? { ...noted, ...PERSON_DENIED } : noted;
  const states = stageStates(held.plan, held.rows, held.planNotes);
  return { ...held, states, ...(planNote === undefined ? {} : { planNote }) };
}

/** Returns a stored plan with its status and newest `decisions`; `undefined` if no plan has this id. */
export async function readSnapshot(
  ledger: Pick<Ledger, 'planRows'>,
  planId: string,
  decisions?: number,
): Promise<PlanSnapshot | undefined> {
  const held = await ledger.planRows(planId, decisions);
  return held && snapshotOf(held);
}

/** Returns the newest plan of an intent in a mode, with its status. */
export async function readNewest(
  ledger: Pick<Ledger, 'rows' | 'planRows'>,
  { intentKey, mode }: Pick<Plan, 'intentKey' | 'mode'>,
): Promise<PlanSnapshot | undefined> {
  const [newest] = await ledger.rows('plans', { intentKey, mode, limit: 1 });
  return newest && readSnapshot(ledger, newest.planId);
}

type Status = StageStatus | JournalState;
const LANDED: readonly Status[] = ['confirmed', 'finalized'];
const IN_FLIGHT: readonly Status[] = ['signed', 'sent', 'unknown'];

export const isLanded = (status: Status): boolean => LANDED.includes(status);
/** Returns whether a transaction landed or failed on chain: its effects or costs are final facts of the chain. */
export const isOnChain = (status: Status): boolean => isLanded(status) || status === 'failed';
/** Returns whether a transaction is signed and may still land. */
export const isInFlight = (status: Status): boolean => IN_FLIGHT.includes(status);

/** Returns every stage with its status, in the plan's order. */
function stageStates(plan: Plan, rows: readonly JournalRow[], planNotes: readonly PlanNote[]): StageState[] {
  const landed = new Set<string>();
  // Stages are stored after their dependencies.
  return plan.stages.map((stage): StageState => {
    const row = rows.findLast((known) => known.stageId === stage.id);
    const planNote = planNotes.find((known) => known.stageId === stage.id);
    const again = row?.state === 'failed' && maySignAgain(rows.filter((known) => known.stageId === stage.id));
    const status = statusOf(plan, stage, again ? undefined : row, planNote, landed);
    if (isLanded(status)) landed.add(stage.id);
    return {
      stage,
      status,
      ...(row === undefined ? {} : { row }),
      ...(planNote === undefined ? {} : { planNote }),
    };
  });
}

function statusOf(
  plan: Plan,
  stage: Stage,
  row: JournalRow | undefined,
  planNote: PlanNote | undefined,
  landed: ReadonlySet<string>,
): StageStatus {
  const free = stage.dependsOn.every((id) => landed.has(id)) ? 'ready' : 'waiting';
  if (row === undefined) return planNote?.status === 'skipped' ? 'skipped' : free;
  if (row.state === 'chain_gone') return 'failed';
  // New bytes, or bytes whose blockhash is refreshed at each signature, may be signed after the old ones expired.
  const replaced = row.revision < plan.revision || stage.refresh === 'blockhash';
  return row.state === 'expired' && replaced ? free : row.state;
}

/** Returns the ids of the landed stages. */
export const landedStages = (states: readonly StageState[]): Set<string> =>
  new Set(states.filter(({ status }) => isLanded(status)).map(({ stage }) => stage.id));

/** Returns whether every required stage of a plan has landed. */
export const allRequiredLanded = (states: readonly StageState[]): boolean =>
  states.every(({ stage, status }) => stage.optional || isLanded(status));

/** Input of a plan's status. */
export interface DecidedPlan extends Pick<PlanSnapshot, 'plan' | 'states' | 'planNote'> {
  /** Newest first; if empty, stages to come count as undecided. */
  readonly decisions: readonly (Pick<DecisionRecord, 'stageId' | 'decision'> & { readonly id?: string })[];
}

/**
 * Returns the plan's status. Journal rows come before notes, since a noted denial is outdated while stages are in
 * flight; notes come before the policy's latest decisions on stages to come.
 */
export function planStatus(decided: DecidedPlan, running = false): PlanStatus {
  const { plan, states, planNote } = decided;
  const required = states.filter(({ stage }) => !stage.optional);
  if (planNote?.status === 'complete') return 'complete';
  if (required.some(({ status }) => status === 'failed')) return 'failed';
  if (running) return 'running';
  if (required.some(({ status }) => status === 'unknown')) return 'unknown';
  if (required.some(({ status }) => status === 'signed' || status === 'sent')) return 'running';
  const noted = planNote?.status;
  if (noted !== undefined && isNoted(noted)) return noted;
  const waits = plan.readiness?.status === 'setup_required' && allRequiredLanded(states);
  return waits || noted === 'waiting_setup' ? 'waiting_setup' : decidedStatus(strictestOf(decided));
}

const isNoted = (status: PlanNote['status']): status is (typeof NOTED)[number] =>
  NOTED.some((each) => each === status);
const NOTED = ['denied', 'approval_required', 'failed', 'unknown', 'landed_unverified'] as const;

/** Returns the status by the latest decision if nothing is noted. Expired stages are rebuilt, not refused. */
function decidedStatus(decision: Decision | undefined): PlanStatus {
  if (decision?.effect === 'deny') {
    const waits = isExpired(decision) || decision.reasonCodes.includes('SIGNER_UNAVAILABLE');
    return waits ? 'ready' : 'denied';
  }
  return decision?.effect === 'require_approval' ? 'approval_required' : 'ready';
}

/** Returns whether a stage was denied only because it expired. */
export const isExpired = ({ class: kind, reasonCodes }: Decision): boolean =>
  kind === 'availability' && reasonCodes[0] === 'LIFETIME_MISMATCH';

/** Returns the strictest of the newest decisions on stages that still have to be signed. */
export function strictestOf({
  states,
  decisions,
}: Pick<DecidedPlan, 'states' | 'decisions'>): Decision | undefined {
  const open = states.filter(({ stage, status }) => !stage.optional && !isLanded(status));
  const newest = (open.length > 0 ? open : states).flatMap(({ stage }) => {
    const record = decisions.find(({ stageId }) => stageId === stage.id);
    return record === undefined ? [] : [record.decision];
  });
  return newest.sort((a, b) => rank(b) - rank(a))[0];
}

/** Ranks decisions by strictness: denial, then availability denial, then approval required, then allow. */
const rank = ({ effect, class: kind }: Decision): number =>
  effect === 'allow' ? 0 : effect === 'require_approval' ? 1 : kind === 'availability' ? 2 : 3;
