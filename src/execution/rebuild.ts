/**
 * Repeats a plan's request to the service. The plan keeps its id and intent key; landed stages stay, and new stages
 * are decided anew (F20, F23).
 */
import type { Ledger } from '../ledger/types.ts';
import { CLAIM_ALL } from '../plan/claimAll.ts';
import { planFromAnswer } from '../plan/fromAnswer.ts';
import { sameButBlockhash } from '../plan/rebuild.ts';
import type { Plan } from '../plan/types.ts';
import { requestOpenClaims } from './claims.ts';
import type { ExecutionDeps } from './ports.ts';
import { requireToken } from './readback/readback.ts';
import { landedStages, type PlanSnapshot } from './status.ts';

export type Rebuilt =
  /** The service says that nothing is left to sign. */
  | { readonly outcome: 'nothing' }
  /** A newer run of the intent has begun. */
  | { readonly outcome: 'superseded' }
  /** The stored next revision. `progress` is false if every stage in it has already landed. */
  | { readonly outcome: 'plan'; readonly plan: Plan; readonly progress: boolean };

/**
 * Repeats the request and stores the next revision. Rejects with the service's error, or `PlanError` for an invalid
 * answer.
 */
export async function rebuildPlan(deps: ExecutionDeps, { plan, states }: PlanSnapshot): Promise<Rebuilt> {
  const { endpoint, fields } = plan.request;
  const landed = landedStages(states);
  // Landed claims are not requested again: the service has nothing left to build for them.
  const answer = await (endpoint === CLAIM_ALL
    ? requestOpenClaims(deps, plan, landed)
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
  // Another process stored a revision first, or a stage landed meanwhile: use the stored plan.
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

/** Clears the notes of replaced stages, which do not apply to the new ones. */
async function forgetMarks(ledger: Ledger, plan: Plan): Promise<void> {
  for (const { id } of plan.stages) await ledger.setPlanNote(plan.planId, { stageId: id });
}
