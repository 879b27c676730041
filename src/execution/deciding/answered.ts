/**
 * Waiting for a person whose answer comes from outside of this process: `countersign approve` writes it to the ledger,
 * and the process that asked reads it there.
 */
import { answerOf, waitFor } from '../../ledger/wakes.ts';
import type { ExecutionDeps, Timing } from '../ports.ts';
import { readSnapshot } from '../status.ts';

/** So many times as seldom it is looked where the ledger says when there is an answer. */
const TOLD = 10;

/**
 * The question a plan waits for, once it was approved; `undefined` when there is none, or it cannot be approved any
 * more. Whether the approval counts is decided when the plan goes on. Rejects when `signal` aborts.
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
    await wait(clock, { untold: answerMs, told: TOLD * answerMs }, signal);
  }
}
