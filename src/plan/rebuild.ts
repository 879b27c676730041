/**
 * Rebuilt plans. Landed stages are kept and never signed again; new stages get ids of their own.
 */

import { equal } from '../transaction/read.ts';
import { messageWithoutBlockhash } from '../transaction/signatures.ts';
import type { Plan, Stage } from './types.ts';

/** The plan being rebuilt, with the ids of its landed stages. */
export interface PreviousPlan {
  readonly plan: Plan;
  readonly landed: ReadonlySet<string>;
}

/** Whether two stages have the same message except for the blockhash. Invalid transactions are equal if their text is. */
export function sameButBlockhash(a: Stage, b: Stage): boolean {
  try {
    return a.transaction.text === b.transaction.text || equal(zeroed(a), zeroed(b));
  } catch {
    return false;
  }
}

const zeroed = ({ transaction }: Stage): Uint8Array => messageWithoutBlockhash(transaction.read());

/**
 * Returns the stages of the next revision: landed stages, then those of the new answer. A rebuilt stage that differs from an
 * earlier one only in its blockhash keeps that stage's id, at any position: a lagging service may return landed stages
 * again (F21), and claims are renumbered when only the open ones are returned. Other stages with a used id get a new one.
 */
export function mergeRebuilt(previous: PreviousPlan, rebuilt: readonly Stage[]): Stage[] {
  const kept = previous.plan.stages.filter((stage) => previous.landed.has(stage.id));
  const revision = previous.plan.revision + 1;
  const names = new Map<string, string>();
  const taken = new Set(previous.landed);
  for (const stage of rebuilt) {
    const same = previous.plan.stages.find(
      (old) =>
        (previous.landed.has(old.id) || !taken.has(old.id)) &&
        old.kind === stage.kind &&
        sameButBlockhash(old, stage),
    );
    if (same === undefined) continue;
    names.set(stage.id, same.id);
    taken.add(same.id);
  }
  for (const { id } of rebuilt) {
    if (!names.has(id)) names.set(id, taken.has(id) ? `${id}#r${revision}` : id);
  }
  const renamed = (id: string) => names.get(id) ?? id;
  return [
    ...kept,
    ...rebuilt
      .map((stage) => ({ ...stage, id: renamed(stage.id), dependsOn: stage.dependsOn.map(renamed) }))
      .filter(({ id }) => !previous.landed.has(id)),
  ];
}
