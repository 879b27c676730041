/**
 * What a plan does altogether: the acts of stages that landed or may still land, of this stage, and of those to come.
 * What an operation may do once, it may do once in all of them together.
 */
import type { DecodedStage, ReadWith } from '../../../plan/decodedStage.ts';
import type { StageKind, StageStatus } from '../../../plan/types.ts';
import type { Act } from '../../../programs/acts.ts';
import { TransactionError } from '../../../transaction/errors.ts';
import type { DecisionContext, StageContext } from '../decisionContext.ts';
import type { DecisionInputs } from '../types.ts';

export interface Run {
  /** Acts of stages that landed or may still land, this one apart. */
  readonly before: readonly Act[];
  /** Acts of every stage of the plan, in its order, after those of earlier plans of this run that landed. */
  readonly all: readonly Act[];
  /** Acts of the stages that stand before this one, signed or not. */
  readonly preceding: readonly Act[];
  /** Acts of stages that have not landed, this one among them, in the plan's order. */
  readonly pending: readonly Act[];
  /** Stages whose bytes name accounts that are not known, so that nothing can be said about them. */
  readonly unreadable: number;
  /** Stages of the plan that are not all read. */
  readonly unsupported: DecisionInputs['siblings'];
  /** Whether a stage of an earlier revision of the plan, which landed or may still land, is not all read. */
  readonly isUnsupportedBefore: boolean;
}

const LANDED: readonly StageStatus[] = ['confirmed', 'finalized'];
/** Stages without a signature that may still land. */
export const UNSIGNED: readonly StageStatus[] = ['waiting', 'ready', 'skipped', 'expired', 'failed'];

/** The acts of a plan's stages. Pure. */
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

/** Acts that are done when this stage lands, and with it: of landed stages, of those it waits for, its own. */
export function doneWith(c: StageContext): readonly Act[] {
  const { stage: mine, siblings, earlierStages = [] } = c.inputs;
  const done = new Set([mine.id]);
  // A plan's stages stand behind those they wait for.
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

/** The acts of this stage alone, for what has nothing to do with the stages beside it. */
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
 * Whether a stage that is not all read may be the one with which leaves what may leave once: the first or the last such
 * stage of its kind, while no other may have been it, in this revision of the plan or an earlier one. One that landed was it
 * where the chain shows that it `isDone` (T76).
 */
export function mayBeIt(
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

/** What a stage's bytes do by themselves; `undefined` where an account is not known. */
function actsAlone(transaction: DecodedStage, given: ReadWith): readonly Act[] | undefined {
  try {
    return transaction.resolve(given).acts;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return undefined;
  }
}
