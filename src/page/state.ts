/** Reads the data of the pages from the ledger. */

import { closedBy } from '../answering/closedQuestion.ts';
import { readSnapshot } from '../execution/status.ts';
import { allFrozen, frozenFor } from '../ledger/frozen.ts';
import type { Ledger } from '../ledger/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import type { PlanView } from '../presentation/planPort.ts';
import { pendingViews, readApprovalView } from '../presentation/question/readView.ts';
import type { ApprovalView } from '../presentation/question/view.ts';
import { type Ending, endingOf } from '../presentation/questionOutcome.ts';
import { planView } from '../presentation/view.ts';

const OF_ONE_PLAN = 200;

export interface HomeState {
  readonly now: number;
  readonly frozen: Awaited<ReturnType<typeof allFrozen>>;
  readonly unfreezeNeedsOwner: boolean;
  readonly pending: readonly ApprovalView[];
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
  return {
    now: await ledger.time(),
    frozen: await allFrozen(ledger),
    unfreezeNeedsOwner,
    pending: await pendingViews(ledger, policy),
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
  const known = row && (await readSnapshot(ledger, row.planId, OF_ONE_PLAN));
  if (row === undefined || approval === undefined || known === undefined) return undefined;
  const plan = planView(known);
  const ending = endingOf({
    row,
    closed: row.state === 'pending' ? await closedBy(ledger, row) : undefined,
    frozen: (await frozenFor(ledger, known.plan.principal)) !== undefined,
    plan,
    planNote: known.planNote,
  });
  return {
    now: await ledger.time(),
    needsOwner: known.plan.mode !== 'sandbox',
    approval,
    plan,
    ending,
  };
}
