/**
 * Optional stages: closing a lookup table refunds its rent, some time after the other stages. A plan is complete
 * without them; an impossible one is noted as skipped, never as a failure (F28).
 */

import { readInstruction } from '../../programs/read.ts';
import { resolveInstructions } from '../../transaction/accounts.ts';
import type { ExecutionDeps } from '../ports.ts';
import { type PlanSnapshot, readSnapshot } from '../status.ts';
import { nextClosing } from './next.ts';
import type { RunEvents } from './runner.ts';
import { runStage, type Work } from './stage.ts';

/** Returns the next optional stage of a stored plan, as decided by `nextClosing`. */
export async function nextOptional(
  { ledger }: Pick<ExecutionDeps, 'ledger'>,
  planId: string,
): Promise<ReturnType<typeof nextClosing>> {
  const snapshot = await readSnapshot(ledger, planId);
  return snapshot && nextClosing(snapshot);
}

/** Runs one optional stage. Errors are noted and do not change the plan's outcome. */
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
  // If the RPC is unavailable or the table cannot be closed yet, the next submit tries again, unless the table is
  // already gone.
  const availability = outcome === 'denied' && result.decision.class === 'availability';
  if (availability && !(await isTableGone(work, snapshot, stageId))) return;
  await ledger.setPlanNote(planId, {
    stageId,
    status: 'skipped',
    code: 'OPTIONAL_LOST',
    note: 'This optional stage could not be done; the plan is complete without it.',
  });
}

/** Returns whether the table of a closing stage is no longer on chain. */
async function isTableGone({ deps }: Work, { states }: PlanSnapshot, stageId: string): Promise<boolean> {
  const transaction = states.find((state) => state.stage.id === stageId)?.stage.transaction.decoded;
  if (transaction === undefined) return false;
  const tables = resolveInstructions(transaction, []).flatMap((each) => {
    const { instruction } = readInstruction(each);
    return instruction?.kind === 'lookupTable.close' ? [instruction.accounts.table.address] : [];
  });
  if (tables.length === 0) return false;
  const seen = await deps.chain.accounts(tables, 'confirmed').catch(() => undefined);
  return seen?.value.every(({ exists }) => !exists) ?? false;
}
