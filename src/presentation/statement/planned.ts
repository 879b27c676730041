/** Reads the statement of a plan, from its latest question or its current run, and its recorded rehearsal. */
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

/** Returns the statement of a plan; `undefined` if an unsigned stage was denied or is undecided. */
export async function plannedOf(
  ledger: Pick<Ledger, 'rows'>,
  { plan, decisions, approvals }: Pick<DecidedPlan, 'plan' | 'decisions'> & Pick<PlanSnapshot, 'approvals'>,
): Promise<Planned | undefined> {
  const signed = await ledger.rows('signedStages', { planId: plan.planId });
  const isSigned = (id: string) => signed.some(({ stageId }) => stageId === id);
  const required = plan.stages.filter(({ optional }) => !optional).map(({ id }) => id);
  const decided = [...new Set([...signed.map(({ stageId }) => stageId), ...required])].flatMap((id) => {
    const mine = decisions.filter(({ stageId }) => stageId === id).map(({ decision }) => decision);
    // A signed stage was allowed, whatever was decided about it afterwards.
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
  const question = approvals
    .filter(({ state }) => state === 'pending' || state === 'approved')
    .map(approvalOfRow)
    .find((approval) => covers(approval, run).covered);
  return {
    statement: question?.statement ?? statementOf(run),
    decided: decided.map(({ decision }) => decision),
  };
}

export type RehearsalDone = Extract<RehearsalFact, { status: 'done' }>;

/** Returns the successful rehearsal known to the newest of these decisions; `undefined` if there is none. */
export async function rehearsalOf(
  ledger: Pick<Ledger, 'rows'>,
  decisions: DecidedPlan['decisions'],
): Promise<RehearsalDone | undefined> {
  const found = decisions.find(({ decision: { checks } }) =>
    checks.some(({ id, ok }) => id === 'rehearsed' && ok),
  );
  const inputs =
    found?.id === undefined
      ? undefined
      : (await ledger.rows('decisions', { id: found.id, inputs: true }))[0]?.made?.inputs;
  // Facts that were put beside a decision since are not shown (T133).
  if (inputs === undefined || inputsDigest(inputs) !== found?.decision.inputsDigest) return undefined;
  return inputs.rehearsal?.status === 'done' ? inputs.rehearsal : undefined;
}
