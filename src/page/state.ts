/** Reads the data of the pages from the ledger. */

import { closedBy } from '../answering/closedQuestion.ts';
import { readSnapshot } from '../execution/status.ts';
import { allFrozen, frozenFor } from '../ledger/frozen.ts';
import type { DecisionRecord, Ledger, PlanNote } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import type { PlanView } from '../presentation/planPort.ts';
import { pendingViews, readApprovalView } from '../presentation/question/readView.ts';
import type { ApprovalView } from '../presentation/question/view.ts';
import { type Ending, endingOf } from '../presentation/questionOutcome.ts';
import { planView } from '../presentation/view.ts';

const PLANS = 8;
const DECISIONS = 12;
const OF_ONE_PLAN = 200;

/** A plan in the activity list. */
export interface Activity {
  readonly plan: Plan;
  readonly view: PlanView;
}

export interface HomeState {
  readonly now: number;
  readonly frozen: { readonly since: number; readonly reason: string } | undefined;
  readonly unfreezeNeedsOwner: boolean;
  readonly pending: readonly ApprovalView[];
  readonly activity: readonly Activity[];
  readonly decisions: readonly DecisionRecord[];
}

/** A question and the current status of its plan. */
export interface QuestionState {
  readonly now: number;
  readonly needsOwner: boolean;
  readonly approval: ApprovalView;
  readonly plan: PlanView;
  /** State or outcome of the question. */
  readonly ending: Ending;
}

export async function readHome(
  ledger: Ledger,
  policy: LoadedPolicy | undefined,
  unfreezeNeedsOwner: boolean,
): Promise<HomeState> {
  const plans = await ledger.rows('plans', { limit: PLANS });
  return {
    now: await ledger.time(),
    frozen: await allFrozen(ledger),
    unfreezeNeedsOwner,
    pending: await pendingViews(ledger, policy),
    activity: (await Promise.all(plans.map(({ planId }) => planNow(ledger, planId)))).flatMap(
      (known) => known ?? [],
    ),
    decisions: await ledger.rows('decisions', { limit: DECISIONS }),
  };
}

/** Returns `undefined` if no question has this id. */
export async function readQuestion(
  ledger: Ledger,
  id: string,
  policy: LoadedPolicy | undefined,
): Promise<QuestionState | undefined> {
  const [row] = await ledger.rows('approvals', { id });
  const approval = row && (await readApprovalView(ledger, id, policy));
  const known = row && (await planNow(ledger, row.planId));
  if (row === undefined || approval === undefined || known === undefined) return undefined;
  const ending = endingOf({
    row,
    closed: row.state === 'pending' ? await closedBy(ledger, row) : undefined,
    frozen: (await frozenFor(ledger, known.plan.principal)) !== undefined,
    plan: known.view,
    planNote: known.planNote,
  });
  return {
    now: await ledger.time(),
    needsOwner: known.plan.mode !== 'sandbox',
    approval,
    plan: known.view,
    ending,
  };
}

async function planNow(
  ledger: Ledger,
  planId: string,
): Promise<(Activity & { readonly planNote: PlanNote | undefined }) | undefined> {
  const snapshot = await readSnapshot(ledger, planId, OF_ONE_PLAN);
  return snapshot && { plan: snapshot.plan, view: planView(snapshot), planNote: snapshot.planNote };
}
