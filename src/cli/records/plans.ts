/**
 * `countersign plans [PLAN]`: known facts, doubts and next steps of plans. Reads only the ledger: no network, key or
 * server.
 */

import { readSnapshot } from '../../execution/status.ts';
import { allFrozen } from '../../ledger/frozen.ts';
import type { Plan } from '../../plan/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command, CommandInput } from '../command.ts';
import { columnsFor } from '../layout.ts';
import { type History, limitOption, withHistory } from './history.ts';
import { planLines, planListLines } from './plans/planLines.ts';
import { type PlanSummary, summarize } from './plans/summary.ts';

const USUAL_LIMIT = 20;
const MAX_DECISIONS = 200;

export const plansCommand: Command = (input) =>
  withHistory(input, async (history) => {
    const [planId] = input.words;
    return planId === undefined ? list(input, history) : one(input, history, planId);
  });

async function list(input: CommandInput, { ledger }: History): Promise<number> {
  const { options, terminal } = input;
  const limit = limitOption(input, USUAL_LIMIT);
  const stored = await allPlans(limit, (at, size) => ledger.rows('plans', { offset: at, limit: size }));
  // What is in doubt is shown however old it is.
  const open = new Set((await ledger.rows('journal', { open: true })).map((row) => row.planId));
  const plans: PlanSummary[] = [];
  for (const planId of new Set([...stored.map((plan) => plan.planId), ...open])) {
    const snapshot = await readSnapshot(ledger, planId, MAX_DECISIONS);
    if (snapshot !== undefined) plans.push(summarize(snapshot));
  }
  const next = await ledger.rows('plans', { offset: limit, limit: 500 });
  const shown = {
    plans,
    more: next.some((plan) => !open.has(plan.planId)),
    frozen: await allFrozen(ledger),
  };
  if (options.json === true) terminal.print(JSON.stringify(shown));
  else for (const line of planListLines(shown, columnsFor(terminal.columns))) terminal.print(line);
  return 0;
}

/** Returns the newest plans, page by page: one read returns at most a few hundred. */
async function allPlans(limit: number, page: (at: number, size: number) => Promise<Plan[]>): Promise<Plan[]> {
  const plans: Plan[] = [];
  while (plans.length < limit) {
    const more = await page(plans.length, Math.min(200, limit - plans.length));
    if (more.length === 0) break;
    plans.push(...more);
  }
  return plans;
}

async function one(input: CommandInput, { ledger }: History, planId: string): Promise<number> {
  const { options, terminal } = input;
  const snapshot = await readSnapshot(ledger, planId, MAX_DECISIONS);
  if (snapshot === undefined) {
    throw new SetupError('No plan in this home has this id.', 'Run `countersign plans` to see them.');
  }
  const summary = summarize(snapshot);
  if (options.json === true) terminal.print(JSON.stringify(summary));
  else for (const line of planLines(summary, columnsFor(terminal.columns))) terminal.print(line);
  return 0;
}
