/**
 * `countersign plans [PLAN]`: what is known, in doubt and next, for a person. Reads only the ledger: no
 * network, no key, no server.
 */

import { resolve } from 'node:path';
import { readSnapshot, snapshotOf } from '../../landing/status.ts';
import { allFrozen } from '../../ledger/frozen.ts';
import type { Plan } from '../../plan/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command, CommandInput } from '../command.ts';
import { columnsFor } from '../layout.ts';
import { type History, limitOption, withHistory } from './history.ts';
import { archivedLines, planLines, planListLines } from './plans/page.ts';
import { type PlanSummary, summarize } from './plans/summary.ts';

const USUAL_LIMIT = 20;
const MOST_DECISIONS = 200;

export const plansCommand: Command = (input) =>
  withHistory(input, async (history) => {
    const [planId] = input.words;
    return planId === undefined ? list(input, history) : one(input, history, planId);
  });

async function list(input: CommandInput, { ledger }: History): Promise<number> {
  const { options, terminal } = input;
  const limit = limitOption(input, USUAL_LIMIT);
  const stored = await allPlans(limit, (at, size) => ledger.plans({ offset: at, limit: size }));
  // What is in doubt is shown however old it is.
  const open = new Set((await ledger.openRows({})).map((row) => row.planId));
  const plans: PlanSummary[] = [];
  for (const planId of new Set([...stored.map((plan) => plan.planId), ...open])) {
    const snapshot = await readSnapshot(ledger, planId, MOST_DECISIONS);
    if (snapshot !== undefined) plans.push(summarize(snapshot));
  }
  const next = await ledger.plans({ offset: limit, limit: 500 });
  const shown = {
    plans,
    more: next.some((plan) => !open.has(plan.planId)),
    archived: (await ledger.archivedPlans({})).length,
    frozen: await allFrozen(ledger),
  };
  if (options.json === true) terminal.print(JSON.stringify(shown));
  else for (const line of planListLines(shown, columnsFor(terminal.columns))) terminal.print(line);
  return 0;
}

/** The newest plans, page by page: a listing returns at most a few hundred at once. */
async function allPlans(limit: number, page: (at: number, size: number) => Promise<Plan[]>): Promise<Plan[]> {
  const plans: Plan[] = [];
  while (plans.length < limit) {
    const more = await page(plans.length, Math.min(200, limit - plans.length));
    if (more.length === 0) break;
    plans.push(...more);
  }
  return plans;
}

async function one(input: CommandInput, { ledger, archives }: History, planId: string): Promise<number> {
  const { options, terminal, home } = input;
  const columns = columnsFor(terminal.columns);
  const show = (value: object, lines: readonly string[]) => {
    if (options.json === true) terminal.print(JSON.stringify(value));
    else for (const line of lines) terminal.print(line);
  };
  const snapshot = await readSnapshot(ledger, planId, MOST_DECISIONS);
  if (snapshot !== undefined) {
    const summary = summarize(snapshot);
    show(summary, planLines(summary, columns));
    return 0;
  }
  const [archived] = await ledger.archivedPlans({ planId });
  if (archived === undefined) {
    throw new SetupError('No plan of this home has this id.', 'Run `countersign plans` to see them.');
  }
  const file = resolve(home, archived.file);
  const kept = await archives.plan(planId, MOST_DECISIONS);
  if (kept === undefined) {
    show({ archived }, archivedLines(archived, file, columns));
    terminal.tell('The archive file is missing, so nothing more can be shown.');
    return 1;
  }
  const summary = summarize(snapshotOf(kept));
  show({ ...summary, archived }, planLines(summary, columns));
  terminal.tell(`Archived in ${file}.`);
  return 0;
}
