/**
 * Budgets of a run: the transactions and lookup tables that a request explains, counted over every build of its plan. What
 * was signed and may have landed, what is decided now and what is still to come count together, whatever the rule allows.
 */
import type { Checklist } from '../checklist.ts';
import { plannedTables } from '../checks/tables.ts';
import { mostEntries, mostStages } from '../operations/deposits.ts';
import type { DecisionInputs } from '../types.ts';
import type { CheckId } from '../words/names.ts';

/** A second table is for a build whose first one landed and expired before its use. */
const MAX_TABLES = 2;

/** Asks where the run has more transactions or tables, or a larger table, than its request explains (T175). */
export function askAboutRun(inputs: DecisionInputs, list: Checklist): void {
  const { siblings, earlierStages = [] } = inputs;
  const tables = [...plannedTables({ siblings, earlierSetups: earlierStages }).values()];
  const over = (id: CheckId, observed: number, allowed: number) => {
    if (observed > allowed)
      list.ask('RUN_OVER_BUDGET', id, { observed: `${observed}`, allowed: `${allowed} at most` });
  };
  over('planStages', siblings.length + earlierStages.length, mostStages(inputs.plan));
  over('planTables', tables.length, MAX_TABLES);
  over('tableSize', Math.max(0, ...tables.map(({ length }) => length)), mostEntries(inputs));
}
