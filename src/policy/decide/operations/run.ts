/**
 * What a plan does altogether: the acts of stages that landed or may still land, of this stage, and of those to come.
 * What an operation may do once, it may do once in all of them together.
 */
import type { StageKind, StageStatus } from '../../../plan/types.ts';
import type { Act } from '../../../programs/acts.ts';
import { withActs } from '../../../programs/read.ts';
import { NO_VIEW } from '../../../programs/view.ts';
import { TransactionError } from '../../../transaction/errors.ts';
import type { DecisionContext } from '../decisionContext.ts';
import { type ReadWith, type ResolvedStage, resolveStage } from '../decoded.ts';
import type { Facts } from '../types.ts';

export interface Run {
  /** Acts of stages that landed or may still land, this one apart. */
  readonly before: readonly Act[];
  /** Acts of every stage of the plan, in its order, after those of earlier plans of this run that landed. */
  readonly all: readonly Act[];
  /** Acts of stages that have not landed, this one among them, in the plan's order. */
  readonly pending: readonly Act[];
  /** Acts that are done when this stage lands, and with it: of landed stages, of those it waits for, its own. */
  readonly held: readonly Act[];
  /** Stages whose bytes name accounts that are not known, so that nothing can be said about them. */
  readonly unreadable: number;
  /** Stages of the plan that are not all read. */
  readonly unread: Facts['siblings'];
  /** Whether a stage of an earlier revision of the plan, which landed or may still land, is not all read. */
  readonly isUnreadBefore: boolean;
}

const LANDED: readonly StageStatus[] = ['confirmed', 'finalized'];
/** Stages without a signature that may still land. */
const UNSIGNED: readonly StageStatus[] = ['waiting', 'ready', 'skipped', 'expired', 'failed'];

/** The acts of a plan's stages. Pure. */
export function runOf(c: DecisionContext): Run {
  const { facts } = c;
  const read = (transaction: string) => actsAlone(transaction, c.given);
  const earlier = (facts.earlierStages ?? []).map((transaction) => ({ acts: read(transaction) }));
  const stages = facts.siblings.map(({ stage, status }) => ({
    stage,
    status,
    acts: stage.id === facts.stage.id ? c.acts : read(stage.transaction),
  }));
  const signed = stages.filter(
    ({ stage, status }) => stage.id !== facts.stage.id && !UNSIGNED.includes(status),
  );
  // A plan's stages stand behind those they wait for.
  const held = new Set([facts.stage.id]);
  for (const { stage, status } of stages.toReversed()) {
    if (LANDED.includes(status)) held.add(stage.id);
    if (held.has(stage.id)) for (const id of stage.dependsOn) held.add(id);
  }
  return {
    held: actsOf([...earlier, ...stages.filter(({ stage }) => held.has(stage.id))]),
    before: actsOf([...earlier, ...signed]),
    all: actsOf([...earlier, ...stages]),
    pending: actsOf(stages.filter(({ status }) => !LANDED.includes(status))),
    unreadable: [...earlier, ...stages].filter(({ acts }) => acts === undefined).length,
    unread: stages.filter(isUnread),
    isUnreadBefore: earlier.some(isUnread),
  };
}

/** What a stage does; `undefined` where an account is not known. */
interface Did {
  readonly acts: readonly Act[] | undefined;
}
const actsOf = (stages: readonly Did[]): readonly Act[] => stages.flatMap(({ acts }) => acts ?? []);
const isUnread = ({ acts }: Did): boolean =>
  acts === undefined || acts.some(({ act }) => act === 'unread' || act === 'named');

/** The acts of this stage alone, for what has nothing to do with the stages beside it. */
export const stageAlone = ({ acts }: DecisionContext): Run => {
  const mine = { all: acts, pending: acts, held: acts };
  return { ...mine, before: [], unreadable: 0, unread: [], isUnreadBefore: false };
};

/**
 * Whether a stage that is not all read may be the one with which leaves what may leave once: the first or the last such
 * stage of its kind, while no other may have been it, in this revision of the plan or an earlier one. One that landed was it
 * where the chain shows that it `isDone` (T76).
 */
export function mayBeIt(
  { facts }: DecisionContext,
  { unread, isUnreadBefore }: Run,
  kind: StageKind,
  at: 0 | -1,
  isDone: boolean,
): boolean {
  const same = unread.filter(({ stage }) => stage.kind === kind);
  const begun =
    isUnreadBefore ||
    same.some(
      ({ stage, status }) =>
        stage.id !== facts.stage.id && !UNSIGNED.includes(status) && (isDone || !LANDED.includes(status)),
    );
  return (same.at(at)?.stage.id ?? facts.stage.id) === facts.stage.id && !begun;
}

const alone = new WeakMap<ResolvedStage, readonly Act[]>();

/** What a stage's bytes do by themselves; `undefined` where an account is not known. Taken once. */
function actsAlone(transaction: string, given: ReadWith): readonly Act[] | undefined {
  try {
    const stage = resolveStage(transaction, given);
    const known = alone.get(stage);
    if (known !== undefined) return known;
    const acts = withActs(stage.readings, NO_VIEW).flatMap((each) => each.acts);
    alone.set(stage, acts);
    return acts;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return undefined;
  }
}
