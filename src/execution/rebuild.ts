/**
 * Asking the service for a plan again, with the same request. The plan keeps its id and intent key; what landed
 * stays, and what is new is decided anew (F20, F23).
 */
import type { Ledger } from '../ledger/types.ts';
import { CLAIM_ALL } from '../plan/claimAll.ts';
import { planFromAnswer } from '../plan/fromAnswer.ts';
import { sameButBlockhash } from '../plan/rebuild.ts';
import type { Plan } from '../plan/types.ts';
import { askedAgain } from './claims.ts';
import type { ExecutionDeps } from './ports.ts';
import { requireToken } from './readback/readback.ts';
import { landedStages, type PlanSnapshot } from './status.ts';

export type Rebuilt =
  /** The service says that nothing needs signing any more. */
  | { readonly outcome: 'nothing' }
  /** A newer run of the intent has begun. */
  | { readonly outcome: 'superseded' }
  /** The next revision, stored. `progress` is false when it asks for nothing that is not already landed. */
  | { readonly outcome: 'plan'; readonly plan: Plan; readonly progress: boolean };

/** Asks again and stores the next revision. Rejects with the service's error, or `PlanError` for a bad answer. */
export async function rebuildPlan(deps: ExecutionDeps, { plan, states }: PlanSnapshot): Promise<Rebuilt> {
  const { endpoint, fields } = plan.request;
  const landed = landedStages(states);
  // What was claimed is not asked for again: a service has nothing left to build of it.
  const answer = await (endpoint === CLAIM_ALL
    ? askedAgain(deps, plan, landed)
    : deps.service.call(endpoint, fields));
  const rebuilt = planFromAnswer({
    endpoint,
    request: fields,
    answer,
    mode: plan.mode,
    network: plan.network,
    wallet: plan.wallet,
    now: plan.createdAt,
    encoding: deps.encodingOf(endpoint),
    previous: { plan, landed },
  });
  if (rebuilt === null) return { outcome: 'nothing' };
  await requireToken(deps, rebuilt);
  const on = { planId: plan.planId, revision: plan.revision, complete: false };
  const { plan: newest, stored } = await deps.ledger.storePlan(rebuilt, { on });
  // Another process was first, or something landed while the service was asked: what is there now is looked at.
  if (!stored) {
    return newest.planId === plan.planId
      ? { outcome: 'plan', plan: newest, progress: newest.revision > plan.revision }
      : { outcome: 'superseded' };
  }
  await forgetMarks(deps.ledger, rebuilt);
  const progress = rebuilt.stages.some(
    (stage) =>
      !landed.has(stage.id) && !plan.stages.some((old) => sameButBlockhash(old, stage) && landed.has(old.id)),
  );
  return { outcome: 'plan', plan: rebuilt, progress };
}

/** What was noted about stages that were replaced says nothing about the new ones. */
async function forgetMarks(ledger: Ledger, plan: Plan): Promise<void> {
  for (const { id } of plan.stages) await ledger.setPlanNote(plan.planId, { stageId: id });
}
