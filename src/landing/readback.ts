/**
 * Whether a plan's effect is really there, read back from our own RPC. A plan is complete when its stages landed
 * and this says so, not before.
 */
import type { LandedTransaction } from '../chain/types.ts';
import { PlanError } from '../plan/errors.ts';
import type { Plan } from '../plan/types.ts';
import type { Address } from '../transaction/types.ts';
import type { LandingDeps } from './ports.ts';
import type { StageState } from './status.ts';

/** Accounts that exist once an operation took effect. */
function accountsOf({ answer, request, operation }: Plan): Address[] {
  const launch = isFields(answer.launch) ? answer.launch : {};
  const named: unknown[] = [];
  if (operation === 'config') named.push(answer.feeShareConfig);
  if (operation === 'launch') {
    named.push(request.fields.tokenMint, launch.treasuryPositionNftMint, launch.feeClaimerPositionNftMint);
  }
  return named.filter((address) => typeof address === 'string');
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

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

/** Whether a launch's pool is not there: if it is, a signature thought dead took effect, and nothing new is built (F26). */
export async function effectAbsent({ chain }: LandingDeps, { answer }: Plan): Promise<boolean> {
  const pool = isFields(answer.launch) ? answer.launch.pool : undefined;
  if (typeof pool !== 'string') return true;
  const { value } = await chain.accounts([pool], 'confirmed');
  return value.every(({ exists }) => !exists);
}

/** A bundle without CREATE_TOKEN is one for a token that is already on chain, or it is no bundle at all (C-BUNDLE). */
export async function requireToken({ chain }: LandingDeps, plan: Plan): Promise<void> {
  const { endpoint, fields } = plan.request;
  if (endpoint !== 'dammLaunch' || plan.stages.some(({ kind }) => kind === 'create_token')) return;
  const { tokenMint } = fields;
  if (typeof tokenMint !== 'string') return;
  const { value } = await chain.accounts([tokenMint], 'confirmed');
  if (!value.every(({ exists }) => exists)) {
    throw new PlanError('The bundle does not create the token, and the token is not on chain.');
  }
}
