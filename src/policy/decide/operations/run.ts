/**
 * The run of a plan: the acts of stages that landed or may still land, of this stage, and of planned stages. Occurrence
 * limits of clauses apply to all of them together.
 */
import type { DecodedStage, ReadWith } from '../../../plan/decodedStage.ts';
import type { StageKind, StageStatus } from '../../../plan/types.ts';
import type { Act } from '../../../programs/acts.ts';
import { TransactionError } from '../../../transaction/errors.ts';
import type { DecisionContext, StageContext } from '../decisionContext.ts';
import type { DecisionInputs } from '../types.ts';

export interface Run {
  /** Acts of other stages that landed or may still land. */
  readonly before: readonly Act[];
  /** Acts of all stages: landed stages of earlier builds, then the plan's stages in order. */
  readonly all: readonly Act[];
  /** Acts of the stages before this one, signed or not. */
  readonly preceding: readonly Act[];
  /** Acts of stages that have not landed, including this one, in the plan's order. */
  readonly pending: readonly Act[];
  /** Number of stages with unresolved accounts. */
  readonly unreadable: number;
  /** Stages of the plan with unsupported instructions. */
  readonly unsupported: DecisionInputs['siblings'];
  /** Whether a stage of an earlier build, which landed or may still land, has unsupported instructions. */
  readonly isUnsupportedBefore: boolean;
}

const LANDED: readonly StageStatus[] = ['confirmed', 'finalized'];
/** Statuses of stages without a signature that may still land. */
export const UNSIGNED: readonly StageStatus[] = ['waiting', 'ready', 'skipped', 'expired', 'failed'];

/** Returns the run of a stage's plan. Pure. */
export function runOf(c: StageContext): Run {
  const { inputs } = c;
  const before: Act[] = [];
  const all: Act[] = [];
  const pending: Act[] = [];
  let preceding: readonly Act[] | undefined;
  const unsupported: DecisionInputs['siblings'][number][] = [];
  let unreadable = 0;
  let isUnsupportedBefore = false;
  for (const transaction of inputs.earlierStages ?? []) {
    const acts = actsAlone(transaction, c.given);
    isUnsupportedBefore ||= isUnsupported(acts);
    if (acts === undefined) unreadable += 1;
    else for (const part of [before, all]) part.push(...acts);
  }
  for (const sibling of inputs.siblings) {
    const { stage, status } = sibling;
    const isThis = stage.id === inputs.stage.id;
    if (isThis) preceding = [...all];
    const acts = isThis ? c.acts : actsAlone(stage.transaction, c.given);
    if (isUnsupported(acts)) unsupported.push(sibling);
    if (acts === undefined) {
      unreadable += 1;
      continue;
    }
    all.push(...acts);
    if (!isThis && !UNSIGNED.includes(status)) before.push(...acts);
    if (!LANDED.includes(status)) pending.push(...acts);
  }
  return { before, all, preceding: preceding ?? all, pending, unreadable, unsupported, isUnsupportedBefore };
}

/** Returns the acts completed once this stage lands: of landed stages, of its dependencies, and its own. */
export function actsOnceLanded(c: StageContext): readonly Act[] {
  const { stage: mine, siblings, earlierStages = [] } = c.inputs;
  const done = new Set([mine.id]);
  // Dependencies precede their dependents in a plan.
  for (const { stage, status } of siblings.toReversed()) {
    if (LANDED.includes(status)) done.add(stage.id);
    if (done.has(stage.id)) for (const id of stage.dependsOn) done.add(id);
  }
  const acts = siblings.flatMap(({ stage }) => {
    if (!done.has(stage.id)) return [];
    return stage.id === mine.id ? c.acts : (actsAlone(stage.transaction, c.given) ?? []);
  });
  return [...earlierStages.flatMap((each) => actsAlone(each, c.given) ?? []), ...acts];
}

const isUnsupported = (acts: readonly Act[] | undefined): boolean =>
  acts === undefined || acts.some(({ act }) => act === 'unsupported' || act === 'named');

/** Returns a run of this stage alone, for clauses that are independent of other stages. */
export const stageAlone = ({ acts }: DecisionContext): Run => {
  return {
    all: acts,
    pending: acts,
    before: [],
    preceding: [],
    unreadable: 0,
    unsupported: [],
    isUnsupportedBefore: false,
  };
};

/**
 * Whether the run's one-time amounts are attributed to this stage, which has unsupported instructions: it is the first or
 * last such stage of its kind, and no other stage of this or an earlier build may have spent them. `isDone`: whether the
 * chain shows the effect, so that a landed stage counts (T76).
 */
export function isChargedToStage(
  { inputs }: DecisionContext,
  { unsupported, isUnsupportedBefore }: Run,
  kind: StageKind,
  at: 0 | -1,
  isDone: boolean,
): boolean {
  const same = unsupported.filter(({ stage }) => stage.kind === kind);
  const begun =
    isUnsupportedBefore ||
    same.some(
      ({ stage, status }) =>
        stage.id !== inputs.stage.id && !UNSIGNED.includes(status) && (isDone || !LANDED.includes(status)),
    );
  return (same.at(at)?.stage.id ?? inputs.stage.id) === inputs.stage.id && !begun;
}

/** Returns the acts of a stage's transaction, or `undefined` if an account cannot be resolved. */
function actsAlone(transaction: DecodedStage, given: ReadWith): readonly Act[] | undefined {
  try {
    return transaction.resolve(given).acts;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return undefined;
  }
}
