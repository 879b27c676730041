/**
 * Decides the next step of a run from the plan's state and the run's history. Pure: asks no chain, service, person or
 * clock. The runner carries out the step, reloads the state and asks again.
 */
import type { JournalRow, PlanNote } from '../../ledger/types.ts';
import type { Plan } from '../../plan/types.ts';
import type { Decided } from '../deciding/decide.ts';
import type { Timing } from '../ports.ts';
import { hasUnsupported } from '../rehearsals.ts';
import { CANCELLED } from '../sending/cancelled.ts';
import { allRequiredLanded, isInFlight, type PlanSnapshot, type StageState } from '../status.ts';
import { denial, FAILED, NEEDS_QUOTE, type Note, PERSON_DENIED, WAITING } from './outcomes.ts';

/** State of a run, as far as the next step depends on it. */
export interface Run {
  /** The whole plan was previewed, or had a signature before this run. */
  readonly previewed: boolean;
  /**
   * Plans are rehearsed before their first signature: one with an unsupported instruction is previewed as a whole,
   * too.
   */
  readonly rehearses: boolean;
  /** Stages in progress. */
  readonly working: ReadonlySet<string>;
  /** Stages begun in this round: each is begun once, until the plan is rebuilt or waited for. */
  readonly begun: ReadonlySet<string>;
  /** Bytes of this round became too old to sign or to land. */
  readonly stale: boolean;
  /**
   * Result at the end of the round. `noEffect`: the expired signatures had no effect. `notSeen`: everything landed,
   * but the effect is not visible yet. `nothingNew`: the service has nothing new to sign.
   */
  readonly found?: 'noEffect' | 'notSeen' | 'nothingNew';
  /** Number of times the service was asked again or the effect was waited for. */
  readonly attempts: number;
  /** Note for the plan if the run gives up waiting now. */
  readonly open: Note;
  /** Note that ends the run. Stages in progress are still completed. */
  readonly stop?: Note;
  /** The server is stopping: nothing new begins. */
  readonly stopping: boolean;
}

/** Initial state of a run. */
export const BEGINNING: Run = {
  previewed: false,
  rehearses: false,
  working: new Set(),
  begun: new Set(),
  stale: false,
  attempts: 0,
  open: WAITING,
  stopping: false,
};

/** Returns the run at the start of its next round: every stage may be begun again. */
export const nextRound = ({ found: _, ...run }: Run): Run => ({ ...run, begun: new Set(), stale: false });

export type Action =
  /** Decide every stage before anything of the plan is signed. */
  | { readonly do: 'preview' }
  /** Begin these stages concurrently. */
  | { readonly do: 'land'; readonly stages: readonly string[] }
  /** Wait until one of the stages in progress has an outcome. */
  | { readonly do: 'await' }
  /** Recheck signatures that were considered expired. */
  | { readonly do: 'lookAgain' }
  /** Verify the plan's effect on chain. */
  | { readonly do: 'readBack' }
  /** Ask the service for the plan again. */
  | { readonly do: 'rebuild' }
  | { readonly do: 'wait'; readonly ms: number }
  /** End the run with this note. */
  | { readonly do: 'end'; readonly note: Note }
  /** End the run without a note; the next start continues. */
  | { readonly do: 'leave' };

/** Called before every step of a run. */
export type OnStep = (snapshot: PlanSnapshot, run: Run, action: Action) => void;

/** Returns whether a plan's bytes may be requested again. A swap belongs to one quote and needs a new one instead. */
export const isRebuildable = (plan: Plan): boolean => plan.operation !== 'swap';

type Patience = Pick<Timing, 'askAgainMs' | 'askAgainMaxMs' | 'askAgainTimes'>;

export function nextAction(snapshot: PlanSnapshot, run: Run, patience: Patience): Action {
  const { plan, states, cancelled } = snapshot;
  const failed = states.some(({ stage, status }) => !stage.optional && status === 'failed');
  if (run.stop === undefined && !run.stopping && !failed) {
    // The decision for the signature of an only stage covers the whole plan.
    const isSeveral = states.length > 1 || (run.rehearses && hasUnsupported(plan));
    const isWhole = isSeveral && states.every(({ row }) => row === undefined);
    const untouched = !run.previewed && isWhole;
    if (untouched && !cancelled) return { do: 'preview' };
    const stages = dueStages(snapshot, run);
    if (stages.length > 0) return { do: 'land', stages };
  }
  if (run.working.size > 0) return { do: 'await' };
  if (run.stopping) return { do: 'leave' };
  if (cancelled && !allRequiredLanded(states)) return { do: 'end', note: CANCELLED };
  if (run.stop !== undefined) return { do: 'end', note: run.stop };
  if (failed) return { do: 'end', note: FAILED };

  const wait: Action = {
    do: 'wait',
    ms: Math.min(patience.askAgainMaxMs, patience.askAgainMs * 2 ** run.attempts),
  };
  if (run.found === 'nothingNew') return wait;
  const expired = states.some(({ stage, status }) => !stage.optional && status === 'expired');
  // Another process may have landed bytes that became too old here.
  const stale = (run.stale || expired) && !allRequiredLanded(states);
  if (stale && !isRebuildable(plan)) return { do: 'end', note: NEEDS_QUOTE };
  if (stale && run.found === undefined) return { do: 'lookAgain' };
  const again = stale || isBuiltAgain(plan, states);
  if (!again && run.found !== 'notSeen') return { do: 'readBack' };
  if (run.attempts >= patience.askAgainTimes) return { do: 'end', note: run.open };
  return again ? { do: 'rebuild' } : wait;
}

/** Returns required stages that may be signed or must be followed, and were not begun in this round. */
const dueStages = ({ states, cancelled }: PlanSnapshot, { begun }: Run): string[] =>
  states
    .filter(({ stage }) => !stage.optional)
    .filter(({ status }) => (status === 'ready' && !cancelled) || isInFlight(status))
    .map(({ stage }) => stage.id)
    .filter((id) => !begun.has(id));

/** Returns whether the service must be asked again once everything it returned so far has landed. */
function isBuiltAgain(plan: Plan, states: readonly StageState[]): boolean {
  if (!allRequiredLanded(states)) return true;
  return plan.readiness?.status === 'setup_required' || plan.request.endpoint === 'feeShareConfig';
}

/** The parts of a decided stage used here. */
type Previewed = Pick<Decided, 'stage' | 'decision'> & {
  readonly approval: Pick<Decided['approval'], 'state'>;
};

/** How a preview gates a plan; `undefined` when its stages may begin. */
export type PlanGate<T> =
  | { readonly do: 'deny'; readonly decided: T; readonly note: Note }
  | { readonly do: 'ask'; readonly about: readonly [T, ...T[]] }
  | { readonly do: 'end'; readonly note: Note }
  | undefined;

/**
 * Gates a previewed plan: if any stage would be denied or needs approval, nothing is signed, and the owner is asked
 * once for the whole plan. Availability denials do not gate: such a stage waits until its turn.
 */
export function gatePlan<T extends Previewed>(previewed: readonly T[]): PlanGate<T> {
  const decided = previewed.find(
    ({ stage, decision }) =>
      !stage.optional && decision.effect === 'deny' && decision.class !== 'availability',
  );
  if (decided !== undefined) return { do: 'deny', decided, note: denial(decided.decision) };
  const failed = previewed.find(({ decision }) => decision.reasonCodes.includes('REHEARSAL_FAILED'));
  if (failed !== undefined)
    return { do: 'end', note: { ...denial(failed.decision), code: 'REHEARSAL_FAILED' } };
  const [first, ...others] = previewed.filter(({ decision }) => decision.effect === 'require_approval');
  if (first === undefined) return undefined;
  const about: [T, ...T[]] = [first, ...others];
  return about.some(({ approval }) => approval.state === 'denied')
    ? { do: 'end', note: PERSON_DENIED }
    : { do: 'ask', about };
}

export type StageAction =
  /** Already signed: resend the same bytes until they are on chain or proven dead. */
  | { readonly do: 'track'; readonly row: JournalRow }
  /** Decide and, if allowed, sign once our view of the chain reaches slot `from`. */
  | { readonly do: 'sign'; readonly from?: number };

/** Returns what to do with a stage whose turn has come. */
export function stageAction(state: StageState, states: readonly StageState[]): StageAction {
  if (state.row !== undefined && isInFlight(state.status)) return { do: 'track', row: state.row };
  const from = dueSlot(state, states);
  return { do: 'sign', ...(from === undefined ? {} : { from }) };
}

/**
 * Returns the slot a stage waits for: after the last extension of the plan's tables, and `waitSlots` after its
 * dependencies.
 */
export function dueSlot({ stage }: StageState, states: readonly StageState[]): number | undefined {
  const slots: number[] = [];
  for (const { stage: other, row } of states) {
    if (row?.slot === undefined) continue;
    if (other.kind === 'lookup_table_setup' && stage.kind !== 'lookup_table_setup') slots.push(row.slot + 1);
    if (stage.waitSlots > 0 && stage.dependsOn.includes(other.id)) slots.push(row.slot + stage.waitSlots);
  }
  return slots.length === 0 ? undefined : Math.max(...slots);
}

/**
 * Returns the next optional stage of a completed plan and the slot from which it can be sent; `undefined` if there is
 * none.
 */
export function nextClosing({
  planNote,
  states,
}: Pick<PlanSnapshot, 'states'> & { readonly planNote?: PlanNote }):
  | { readonly stageId: string; readonly slot: number }
  | undefined {
  if (planNote?.status !== 'complete') return undefined;
  const open = states.find(
    ({ stage, status }) => stage.optional && (status === 'ready' || isInFlight(status)),
  );
  return open && { stageId: open.stage.id, slot: dueSlot(open, states) ?? 0 };
}
