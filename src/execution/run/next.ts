/**
 * What a run of a plan does next: from the plan as it stands, and from what this run did so far. Pure. Nothing here asks
 * a chain, a service, a person or a clock; the runner carries out what is said here, looks again, and asks again.
 */
import type { JournalRow, PlanNote } from '../../ledger/types.ts';
import type { Plan } from '../../plan/types.ts';
import type { Decided } from '../deciding/decide.ts';
import type { Timing } from '../ports.ts';
import { hasUnsupported } from '../rehearsals.ts';
import { CANCELLED } from '../sending/cancelled.ts';
import { allRequiredLanded, isInFlight, type PlanSnapshot, type StageState } from '../status.ts';
import { denial, FAILED, NEEDS_QUOTE, type Note, SAID_NO, WAITING } from './outcomes.ts';

/** What a run did so far, as far as the next step depends on it. */
export interface Run {
  /** The plan was looked at as a whole, or its first signature was made before this run. */
  readonly previewed: boolean;
  /** Plans are rehearsed before their first signature: one with an unsupported instruction is looked at as a whole, too. */
  readonly rehearses: boolean;
  /** Stages that are worked on now. */
  readonly working: ReadonlySet<string>;
  /** Stages begun in this round: each is begun once, until the plan is built again or waited for. */
  readonly begun: ReadonlySet<string>;
  /** Bytes of this round became too old to be signed, or to land. */
  readonly stale: boolean;
  /**
   * What was found out when the round was over. `noEffect`: what is dead did nothing. `notSeen`: everything landed, and
   * its effect is not to be seen yet. `nothingNew`: the service has nothing to sign that was not there before.
   */
  readonly found?: 'noEffect' | 'notSeen' | 'nothingNew';
  /** How often the service was asked again, or the effect waited for. */
  readonly asked: number;
  /** What is noted of the plan if the run gives up waiting now. */
  readonly open: Note;
  /** Why the run goes no further. What is worked on is still brought to its end. */
  readonly stop?: Note;
  /** The server stops: nothing new begins. */
  readonly stopping: boolean;
}

/** A run at its start. */
export const BEGINNING: Run = {
  previewed: false,
  rehearses: false,
  working: new Set(),
  begun: new Set(),
  stale: false,
  asked: 0,
  open: WAITING,
  stopping: false,
};

/** A run at the start of its next round: every stage may be begun again. */
export const nextRound = ({ found: _, ...run }: Run): Run => ({ ...run, begun: new Set(), stale: false });

export type Action =
  /** Decide on every stage, before anything of the plan is signed. */
  | { readonly do: 'preview' }
  /** Begin these stages, beside each other. */
  | { readonly do: 'land'; readonly stages: readonly string[] }
  /** Wait until one of the stages being worked on has an outcome. */
  | { readonly do: 'await' }
  /** Recheck signatures that were considered expired. */
  | { readonly do: 'lookAgain' }
  /** Look whether the chain shows what the plan was for. */
  | { readonly do: 'readBack' }
  /** Ask the service for the plan again. */
  | { readonly do: 'rebuild' }
  | { readonly do: 'wait'; readonly ms: number }
  /** The run is over: note this of the plan. */
  | { readonly do: 'end'; readonly note: Note }
  /** The run is over, and the next start of work goes on. */
  | { readonly do: 'leave' };

/** Told of every step of a run before it is taken: a campaign records where runs have been. */
export type OnStep = (snapshot: PlanSnapshot, run: Run, action: Action) => void;

/** Operations whose bytes may be asked for again. A swap is bound to a quote and needs a new one instead. */
export const isRebuildable = (plan: Plan): boolean => plan.operation !== 'swap';

type Patience = Pick<Timing, 'askAgainMs' | 'askAgainMaxMs' | 'askAgainTimes'>;

export function nextAction(snapshot: PlanSnapshot, run: Run, patience: Patience): Action {
  const { plan, states, cancelled } = snapshot;
  const failed = states.some(({ stage, status }) => !stage.optional && status === 'failed');
  if (run.stop === undefined && !run.stopping && !failed) {
    // What is decided for the signature of its only stage says everything of a plan.
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
    ms: Math.min(patience.askAgainMaxMs, patience.askAgainMs * 2 ** run.asked),
  };
  if (run.found === 'nothingNew') return wait;
  const stale = run.stale || states.some(({ stage, status }) => !stage.optional && status === 'expired');
  if (stale && !isRebuildable(plan)) return { do: 'end', note: NEEDS_QUOTE };
  if (stale && run.found === undefined) return { do: 'lookAgain' };
  const again = stale || isBuiltAgain(plan, states);
  if (!again && run.found === undefined) return { do: 'readBack' };
  if (run.asked >= patience.askAgainTimes) return { do: 'end', note: run.open };
  return again ? { do: 'rebuild' } : wait;
}

/** Required stages that may be signed, or are signed and have to be followed, and were not begun in this round. */
const dueStages = ({ states, cancelled }: PlanSnapshot, { begun }: Run): string[] =>
  states
    .filter(({ stage }) => !stage.optional)
    .filter(({ status }) => (status === 'ready' && !cancelled) || isInFlight(status))
    .map(({ stage }) => stage.id)
    .filter((id) => !begun.has(id));

/** Whether the service has to be asked again once everything it gave so far has landed. */
function isBuiltAgain(plan: Plan, states: readonly StageState[]): boolean {
  if (!allRequiredLanded(states)) return true;
  return plan.readiness?.status === 'setup_required' || plan.request.endpoint === 'feeShareConfig';
}

/** A decided stage, as far as it matters here. */
type Previewed = Pick<Decided, 'stage' | 'decision'> & {
  readonly approval: Pick<Decided['approval'], 'state'>;
};

/** What is done about a plan that was looked at as a whole; `undefined` when its stages may begin. */
export type PlanGate<T> =
  | { readonly do: 'deny'; readonly decided: T; readonly note: Note }
  | { readonly do: 'ask'; readonly about: readonly [T, ...T[]] }
  | { readonly do: 'end'; readonly note: Note }
  | undefined;

/**
 * When some stage would be denied or needs a person, nothing at all is signed, and the person is asked once for the whole
 * plan. What only lacks something now (`availability`) holds nothing back: its stage waits for it when its turn comes.
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
    ? { do: 'end', note: SAID_NO }
    : { do: 'ask', about };
}

export type StageAction =
  /** It is signed: the same bytes are sent until the chain shows them or they are proven dead. */
  | { readonly do: 'track'; readonly row: JournalRow }
  /** It is decided on, and signed if it may be, once our view of the chain has come to a slot. */
  | { readonly do: 'sign'; readonly from?: number };

/** What is done with a stage whose turn has come. */
export function stageAction(state: StageState, states: readonly StageState[]): StageAction {
  if (state.row !== undefined && isInFlight(state.status)) return { do: 'track', row: state.row };
  const from = dueSlot(state, states);
  return { do: 'sign', ...(from === undefined ? {} : { from }) };
}

/**
 * The slot a stage has to wait for: the one after the plan's tables were last extended, and as many after its
 * dependencies as the stage asks for.
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

/** The next optional stage of a completed plan, and the slot from which it can be sent; `undefined` when none is left. */
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
