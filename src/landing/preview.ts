/** What the policy would say about each stage that is not signed, recorded and without reserving or signing anything. */
import { type Decided, decideOpenStages } from './deciding/decide.ts';
import type { LandingDeps } from './ports.ts';
import type { PlanSnapshot } from './status.ts';

/** Decides every open stage, and records each decision. */
export async function preview(deps: LandingDeps, snapshot: PlanSnapshot): Promise<Decided[]> {
  const decided = await decideOpenStages(deps, snapshot);
  for (const { input } of decided) await deps.ledger.recordDecision(input);
  return decided;
}
