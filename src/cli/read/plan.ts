/** A plan to read, with its records in this home. */
import { readSnapshot } from '../../execution/status.ts';
import { approvalOfRow } from '../../ledger/sqlite/approvals.ts';
import type { DecisionRecord, Ledger } from '../../ledger/types.ts';
import type { Plan, StageStatus } from '../../plan/types.ts';
import { inputsDigest } from '../../policy/decide/decisionInputs.ts';
import type { Decision, DecisionInputs } from '../../policy/decide/types.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { readApprovalView } from '../../presentation/question/readView.ts';
import type { ApprovalView } from '../../presentation/question/view.ts';
import { canHoldLedger } from '../../runtime/ledgerPlace.ts';
import type { Statement } from '../../statement/types.ts';
import type { CommandInput } from '../command.ts';
import { withHistory } from '../records/history.ts';
import { placeOf } from '../records/place.ts';

/** Maximum number of a plan's newest decisions. */
const MAX_DECISIONS = 200;

export interface Given {
  readonly plan: Plan;
  /** Whether there was a request. */
  readonly isRequested: boolean;
  readonly statuses: ReadonlyMap<string, StageStatus>;
  /** The newest decision about each stage, with its inputs. */
  readonly decided: readonly {
    readonly stageId: string;
    readonly decision: Decision;
    readonly inputs?: DecisionInputs;
  }[];
  /** The open or approved question. */
  readonly question?: ApprovalView;
  /** The question's statement; otherwise it is derived from the transactions. */
  readonly statement?: Statement;
  readonly notes: readonly string[];
}

/** Returns a requested plan without records. */
export const requestedPlan = (plan: Plan): Given => ({
  ...{ plan, isRequested: true, statuses: new Map(), decided: [], notes: [] },
});

/** Loads a plan of this home. Returns `undefined` for an unknown id. */
export async function planHere(
  input: CommandInput,
  planId: string,
  loaded: LoadedPolicy | undefined,
): Promise<Given | undefined> {
  if (!canHoldLedger(placeOf(input))) return undefined;
  const found: Given[] = [];
  await withHistory(input, async ({ ledger }) => {
    const held = await readSnapshot(ledger, planId, MAX_DECISIONS);
    if (held === undefined) return 0;
    const { plan, states, approvals, decisions } = held;
    const [open] = approvals
      .filter(({ state }) => state === 'pending' || state === 'approved')
      .toSorted((one, other) => other.createdAt - one.createdAt);
    const question = open && (await readApprovalView(ledger, open.id, loaded));
    const newest = plan.stages.flatMap(({ id }) => decisions.find(({ stageId }) => stageId === id) ?? []);
    found.push({
      ...requestedPlan(plan),
      statuses: new Map(states.map(({ stage, status }) => [stage.id, status])),
      decided: await Promise.all(newest.map((record) => decidedOf(ledger, record))),
      ...(open === undefined || question === undefined
        ? {}
        : { question, statement: approvalOfRow(open).statement }),
    });
    return 0;
  });
  return found[0];
}

/** Returns a decision with its inputs, unless they were changed since (T133). */
async function decidedOf(
  ledger: Pick<Ledger, 'rows'>,
  { id, stageId, decision }: DecisionRecord,
): Promise<Given['decided'][number]> {
  const inputs = (await ledger.rows('decisions', { id, inputs: true }))[0]?.made?.inputs;
  const isWhole = inputs !== undefined && inputsDigest(inputs) === decision.inputsDigest;
  return { stageId, decision, ...(isWhole ? { inputs } : {}) };
}
