/** Judges a failed guard by the wallet's balances right before the transaction, once the failure is final. */
import { failedByGuard, movedBefore } from '../../ledger/plans/guarded.ts';
import type { JournalRow } from '../../ledger/types.ts';
import type { Decision, DecisionInputs } from '../../policy/decide/types.ts';
import { tokenAccountOf } from '../../programs/token/accounts.ts';
import type { LandedTransaction } from '../../rpc/types.ts';
import { deny } from '../deciding/denied.ts';
import type { ExecutionDeps } from '../ports.ts';

/**
 * Returns whether the wallet held less than the bounds assume: another transaction changed its balances in between.
 */
function isMoved({ accounts, guards, plan: { wallet } }: DecisionInputs, landed: LandedTransaction): boolean {
  const tokens = new Map(landed.tokensBefore.map(({ account, amount }) => [account, amount]));
  return [...accounts, ...(guards?.second ?? [])].some((fact) => {
    const state = tokenAccountOf(fact);
    const lamports = landed.lamportsBefore[landed.accounts.indexOf(fact.address)];
    if (lamports === undefined || (fact.address !== wallet && state?.owner !== wallet)) return false;
    const held = state === undefined ? 0n : (tokens.get(fact.address) ?? -1n);
    return lamports < BigInt(fact.lamports) || held < (state?.amount ?? 0n);
  });
}

/**
 * Returns the chain's error for the journal. If a guard failed although the wallet's balances were unchanged, the
 * transaction exceeded its allowed effect: this is recorded as a security denial and counts toward a freeze (T199).
 * Returns `undefined` for the signature of another principal, who judges it.
 */
export async function judgedError(
  deps: ExecutionDeps,
  row: JournalRow,
  error: string,
  landed: LandedTransaction,
): Promise<string | undefined> {
  const { ledger } = deps;
  if (!failedByGuard({ ...row, state: 'failed', detail: error })) return error;
  const [decided] = await ledger.rows('decisions', { id: row.decisionId, inputs: true });
  if (decided?.made === undefined) return undefined;
  if (isMoved(decided.made.inputs, landed)) return movedBefore(error);
  const records = await ledger.rows('decisions', { planId: row.planId, limit: MAX_RECORDS });
  const isJudged = records.some(
    ({ decision }) => decision.class === 'security' && decision.messageSha256 === row.messageSha256,
  );
  if (!isJudged) {
    const { planId, stageId, intentKey, wallet } = row;
    const decision: Decision = {
      ...decided.decision,
      ...{ effect: 'deny', class: 'security', reasonCodes: ['UNDECLARED_LOSS'] },
      checks: [...decided.decision.checks, { id: 'promisedArrives', ok: false, code: 'UNDECLARED_LOSS' }],
    };
    // The home may find the failure of one of its principals.
    const { principal } = decided;
    const by = principal === undefined ? {} : { principal };
    const input = {
      planId,
      stageId,
      intentKey,
      wallet,
      purpose: 'sign',
      decision,
      ...by,
      ...decided.made,
    } as const;
    await deny(deps, { input, decision, policy: await deps.policy() });
  }
  return error;
}

const MAX_RECORDS = 500;
