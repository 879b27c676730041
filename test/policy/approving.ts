/** Approvals of decided stages, with the coverage check the ledger makes before it reserves. */
import { runPartsOf } from '../../src/approval/run.ts';
import type { Plan } from '../../src/plan/types.ts';
import { decide } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs, LedgerView } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import { type RunParts, runOf, type SignedStage } from '../../src/statement/run.ts';
import type { Approval, Line, Verdict } from '../../src/statement/types.ts';
import { NOTHING_USED } from './people.ts';

const FAR = Number.MAX_SAFE_INTEGER;

/** A plan with the stage of some inputs alone. */
const planOf = ({ plan, stage }: DecisionInputs): Plan => ({
  ...plan,
  revision: 0,
  request: { endpoint: plan.endpoint, fields: plan.request, digest: '' },
  stages: [stage],
  createdAt: 0,
});

const partsOf = (inputs: DecisionInputs, policy: LoadedPolicy, stageId?: string): RunParts =>
  runPartsOf(
    planOf(inputs),
    policy.hash,
    [{ id: inputs.stage.id, decision: decide(inputs, policy, NOTHING_USED) }],
    stageId,
  );

/** The owner's approval of one stage, after others of its run. */
export const approvalOfStage = (
  inputs: DecisionInputs,
  policy: LoadedPolicy,
  signed: readonly SignedStage[] = [],
): Approval => approvalOf(runOf(partsOf(inputs, policy), signed, 0), FAR, []);

/** An approval with each line changed, or dropped if `change` returns nothing. */
export const withLines = (approval: Approval, change: (line: Line) => Line | undefined): Approval => ({
  ...approval,
  statement: { version: 1, lines: approval.statement.lines.flatMap((line) => change(line) ?? []) },
});

/** Returns whether an approval covers a stage about to be signed, after others of its run. */
export const coverage = (
  approval: Approval,
  inputs: DecisionInputs,
  policy: LoadedPolicy,
  signed: readonly SignedStage[] = [],
): Verdict => covers(approval, runOf(partsOf(inputs, policy, inputs.stage.id), signed, 0));

/** The ledger's view of a stage whose run has an approval. */
export const approvedView = (
  { messageSha256 }: Decision,
  { time }: Pick<DecisionInputs, 'time'>,
): LedgerView => ({ ...NOTHING_USED, approval: { id: 'approval-1', messageSha256, expiresAt: time + 1 } });
