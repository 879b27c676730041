/**
 * Carries out the steps of `nextAction` until the run is over: starts each stage when its dependencies are confirmed
 * (F27), independent stages concurrently, asks the service again where the contract requires it, and stops when a
 * person or another signer is needed.
 */
import { slept } from '../../clock.ts';
import { failedByGuard, failedByMove } from '../../ledger/plans/guarded.ts';
import type { JournalRow } from '../../ledger/types.ts';
import type { Plan } from '../../plan/types.ts';
import { deny } from '../deciding/denied.ts';
import { complete } from '../readback/findings.ts';
import { effectOf } from '../readback/readback.ts';
import { type Recheck, recheckExpired } from '../readback/recheckExpired.ts';
import { rebuildPlan } from '../rebuild.ts';
import { isLanded, type PlanSnapshot, readSnapshot, type StageState } from '../status.ts';
import { BEGINNING, gatePlan, nextAction, nextRound, type Run } from './next.ts';
import {
  IN_DOUBT,
  type Note,
  needsApproval,
  noteOf,
  notSeen,
  type StageOutcome,
  SUPERSEDED,
  WAITING,
} from './outcomes.ts';
import { ask, runStage, type Work } from './stage.ts';

/** Events of a run in progress. */
export interface RunEvents {
  /** Called when a stage landed or failed on chain. Resolves when the transaction is final, or the server stops. */
  landed(row: JournalRow): Promise<void>;
  progress(done: number, total: number, message: string): void;
}

/** Stages in progress, by id. */
type Working = Map<string, Promise<{ readonly id: string; readonly outcome: StageOutcome }>>;

/** Result of an action: the run's new state, or the note it ends with. */
type Carried = { readonly run: Run } | { readonly end: Note };

/** Result of a run: the newest build of the plan and its note; no note if the run was stopped. */
export interface RunEnd {
  readonly plan: Plan;
  readonly note?: Note;
}

/** Runs a plan until it is complete, or needs a person, another signer, another quote, or time. */
export async function runPlan(work: Work, planId: string, events: RunEvents): Promise<RunEnd> {
  const { deps } = work;
  let snapshot = await load(work, planId);
  if (snapshot.planNote !== undefined) await deps.ledger.setPlanNote(planId, {});
  const isFound =
    snapshot.rows.some(({ state }) => state === 'expired') &&
    (await recheckSignatures(work, snapshot.plan, events)).landed.length > 0;
  if (snapshot.planNote !== undefined || isFound) snapshot = await load(work, planId);
  const end = await drive(work, snapshot, events);
  if (end.note !== undefined) await deps.ledger.setPlanNote(planId, end.note);
  return end;
}

async function drive(work: Work, begun: PlanSnapshot, events: RunEvents): Promise<RunEnd> {
  const { deps, timing, signal } = work;
  const { planId } = begun.plan;
  const working: Working = new Map();
  let run: Run = { ...BEGINNING, rehearses: await work.rehearsals.isOn() };
  let snapshot = begun;
  try {
    for (;;) {
      const now = { ...run, working: new Set(working.keys()), stopping: signal.aborted };
      const action = nextAction(snapshot, now, timing);
      work.onStep?.(snapshot, now, action);
      run = { ...run, previewed: true };
      let carried: Carried = { run };
      switch (action.do) {
        case 'end':
          return { plan: snapshot.plan, note: action.note };
        case 'leave':
          return { plan: snapshot.plan };
        case 'preview':
          carried = await gate(work, snapshot, run);
          break;
        case 'land':
          for (const id of action.stages) {
            working.set(
              id,
              runStage(work, snapshot, id).then((outcome) => ({ id, outcome })),
            );
          }
          run = { ...run, begun: new Set([...run.begun, ...action.stages]) };
          continue;
        case 'await':
          carried = { run: await awaitOne(work, snapshot, run, working, events) };
          break;
        case 'lookAgain':
          carried = await lookForEffect(work, snapshot, run, events);
          break;
        case 'readBack':
          carried = await readBack(work, snapshot, run);
          break;
        case 'rebuild':
          carried = await buildAgain(work, snapshot, run);
          break;
        case 'wait':
          if (!(await slept(deps.clock, action.ms, signal))) return { plan: snapshot.plan };
          carried = { run: nextRound({ ...run, attempts: run.attempts + 1 }) };
          break;
      }
      if ('end' in carried) return { plan: snapshot.plan, note: carried.end };
      run = carried.run;
      // A finding is acted on with the snapshot it is about.
      if (run.found === undefined) snapshot = await load(work, planId);
    }
  } finally {
    // When one stage fails, the others are still awaited.
    await Promise.allSettled(working.values());
  }
}

async function load({ deps }: Work, planId: string): Promise<PlanSnapshot> {
  const snapshot = await readSnapshot(deps.ledger, planId);
  if (snapshot === undefined) throw new TypeError('a plan that is not stored');
  return snapshot;
}

/** Rechecks expired signatures; follows those on chain to finality. */
async function recheckSignatures({ deps }: Work, plan: Plan, events: RunEvents): Promise<Recheck> {
  const found = await recheckExpired(
    deps,
    plan,
    await deps.ledger.rows('signed', { intentKey: plan.intentKey }),
  );
  for (const row of found.landed) void events.landed(row);
  return found;
}

/**
 * Rehearses and decides every stage before anything is signed; asks the owner, or records the denial that gates the
 * plan.
 */
async function gate(
  { deps, previews, rehearsals }: Work,
  snapshot: PlanSnapshot,
  run: Run,
): Promise<Carried> {
  const rehearsal = run.rehearses ? await rehearsals.rehearse(snapshot.plan) : undefined;
  const isNarrowed = rehearsal !== undefined && rehearsal.status !== 'done';
  if (!isNarrowed && (await previews.stands(snapshot))) return { run };
  const held = gatePlan(await previews.look(snapshot));
  if (rehearsal?.status === 'failed') rehearsals.forget(snapshot.plan);
  switch (held?.do) {
    case undefined:
      return { run };
    case 'end':
      return { end: held.note };
    case 'deny': {
      // Recorded as a denial at submit with the preview's reason: decided for signing, a stage with open dependencies
      // would only be too early.
      const { decided } = held;
      await deny(deps, { ...decided, input: { ...decided.input, purpose: 'sign' } });
      return { end: held.note };
    }
    case 'ask': {
      const [first] = held.about;
      const { id, state } = await ask(deps, snapshot.plan, first);
      return state === 'approved' ? { run } : { end: needsApproval(id) };
    }
  }
}

/** Waits for the next outcome of a stage and applies it to the run. */
async function awaitOne(
  work: Work,
  { plan: { planId }, states }: PlanSnapshot,
  run: Run,
  working: Working,
  events: RunEvents,
): Promise<Run> {
  const { id, outcome } = await Promise.race(working.values());
  working.delete(id);
  const isFinal =
    outcome.outcome === 'landed' || outcome.outcome === 'failed' ? events.landed(outcome.row) : undefined;
  report(events, states, id, outcome);
  if (outcome.outcome === 'signer') {
    const note = `Missing signatures: ${outcome.missing.join(', ')}. Sign the bytes there first.`;
    const mark = { stageId: id, status: 'ready', code: 'SIGNER_UNAVAILABLE', note } as const;
    await work.deps.ledger.setPlanNote(planId, mark);
  }
  let again = outcome.outcome === 'rebuilt';
  if (outcome.outcome === 'failed' && failedByGuard(outcome.row)) {
    // The reason of a guard failure is judged once the failure is final; then the stage is signed again with current
    // balances.
    await isFinal;
    const { rows } = await load(work, planId);
    again = rows.some((row) => row.signature === outcome.row.signature && failedByMove(row));
  }
  const stop = run.stop ?? (again ? undefined : noteOf(outcome));
  return {
    ...run,
    // Rebuilt during its decision: its new bytes are decided in the same round.
    begun: again ? new Set([...run.begun].filter((each) => each !== id)) : run.begun,
    stale: run.stale || outcome.outcome === 'expired' || outcome.outcome === 'stale',
    ...(stop === undefined ? {} : { stop }),
  };
}

function report(events: RunEvents, states: readonly StageState[], id: string, outcome: StageOutcome): void {
  const required = states.filter(({ stage }) => !stage.optional);
  const before = required.filter(({ stage, status }) => isLanded(status) && stage.id !== id).length;
  const done = before + (outcome.outcome === 'landed' ? 1 : 0);
  events.progress(done, required.length, `${id}: ${outcome.outcome}`);
}

/** Rechecks expired signatures before other bytes are requested in their place. */
async function lookForEffect(
  work: Work,
  { plan }: PlanSnapshot,
  run: Run,
  events: RunEvents,
): Promise<Carried> {
  const { landed, effect } = await recheckSignatures(work, plan, events);
  if (landed.length > 0) return { run: nextRound(run) };
  return effect ? { end: IN_DOUBT } : { run: { ...run, found: 'noEffect' } };
}

async function readBack({ deps }: Work, { plan, states }: PlanSnapshot, run: Run): Promise<Carried> {
  const effect = await effectOf(deps, plan, states);
  if (effect.seen) return { end: complete(effect) };
  if (effect.lasting) return { end: notSeen(effect) };
  return { run: { ...run, found: 'notSeen', open: notSeen(effect) } };
}

async function buildAgain(work: Work, snapshot: PlanSnapshot, run: Run): Promise<Carried> {
  const rebuilt = await rebuildPlan(work.deps, snapshot);
  if (rebuilt.outcome === 'superseded') return { end: SUPERSEDED };
  const waiting: Run = { ...run, found: 'nothingNew', open: WAITING };
  // New stages begin at once, but the number of rounds is bounded.
  if (rebuilt.outcome === 'plan')
    // While nothing of the plan is signed, a rebuild is rehearsed like the build it replaces.
    return {
      run: rebuilt.progress
        ? nextRound({ ...waiting, attempts: run.attempts + 1, previewed: !run.rehearses })
        : waiting,
    };
  const effect = await effectOf(work.deps, snapshot.plan, snapshot.states);
  if (effect.seen) return { end: complete(effect) };
  if (effect.problem !== undefined || effect.lasting) return { end: notSeen(effect) };
  return { run: { ...waiting, open: notSeen(effect) } };
}
