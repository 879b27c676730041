/**
 * Executes one stage, from its turn to an outcome: `planned → decided → signed (journaled) → sent → confirmed |
 * failed | expired | unknown`.
 */
import { askPerson } from '../../approval/approvals.ts';
import { slept } from '../../clock.ts';
import type { ApprovalRow, Lease } from '../../ledger/types.ts';
import { judgedWith } from '../../plan/claimAll.ts';
import type { Plan } from '../../plan/types.ts';
import { mayGuard } from '../../policy/decide/statement/guards.ts';
import type { Decision, ReasonCode } from '../../policy/decide/types.ts';
import { verifyCosignatures } from '../../transaction/signatures.ts';
import type { Address } from '../../transaction/types.ts';
import { type Decided, decideStage, inForce, withoutOwner } from '../deciding/decide.ts';
import { deny } from '../deciding/denied.ts';
import { ExecutionError } from '../errors.ts';
import type { ExecutionDeps, Timing } from '../ports.ts';
import type { Previews } from '../preview.ts';
import { recheckExpired } from '../readback/recheckExpired.ts';
import type { Rehearsals } from '../rehearsals.ts';
import { signStage } from '../sending/sign.ts';
import { track } from '../sending/track.ts';
import { type PlanSnapshot, readSnapshot, type StageState } from '../status.ts';
import { type OnStep, stageAction } from './next.ts';
import type { StageOutcome } from './outcomes.ts';
import { type Turns, waitUntilQuiet } from './turns.ts';

/** Dependencies of the work on a plan. */
export interface Work {
  readonly deps: ExecutionDeps;
  readonly timing: Timing;
  readonly previews: Previews;
  readonly rehearsals: Rehearsals;
  readonly lease: () => Lease;
  readonly turns: Turns;
  /** Aborted when the server stops: journaled work may be left, nothing new begins. */
  readonly signal: AbortSignal;
  readonly onStep?: OnStep | undefined;
}

/** Runs one stage. Rejects only for local errors: the ledger, the key store, a lost lease. */
export async function runStage(work: Work, snapshot: PlanSnapshot, stageId: string): Promise<StageOutcome> {
  const { deps, timing, signal } = work;
  const { plan, states } = snapshot;
  const state = states.find(({ stage }) => stage.id === stageId);
  if (state === undefined) throw new TypeError('a stage that is not of its plan');
  const action = stageAction(state, states);
  if (action.do === 'track') return track(deps, timing, action.row, work.lease(), signal);

  if (action.from !== undefined) {
    if (!(await reachSlot(work, action.from))) return { outcome: 'stopped' };
    if ((await readSnapshot(deps.ledger, plan.planId))?.cancelled === true) return { outcome: 'stopped' };
  }
  const { has } = judgedWith(plan, state.stage);
  const stages = states.filter(({ stage }) => has(stage.id)).length;
  const alone = mayGuard(state.stage, plan.wallet, stages) && (await deps.policy()).hasGuards === true;
  return work.turns.take(plan.wallet, alone, () => signAndFollow(work, snapshot, state, alone));
}

/** Decides, signs and follows one stage. `alone`: nothing else of the wallet is signed meanwhile. */
async function signAndFollow(
  work: Work,
  { plan, states }: PlanSnapshot,
  state: StageState,
  alone: boolean,
): Promise<StageOutcome> {
  const { deps, timing, signal } = work;
  const stageId = state.stage.id;
  const since = alone ? await waitUntilQuiet(deps, timing, plan, signal) : 0;
  if (since === undefined) return { outcome: 'stopped' };
  // The decided state may change before signing, and an RPC may fail briefly: decide again, a bounded number of
  // times.
  for (let tries = 1; ; tries++) {
    if (signal.aborted) return { outcome: 'stopped' };
    const now = await inForce(deps, plan, stageId);
    const missing = foreignSigners(state, now.wallets);
    if (missing.length > 0) return { outcome: 'signer', missing };
    const dead = await recheckExpired(deps, plan, now.view.signed, state.stage);
    const [row] = dead.landed;
    if (row !== undefined) return { outcome: row.state === 'failed' ? 'failed' : 'landed', row };
    if (dead.effect) return { outcome: 'effect' };
    const decided = await decideStage(deps, plan, states, stageId, now);
    const { effect, class: kind } = decided.decision;
    // A view from before the wallet's newest landed transaction shows stale balances.
    if (decided.input.inputs.slot < since && tries < MAX_TRIES) {
      if (!(await laterView(work, since - 1))) return { outcome: 'stopped' };
      continue;
    }
    // An optional stage is skipped rather than asked for: the plan is complete without it.
    if (effect === 'require_approval' && !state.stage.optional) {
      const outcome = await wait(deps, plan, decided);
      if (outcome !== undefined) return outcome;
      // Approved by a grant: decide again with it.
      if (tries <= MAX_TRIES) continue;
    }
    if (effect !== 'allow') {
      if (kind !== 'availability') return deny(deps, decided);
      if (await isStale(deps, plan, decided)) return { outcome: 'stale' };
      if (tries >= MAX_TRIES) return deny(deps, decided);
      if (!(await laterView(work, decided.input.inputs.slot))) return { outcome: 'stopped' };
      continue;
    }
    const signed = await signStage(deps, plan, decided, work.lease());
    if (signed.outcome === 'outdated') continue;
    if (signed.outcome === 'stale') return { outcome: 'stale' };
    if (signed.outcome === 'signed') return track(deps, timing, signed.row, work.lease(), signal, true);
    if (signed.code === 'LEASE_LOST') {
      throw new ExecutionError('WALLET_BUSY', 'Another process took over this wallet.');
    }
    if (signed.code === 'REBUILT') return { outcome: 'rebuilt' };
    if (signed.code === 'CANCELLED') return { outcome: 'stopped' };
    if (tries >= MAX_TRIES) return deny(deps, refusal(decided, signed.code));
  }
}

const MAX_TRIES = 3;

/** Maximum polls for a later slot before deciding again on the current view. */
const MAX_LOOKS = 40;

/**
 * Waits for a view of the chain later than the decided one: a lookup table extended in one slot is usable in the
 * next. Returns `false` when stopped.
 */
async function laterView(work: Work, slot: number): Promise<boolean> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if (!(await pause(work))) return false;
    const head = await work.deps.chain.head('confirmed').catch(() => undefined);
    if (head !== undefined && head.slot > slot) return true;
  }
  return true;
}

/** Waits one poll interval; returns `false` when stopped. */
const pause = ({ deps, timing, signal }: Work): Promise<boolean> => slept(deps.clock, timing.pollMs, signal);

/** Returns required signers with empty signature slots that are not wallets of this home. */
const foreignSigners = ({ stage }: StageState, ours: readonly Address[]): Address[] =>
  stage.transaction.decoded === undefined
    ? []
    : verifyCosignatures(stage.transaction.decoded)
        .filter(({ status, address }) => status === 'missing' && !ours.includes(address))
        .map(({ address }) => address);

/** Waits until our RPC's confirmed view reaches a slot; returns `false` when stopped first. */
async function reachSlot(work: Work, slot: number): Promise<boolean> {
  for (;;) {
    const head = await work.deps.chain.head('confirmed').catch(() => undefined);
    if (head !== undefined && head.slot >= slot) return true;
    if (!(await pause(work))) return false;
  }
}

/**
 * Requires the owner's approval. Asks no new question while the same one is open or denied. Returns `undefined` if a
 * grant approved it.
 */
async function wait(deps: ExecutionDeps, plan: Plan, decided: Decided): Promise<StageOutcome | undefined> {
  const { decision, approval, input } = decided;
  if (approval.state === 'denied') return deny(deps, refusal(decided, 'PERSON_DENIED'));
  await deps.ledger.recordDecision(input);
  if (approval.state === 'pending') {
    await deps.recordVerifier?.(approval.row.id);
    return { outcome: 'approval', approvalId: approval.row.id, decision };
  }
  const row = await ask(deps, plan, decided);
  return row.state === 'approved' ? undefined : { outcome: 'approval', approvalId: row.id, decision };
}

/** Asks the owner about a run through the policy's channels; a grant may approve it at once. */
export async function ask(deps: ExecutionDeps, plan: Plan, { policy, run }: Decided): Promise<ApprovalRow> {
  if (run === undefined) throw new TypeError('a question without a run');
  const { ttlMs, channels } = policy.approval;
  const row = await askPerson(deps.ledger, {
    plan,
    run,
    ttlMs,
    holds: deps.answerHolds ?? withoutOwner(deps),
    channels: (deps.channels ?? []).filter(({ name }) => channels.includes(name)),
  });
  if (row.state !== 'approved') await deps.recordVerifier?.(row.id);
  return row;
}

/** Returns a denial by the ledger or a person of a stage the policy allowed. */
function refusal(decided: Decided, why: keyof typeof REFUSALS): Decided {
  const [code, kind] = REFUSALS[why];
  const decision: Decision = { ...decided.decision, effect: 'deny', reasonCodes: [code], class: kind };
  return { ...decided, decision, input: { ...decided.input, decision } };
}

const REFUSALS = {
  LIMIT_EXCEEDED: ['LIMIT_EXCEEDED', 'policy'],
  APPROVAL_EXPIRED: ['APPROVAL_EXPIRED', 'policy'],
  PERSON_DENIED: ['PERSON_DENIED', 'policy'],
  FROZEN: ['FROZEN', 'policy'],
  IN_DOUBT: ['IN_DOUBT', 'input'],
  REPLAY: ['REPLAY', 'input'],
  SUPERSEDED: ['REPLAY', 'input'],
} as const satisfies Record<string, readonly [ReasonCode, Decision['class']]>;

/** Returns whether a denial is only about time: the blockhash is no longer valid, or the quote has expired (F29). */
async function isStale(deps: ExecutionDeps, plan: Plan, { stage }: Decided): Promise<boolean> {
  if (plan.expiresAt !== undefined && (await deps.ledger.time()) >= plan.expiresAt) return true;
  const blockhash = stage.transaction.decoded?.blockhash;
  if (blockhash === undefined) return false;
  const valid = await deps.chain.isBlockhashValid(blockhash, 'confirmed').catch(() => undefined);
  return valid?.value === false;
}
