/**
 * The order of a plan's stages. A plan is a graph of at most a few dozen stages; no stage of a
 * plan that names unknown stages, repeats an id or has a cycle may be signed (F22).
 */
import { PlanError } from './errors.ts';

/** As much of a stage as its order needs. */
export interface Node {
  readonly id: string;
  readonly dependsOn: readonly string[];
}

/**
 * Stages in an order in which each follows what it depends on; stages that are free keep their given order.
 * `landed` are ids outside this list that may be depended on (stages of an earlier revision that landed).
 * Throws `PlanError` for a duplicate id, an unknown dependency or a cycle.
 */
export function ordered<T extends Node>(stages: readonly T[], landed: ReadonlySet<string> = new Set()): T[] {
  const ids = new Set<string>();
  for (const { id } of stages) {
    if (ids.has(id)) throw new PlanError('Two stages of the plan have the same id.');
    ids.add(id);
  }
  for (const { dependsOn } of stages) {
    if (dependsOn.some((id) => !ids.has(id) && !landed.has(id))) {
      throw new PlanError('A stage of the plan depends on a stage that does not exist.');
    }
  }
  const done = new Set(landed);
  for (const id of ids) done.delete(id);
  const result: T[] = [];
  let rest = [...stages];
  while (rest.length > 0) {
    const next = rest.find((stage) => stage.dependsOn.every((id) => done.has(id)));
    if (next === undefined) throw new PlanError('The stages of the plan depend on each other in a circle.');
    done.add(next.id);
    result.push(next);
    rest = rest.filter((stage) => stage !== next);
  }
  return result;
}
