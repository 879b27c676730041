/**
 * A plan asked for again. What already landed stays as it was and is never signed a second time; what is new
 * joins it under an id of its own.
 */

import { equal } from '../transaction/read.ts';
import { messageWithoutBlockhash } from '../transaction/signatures.ts';
import type { Plan, Stage } from './types.ts';

/** The plan being rebuilt, and which of its stages have landed. */
export interface PreviousPlan {
  readonly plan: Plan;
  readonly landed: ReadonlySet<string>;
}

/** Whether two stages carry the same message apart from the blockhash. Unreadable bytes equal only themselves. */
export function sameButBlockhash(a: Stage, b: Stage): boolean {
  try {
    return a.transaction.text === b.transaction.text || equal(zeroed(a), zeroed(b));
  } catch {
    return false;
  }
}

const zeroed = ({ transaction }: Stage): Uint8Array => messageWithoutBlockhash(transaction.read());

/**
 * The stages of the next revision: every stage that landed, then what the new answer adds. A rebuilt stage that only
 * differs in its blockhash from an earlier one is that stage and has its id, wherever in the answer it stands: a lagging
 * service asks again for what landed (F21), and of claims that are numbered by their place only the open ones come again.
 * Another one whose id is in use gets a new id.
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
