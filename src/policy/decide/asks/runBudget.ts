/**
 * Budgets of a run: the number of transactions and lookup tables that a request justifies, over all builds of its plan.
 * Signed stages that may have landed, the current stage and planned stages all count.
 */
import type { Checklist } from '../checklist.ts';
import { plannedTables } from '../checks/tables.ts';
import { maxEntries, maxStages } from '../operations/deposits.ts';
import type { DecisionInputs } from '../types.ts';
import type { CheckId } from '../words/names.ts';

/** The second table is for a rebuild after the first table landed but expired unused. */
const MAX_TABLES = 2;

/** Asks if the run has more transactions, more tables or a larger table than its request justifies (T175). */
export function askAboutRun(inputs: DecisionInputs, list: Checklist): void {
  const { siblings, earlierStages = [] } = inputs;
  const tables = [...plannedTables({ siblings, earlierSetups: earlierStages }).values()];
  const over = (id: CheckId, observed: number, allowed: number) => {
    if (observed > allowed)
      list.ask('RUN_OVER_BUDGET', id, { observed: `${observed}`, allowed: `${allowed} at most` });
  };
  over('planStages', siblings.length + earlierStages.length, maxStages(inputs.plan));
  over('planTables', tables.length, MAX_TABLES);
  over('tableSize', Math.max(0, ...tables.map(({ length }) => length)), maxEntries(inputs));
}
