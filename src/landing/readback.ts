/**
 * Whether a plan's effect is really there, read back from our own RPC. A plan is complete when its stages landed
 * and this says so, not before.
 */
import type { LandedTransaction } from '../chain/types.ts';
import type { Plan } from '../plan/types.ts';
import type { Address } from '../transaction/types.ts';
import type { LandingDeps } from './ports.ts';
import type { StageState } from './status.ts';

/** Accounts that exist once an operation took effect. */
function accountsOf(plan: Plan): Address[] {
  const { answer, request, operation } = plan;
  const launch: unknown = answer.launch;
  const pool = typeof launch === 'object' && launch !== null && 'pool' in launch ? launch.pool : undefined;
  const named: unknown[] = [];
  if (operation === 'config') named.push(answer.feeShareConfig);
  if (operation === 'launch') named.push(request.fields.tokenMint, pool);
  return named.filter((address): address is Address => typeof address === 'string');
}

/** Whether every account the plan makes exists, and every stage is known to have succeeded. */
export async function effectSeen(
  { chain }: LandingDeps,
  plan: Plan,
  states: readonly StageState[],
): Promise<boolean> {
  const accounts = accountsOf(plan);
  if (accounts.length > 0) {
    const { value } = await chain.accounts(accounts, 'confirmed');
    if (value.some(({ exists }) => !exists)) return false;
  }
  for (const { stage, row } of states) {
    if (stage.optional || row === undefined) continue;
    const landed: LandedTransaction | undefined = await chain.landed(row.signature);
    if (landed === undefined || landed.error !== null) return false;
  }
  return true;
}

/** Whether a launch took effect although its stage is thought dead: then nothing may be asked for again (F26). */
export async function effectAbsent({ chain }: LandingDeps, plan: Plan): Promise<boolean> {
  const launch: unknown = plan.answer.launch;
  if (typeof launch !== 'object' || launch === null || !('pool' in launch)) return true;
  if (typeof launch.pool !== 'string') return true;
  const { value } = await chain.accounts([launch.pool], 'confirmed');
  return value.every(({ exists }) => !exists);
}
