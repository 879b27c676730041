/**
 * Lands a plan: starts each stage when what it depends on is confirmed (F27), independent stages at the same time, asks
 * the service again where the contract says so, and stops at the first thing that needs a person or another signer.
 */
import type { Mark } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import { preview } from './preview.ts';
import { complete, type Effect } from './readback/findings.ts';
import { effectOf } from './readback/readback.ts';
import { isRebuildable, rebuildPlan } from './rebuild.ts';
import { CANCELLED, isCancelled } from './sending/cancelled.ts';
import { foundAfterAll, tookEffect } from './sending/lateLandings.ts';
import { requireNetwork } from './sending/sign.ts';
import { ask, deny, runStage, type StageOutcome, type Work } from './stage.ts';
import {
  allRequiredLanded,
  isInFlight,
  isLanded,
  type PlanSnapshot,
  readSnapshot,
  type StageState,
} from './status.ts';

/** What a run reports while it goes on. */
export interface RunEvents {
  /** A stage landed, or failed on chain: follow it to finality. */
  landed(signature: string): void;
  progress(done: number, total: number, message: string): void;
}

type Note = Omit<Mark, 'at' | 'stageId'>;
/** Why a run ended; `undefined` when it was told to stop. */
type End = Note | undefined;

/** Runs a plan until it is complete, or needs a person, another signer, another quote, or time. */
export async function runPlan(work: Work, planId: string, events: RunEvents): Promise<void> {
  const { ledger } = work.deps;
  const end = await drive(work, planId, events);
  if (end !== undefined) await ledger.setMark(planId, end);
}

async function drive(work: Work, planId: string, events: RunEvents): Promise<End> {
  const { deps, timing, signal } = work;
  let snapshot = await load(work, planId);
  await requireNetwork(deps, snapshot.plan);
  await deps.ledger.clearMark(planId);
  if (await lookAgain(work, snapshot.plan, events)) snapshot = await load(work, planId);
  if (hasFailed(snapshot.states)) return FAILED;
  const isStopped = await isCancelled(deps.ledger, planId);
  const held = isStopped ? undefined : await holdBack(work, snapshot);
  if (held !== undefined) return held;
  let open = WAITING;
  for (let asked = 0; ; ) {
    const stopped = await landStages(work, planId, events);
    snapshot = await load(work, planId);
    const { plan, states } = snapshot;
    if (signal.aborted) return undefined;
    if (stopped !== undefined && stopped !== 'stale') return stopped;
    if (hasFailed(states)) return FAILED;

    if (stopped === 'stale') {
      if (!isRebuildable(plan)) return NEEDS_QUOTE;
      if (await tookEffect(deps, plan)) {
        if (!(await lookAgain(work, plan, events))) return IN_DOUBT;
        continue;
      }
    } else if (!isBuiltAgain(plan, states)) {
      const effect = await effectOf(deps, plan, states);
      if (effect.seen) return complete(effect);
      open = notSeen(effect);
      if (effect.lasting) return open;
    }
    if (asked >= timing.askAgainTimes) return open;
    if (stopped === 'stale' || isBuiltAgain(plan, states)) {
      const rebuilt = await rebuildPlan(deps, snapshot);
      open = WAITING;
      if (rebuilt.outcome === 'superseded') return SUPERSEDED;
      if (rebuilt.outcome === 'nothing') {
        const after = await load(work, planId);
        const effect = await effectOf(deps, after.plan, after.states);
        if (effect.seen) return complete(effect);
        open = notSeen(effect);
        if (effect.problem !== undefined || effect.lasting) return open;
      } else if (rebuilt.progress) {
        // New stages: fast again, but the number of rounds stays bounded.
        asked += 1;
        continue;
      }
    }
    const wait = Math.min(timing.askAgainMaxMs, timing.askAgainMs * 2 ** asked);
    asked += 1;
    try {
      await deps.clock.sleep(wait, signal);
    } catch {
      return undefined;
    }
  }
}

const WAITING: Note = {
  status: 'waiting_setup',
  code: 'WAITING_SETUP',
  note: 'The service is not ready to build the next stages. Submit the plan again later; what landed stays.',
};
const NOT_SEEN: Note = {
  status: 'unknown',
  code: 'EFFECT_NOT_SEEN',
  note: 'Every stage landed, but the effect could not be read back yet. Submit the plan again to look again.',
};
const notSeen = ({ problem, doubt }: Exclude<Effect, { seen: true }>): Note => ({
  ...NOT_SEEN,
  note: problem ?? doubt ?? NOT_SEEN.note,
});
const NEEDS_QUOTE: Note = {
  status: 'failed',
  code: 'QUOTE_EXPIRED',
  note: 'The swap was not signed or never landed, and its quote is too old. Get a new quote and build a new swap.',
};
const FAILED: Note = {
  status: 'failed',
  code: 'FAILED_ON_CHAIN',
  note: 'A stage failed on chain: its fee is spent and it is not retried.',
};
const SUPERSEDED: Note = {
  status: 'denied',
  code: 'REPLAY',
  note: 'A newer plan of the same intent took the place of this one: nothing more of it is signed.',
};
const RPC_DISAGREE: Note = {
  status: 'unknown',
  code: 'RPC_DISAGREE',
  note: 'One RPC shows that a stage landed, the other knows nothing of it. Nothing that depends on it is signed: find out which is wrong, then submit the plan again.',
};
const IN_DOUBT: Note = {
  status: 'unknown',
  code: 'IN_DOUBT',
  note: 'The signature is dead but its effect is on chain, so nothing new is signed. Submit the plan again: it goes on once our RPC shows the transaction that did it. If it stays so, a person looks for that transaction of the wallet in a block explorer, and runs `countersign freeze` if it is none of theirs.',
};

const hasFailed = (states: readonly StageState[]): boolean =>
  states.some(({ stage, status }) => !stage.optional && status === 'failed');

/** Whether a signature that was called dead is on the chain after all; it is followed to finality then. */
async function lookAgain({ deps }: Work, plan: Plan, events: RunEvents): Promise<boolean> {
  const found = await foundAfterAll(deps, plan);
  for (const signature of found) events.landed(signature);
  return found.length > 0;
}

async function load({ deps }: Work, planId: string): Promise<PlanSnapshot> {
  const snapshot = await readSnapshot(deps.ledger, planId);
  if (snapshot === undefined) throw new TypeError('a plan that is not stored');
  return snapshot;
}

/** Whether the service has to be asked again once everything it gave so far has landed. */
function isBuiltAgain(plan: Plan, states: readonly StageState[]): boolean {
  if (!allRequiredLanded(states)) return true;
  return plan.readiness?.status === 'setup_required' || plan.request.endpoint === 'feeShareConfig';
}

/**
 * Before the first signature of a plan, all of it is looked at: when some stage would be denied or needs a person,
 * nothing at all is signed, and the person is asked once for the whole plan.
 */
async function holdBack(work: Work, snapshot: PlanSnapshot): Promise<End> {
  const { plan, states } = snapshot;
  if (states.some(({ row }) => row !== undefined)) return undefined;
  const previewed = await preview(work.deps, snapshot);
  const required = previewed.filter(({ stage }) => !stage.optional);
  const denied = required.find(
    ({ decision }) => decision.effect === 'deny' && decision.class !== 'availability',
  );
  if (denied !== undefined) {
    // It counts as a denial at submit, for the reason that was found: decided as for signing, a stage that stands on
    // others would only be too early.
    await deny(work.deps, { ...denied, input: { ...denied.input, purpose: 'sign' } });
    return denial(denied.decision);
  }
  const waiting = previewed.filter(({ decision }) => decision.effect === 'require_approval');
  const [first] = waiting;
  if (first === undefined) return undefined;
  const refused = waiting.find(({ approval }) => approval.state === 'denied');
  if (refused !== undefined) return SAID_NO;
  const stages = waiting.map(({ stage, decision }) => ({ id: stage.id, decision }));
  return needsApproval(await ask(work.deps, plan, first.policy, stages), first.decision);
}

const SAID_NO: Note = {
  status: 'denied',
  code: 'APPROVAL_REQUIRED',
  note: 'A person was asked and denied this.',
};

const denial = ({ reasonCodes, explain }: { reasonCodes: readonly string[]; explain: string }): Note => ({
  status: 'denied',
  code: reasonCodes[0] ?? 'NO_RULE',
  note: explain,
});

const needsApproval = (ref: string, { explain }: { explain: string }): Note => ({
  status: 'approval_required',
  code: 'APPROVAL_REQUIRED',
  note: explain,
  ref,
});

/**
 * Runs every required stage that can run. `undefined`: all of them landed. `stale`: some need new bytes. A note:
 * why it goes no further now.
 */
async function landStages(
  work: Work,
  planId: string,
  events: RunEvents,
): Promise<Note | 'stale' | undefined> {
  const running = new Map<string, Promise<{ id: string; outcome: StageOutcome }>>();
  const tried = new Set<string>();
  let stop: Note | undefined;
  let cancelled: Note | undefined;
  let stale = false;
  try {
    for (;;) {
      const snapshot = await load(work, planId);
      const { states } = snapshot;
      const isStopped = await isCancelled(work.deps.ledger, planId);
      if (isStopped && !allRequiredLanded(states)) cancelled = CANCELLED;
      if (stop === undefined && !work.signal.aborted) {
        for (const { stage, status } of states) {
          const due = (status === 'ready' && !isStopped) || isInFlight(status);
          if (stage.optional || !due || tried.has(stage.id)) continue;
          tried.add(stage.id);
          const { id } = stage;
          running.set(
            id,
            runStage(work, snapshot, id).then((outcome) => ({ id, outcome })),
          );
        }
        if (
          running.size === 0 &&
          states.some(({ stage, status }) => !stage.optional && status === 'expired')
        ) {
          stale = true;
        }
      }
      if (running.size === 0) break;
      const { id, outcome } = await Promise.race(running.values());
      running.delete(id);
      const signature = (await load(work, planId)).states.find(({ stage }) => stage.id === id)?.row
        ?.signature;
      if (signature !== undefined && (outcome.outcome === 'landed' || outcome.outcome === 'failed')) {
        events.landed(signature);
      }
      report(events, states, id, outcome);
      if (outcome.outcome === 'rebuilt') tried.delete(id);
      if (outcome.outcome === 'expired' || outcome.outcome === 'stale') stale = true;
      stop ??= noteOf(outcome);
      if (outcome.outcome === 'signer') {
        const note = `Missing signatures: ${outcome.missing.join(', ')}. Sign the bytes there first.`;
        await work.deps.ledger.setMark(planId, {
          stageId: id,
          status: 'ready',
          code: 'SIGNER_UNAVAILABLE',
          note,
        });
      }
    }
  } finally {
    // When one stage fails, the others are still awaited.
    await Promise.allSettled(running.values());
  }
  if (cancelled !== undefined && !allRequiredLanded((await load(work, planId)).states)) return cancelled;
  return stop ?? (stale ? 'stale' : undefined);
}

/** Why a stage's outcome ends the run; `undefined` when it does not. */
function noteOf(outcome: StageOutcome): Note | undefined {
  switch (outcome.outcome) {
    case 'failed':
      return FAILED;
    case 'unknown':
      if (outcome.disagree === true) return RPC_DISAGREE;
      return {
        status: 'unknown',
        code: 'IN_DOUBT',
        note: 'Whether a stage landed is not known yet. Submit the plan again to look again.',
      };
    case 'effect':
      return IN_DOUBT;
    case 'denied':
      return denial(outcome.decision);
    case 'approval':
      return needsApproval(outcome.approvalId, outcome.decision);
    case 'signer':
      return {
        status: 'ready',
        code: 'SIGNER_UNAVAILABLE',
        note: 'A stage needs a signature that this home cannot make.',
      };
    default:
      return undefined;
  }
}

function report(events: RunEvents, states: readonly StageState[], id: string, outcome: StageOutcome): void {
  const required = states.filter(({ stage }) => !stage.optional);
  const before = required.filter(({ stage, status }) => isLanded(status) && stage.id !== id).length;
  const done = before + (outcome.outcome === 'landed' ? 1 : 0);
  events.progress(done, required.length, `${id}: ${outcome.outcome}`);
}
