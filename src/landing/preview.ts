/**
 * What the policy would say about each stage that has not landed, without reserving or signing anything. Advice:
 * every stage is decided again right before it is signed.
 */
import { type Decided, decideStage } from './deciding/decide.ts';
import type { LandingDeps } from './ports.ts';
import { isInFlight, isLanded, type PlanSnapshot } from './status.ts';

/** Decides every stage that still has to be signed, in the plan's order. Stores nothing. */
export async function decideOpenStages(
  deps: LandingDeps,
  { plan, states }: PlanSnapshot,
): Promise<Decided[]> {
  const open = states.filter(({ status }) => !isLanded(status) && !isInFlight(status));
  return Promise.all(open.map(({ stage }) => decideStage(deps, plan, states, stage.id, 'preview')));
}

/** The same, and records each decision. */
export async function preview(deps: LandingDeps, snapshot: PlanSnapshot): Promise<Decided[]> {
  const decided = await decideOpenStages(deps, snapshot);
  for (const { input } of decided) await deps.ledger.recordDecision(input);
  return decided;
}
