/**
 * Optional stages: closing a lookup table gives its rent back, some time after everything else is done. A plan is
 * complete without them; one that cannot be done any more is noted as lost, never as a failure (F28).
 */

import { decodeInstruction } from '../../programs/instructions.ts';
import { resolveInstructions } from '../../transaction/accounts.ts';
import type { ExecutionDeps } from '../ports.ts';
import { type PlanSnapshot, readSnapshot } from '../status.ts';
import { nextClosing } from './next.ts';
import type { RunEvents } from './runner.ts';
import { runStage, type Work } from './stage.ts';

/** The next optional stage of a stored plan, as `nextClosing` says. */
export async function nextOptional(
  { ledger }: Pick<ExecutionDeps, 'ledger'>,
  planId: string,
): Promise<ReturnType<typeof nextClosing>> {
  const snapshot = await readSnapshot(ledger, planId);
  return snapshot && nextClosing(snapshot);
}

/** Runs one optional stage. An error is noted and does not change the plan's outcome. */
export async function runOptional(
  work: Work,
  planId: string,
  stageId: string,
  events: RunEvents,
): Promise<void> {
  const { ledger } = work.deps;
  const snapshot = await readSnapshot(ledger, planId);
  if (snapshot === undefined) return;
  const result = await runStage(work, snapshot, stageId);
  const { outcome } = result;
  if (outcome === 'landed' || outcome === 'failed') void events.landed(result.row);
  if (['landed', 'stopped', 'unknown', 'effect'].includes(outcome)) return;
  // When the RPC cannot be asked, or the table cannot be closed yet, nothing is lost: the next submit tries again,
  // unless there is nothing left to close.
  const availability = outcome === 'denied' && result.decision.class === 'availability';
  if (availability && !(await isTableGone(work, snapshot, stageId))) return;
  await ledger.setPlanNote(planId, {
    stageId,
    status: 'skipped',
    code: 'OPTIONAL_LOST',
    note: 'This optional stage could not be done; the plan is complete without it.',
  });
}

/** Whether the table a stage closes is not on the chain any more, because it was closed before. */
async function isTableGone({ deps }: Work, { states }: PlanSnapshot, stageId: string): Promise<boolean> {
  const transaction = states.find((state) => state.stage.id === stageId)?.stage.transaction.decoded;
  if (transaction === undefined) return false;
  const tables = resolveInstructions(transaction, []).flatMap((each) => {
    const instruction = decodeInstruction(each);
    return instruction.kind === 'lookupTable.close' ? [instruction.accounts.table.address] : [];
  });
  if (tables.length === 0) return false;
  const seen = await deps.chain.accounts(tables, 'confirmed').catch(() => undefined);
  return seen?.value.every(({ exists }) => !exists) ?? false;
}
