/**
 * What a plan does altogether: the acts of stages that landed or may still land, of this stage, and of those to come.
 * What an operation may do once, it may do once in all of them together.
 */
import type { StageKind, StageStatus } from '../../../plan/types.ts';
import type { Act } from '../../../programs/acts.ts';
import { withActs } from '../../../programs/read.ts';
import { NO_VIEW } from '../../../programs/view.ts';
import type { LookupTableFact } from '../../../rpc/types.ts';
import { TransactionError } from '../../../transaction/errors.ts';
import type { Address } from '../../../transaction/types.ts';
import { plannedTables } from '../checks/tables.ts';
import type { DecisionContext } from '../decisionContext.ts';
import { type ResolvedStage, resolveStage } from '../decoded.ts';
import type { Facts } from '../types.ts';

export interface Run {
  /** Acts of stages that landed or may still land, this one apart. */
  readonly before: readonly Act[];
  /** Acts of every stage of the plan, in its order, after those of earlier plans of this run that landed. */
  readonly all: readonly Act[];
  /** Acts of stages that have not landed, this one among them, in the plan's order. */
  readonly pending: readonly Act[];
  /** Stages whose bytes name accounts that are not known, so that nothing can be said about them. */
  readonly unreadable: number;
  /** Stages of the plan that are not all read. */
  readonly unread: Facts['siblings'];
}

const LANDED: readonly StageStatus[] = ['confirmed', 'finalized'];
/** Stages without a signature that may still land. */
const UNSIGNED: readonly StageStatus[] = ['waiting', 'ready', 'skipped', 'expired', 'failed'];

/** The acts of a plan's stages. Pure. */
export function runOf(c: DecisionContext): Run {
  const { facts } = c;
  const own = c.readings.flatMap(({ acts }) => acts);
  const tables = tablesOf(facts);
  const read = (transaction: string) => actsAlone(transaction, tables, c.switchedOff);
  const stages = facts.siblings.map(({ stage, status }) => ({
    stage,
    status,
    acts: stage.id === facts.stage.id ? own : read(stage.transaction),
  }));
  const [before, all, pending]: [Act[], Act[], Act[]] = [[], [], []];
  let unreadable = 0;
  const unread = stages.filter(
    ({ acts }) => acts === undefined || acts.some(({ act }) => act === 'unread' || act === 'named'),
  );
  for (const transaction of facts.earlierStages ?? []) {
    const acts = read(transaction);
    if (acts === undefined) unreadable += 1;
    else {
      before.push(...acts);
      all.push(...acts);
    }
  }
  for (const { stage, status, acts } of stages) {
    if (acts === undefined) unreadable += 1;
    else {
      all.push(...acts);
      if (!LANDED.includes(status)) pending.push(...acts);
      if (stage.id !== facts.stage.id && !UNSIGNED.includes(status)) before.push(...acts);
    }
  }
  return { before, all, pending, unreadable, unread };
}

/** The acts of this stage alone, for what has nothing to do with the stages beside it. */
export const stageAlone = ({ readings }: DecisionContext): Run => {
  const own = readings.flatMap(({ acts }) => acts);
  return { before: [], all: own, pending: own, unreadable: 0, unread: [] };
};

/**
 * Whether a stage that is not all read may be the one with which leaves what may leave once: the first or the last such
 * stage of its kind, while no other may have been it. One that landed was it where the chain shows that it `isDone` (T76).
 */
export function mayBeIt(
  { facts }: DecisionContext,
  { unread }: Run,
  kind: StageKind,
  at: 0 | -1,
  isDone: boolean,
): boolean {
  const same = unread.filter(({ stage }) => stage.kind === kind);
  const begun = same.some(
    ({ stage, status }) =>
      stage.id !== facts.stage.id && !UNSIGNED.includes(status) && (isDone || !LANDED.includes(status)),
  );
  return (same.at(at)?.stage.id ?? facts.stage.id) === facts.stage.id && !begun;
}

/** The tables known to these facts, and those the plan makes itself. */
function tablesOf(facts: Facts): readonly LookupTableFact[] {
  const known = new Set(facts.tables.map(({ table }) => table));
  const planned = [...plannedTables(facts)].flatMap(([table, addresses]): LookupTableFact[] =>
    known.has(table)
      ? []
      : [{ table, addresses, dataSha256: '', slot: 0, lastExtendedSlot: 0, source: 'setup' }],
  );
  return [...facts.tables, ...planned];
}

const alone = new WeakMap<ResolvedStage, readonly Act[]>();

/** What a stage's bytes do by themselves; `undefined` where an account is not known. Taken once. */
function actsAlone(
  transaction: string,
  tables: readonly LookupTableFact[],
  off: ReadonlySet<Address>,
): readonly Act[] | undefined {
  try {
    const stage = resolveStage(transaction, tables, off);
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
