/** The statement of a plan, as its owner was asked, else as the run stands; and its rehearsal, as it was recorded. */
import { runPartsOf } from '../../approval/run.ts';
import type { DecidedPlan, PlanSnapshot } from '../../execution/status.ts';
import { approvalOfRow } from '../../ledger/sqlite/approvals.ts';
import type { Ledger } from '../../ledger/types.ts';
import { inputsDigest } from '../../policy/decide/decisionInputs.ts';
import type { Decision } from '../../policy/decide/types.ts';
import type { RehearsalFact } from '../../rpc/types.ts';
import { statementOf } from '../../statement/aggregate.ts';
import { covers } from '../../statement/covers.ts';
import { runOf } from '../../statement/run.ts';
import type { Statement } from '../../statement/types.ts';

export interface Planned {
  readonly statement: Statement;
  /** The newest decision about each stage. */
  readonly decided: readonly Decision[];
}

/** Returns the statement of a plan; `undefined` where a stage that is not signed was denied or is not decided. */
export async function plannedOf(
  ledger: Pick<Ledger, 'signedStages'>,
  { plan, decisions, approvals }: Pick<DecidedPlan, 'plan' | 'decisions'> & Pick<PlanSnapshot, 'approvals'>,
): Promise<Planned | undefined> {
  const signed = await ledger.signedStages(plan.planId);
  const isSigned = (id: string) => signed.some(({ stageId }) => stageId === id);
  const required = plan.stages.filter(({ optional }) => !optional).map(({ id }) => id);
  const decided = [...new Set([...signed.map(({ stageId }) => stageId), ...required])].flatMap((id) => {
    const mine = decisions.filter(({ stageId }) => stageId === id).map(({ decision }) => decision);
    // What was signed was allowed, whatever was decided about its stage afterwards.
    const decision = isSigned(id) ? mine.find(({ statement }) => statement !== undefined) : mine[0];
    return decision === undefined ? [] : [{ id, decision }];
  });
  const [first] = decided;
  if (first === undefined) return undefined;
  const isStated = (id: string) =>
    isSigned(id) || decided.some((each) => each.id === id && each.decision.statement !== undefined);
  if (!required.every(isStated)) return undefined;
  const { policyHash } = decided.at(-1)?.decision ?? first.decision;
  const run = runOf(runPartsOf(plan, policyHash, decided), signed, 0);
  const asked = approvals
    .filter(({ state }) => state === 'pending' || state === 'approved')
    .map(approvalOfRow)
    .find((approval) => covers(approval, run).covered);
  return {
    statement: asked?.statement ?? statementOf(run),
    decided: decided.map(({ decision }) => decision),
  };
}

export type RehearsalDone = Extract<RehearsalFact, { status: 'done' }>;

/** Returns the rehearsal that the newest of these decisions knew; `undefined` where none ended well. */
export async function rehearsalOf(
  ledger: Pick<Ledger, 'decisions'>,
  decisions: DecidedPlan['decisions'],
): Promise<RehearsalDone | undefined> {
  const found = decisions.find(({ decision: { checks } }) =>
    checks.some(({ id, ok }) => id === 'rehearsed' && ok),
  );
  const inputs =
    found?.id === undefined
      ? undefined
      : (await ledger.decisions({ id: found.id, inputs: true }))[0]?.made?.inputs;
  // Facts that were put beside a decision since are not shown (T133).
  if (inputs === undefined || inputsDigest(inputs) !== found?.decision.inputsDigest) return undefined;
  return inputs.rehearsal?.status === 'done' ? inputs.rehearsal : undefined;
}
