/**
 * Waits for an approval given in another process: `countersign approve` writes it to the ledger, and the process that
 * asked reads it there.
 */
import { answerOf, waitFor } from '../../ledger/wakes.ts';
import type { ExecutionDeps, Timing } from '../ports.ts';
import { readSnapshot } from '../status.ts';

/** Poll this much less often when the ledger pushes notifications. */
const NOTIFIED_FACTOR = 10;

/**
 * Waits until the open question of a plan is approved and returns its id. Returns `undefined` when the plan has no
 * question, or the question was denied or has expired. Whether the approval is valid is decided when the plan
 * continues. Rejects when `signal` aborts.
 */
export async function waitForApproval(
  { ledger, clock }: Pick<ExecutionDeps, 'ledger' | 'clock'>,
  { answerMs }: Pick<Timing, 'answerMs'>,
  planId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const wait = waitFor(ledger, answerOf(planId));
    const { planNote, approvals = [] } = (await readSnapshot(ledger, planId)) ?? {};
    if (planNote?.status !== 'approval_required' || planNote.ref === undefined) return undefined;
    const question = approvals.find(({ id }) => id === planNote.ref);
    if (question?.state !== 'pending') return question?.state === 'approved' ? question.id : undefined;
    await wait(clock, { pollMs: answerMs, notifiedMs: NOTIFIED_FACTOR * answerMs }, signal);
  }
}
