/**
 * Carries out what `nextAction` says of a plan, until the run is over: starts each stage when what it depends on is
 * confirmed (F27), independent stages at the same time, asks the service again where the contract says so, and stops at
 * the first thing that needs a person or another signer.
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

/** What a run reports while it goes on. */
export interface RunEvents {
  /** A stage landed, or failed on chain: follow it to finality. Resolves when it is final, or its server stops. */
  landed(row: JournalRow): Promise<void>;
  progress(done: number, total: number, message: string): void;
}

/** Stages being worked on, by their id. */
type Working = Map<string, Promise<{ readonly id: string; readonly outcome: StageOutcome }>>;

/** What came of an action: the run as it is now, or the note it ends with. */
type Carried = { readonly run: Run } | { readonly end: Note };

/** How a run ended: the plan as it was built last, and what was noted of it; nothing where the run was told to stop. */
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
    (await lookAgain(work, snapshot.plan, events)).landed.length > 0;
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
          carried = await holdBack(work, snapshot, run);
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
          carried = { run: nextRound({ ...run, asked: run.asked + 1 }) };
          break;
      }
      if ('end' in carried) return { plan: snapshot.plan, note: carried.end };
      run = carried.run;
      // What was found out about the plan as it stood is acted on as it stood.
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

/** Looks at what was called dead; what is on the chain after all is followed to finality. */
async function lookAgain({ deps }: Work, plan: Plan, events: RunEvents): Promise<Recheck> {
  const found = await recheckExpired(deps, plan, await deps.ledger.signed(plan.intentKey));
  for (const row of found.landed) void events.landed(row);
  return found;
}

/** Rehearses and decides on every stage before anything is signed, and asks the person or records the denial that holds it back. */
async function holdBack(
  { deps, previews, rehearsals }: Work,
  snapshot: PlanSnapshot,
  run: Run,
): Promise<Carried> {
  const rehearsal = run.rehearses ? await rehearsals.play(snapshot.plan) : undefined;
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
      // It counts as a denial at submit, for the reason that was found: decided as for signing, a stage that stands on
      // others would only be too early.
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

/** Waits for the next outcome of a stage, and takes it into the run. */
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
    // Why a guard failed is judged once the failure is final; then its stage is signed again by the balances of then.
    await isFinal;
    const { rows } = await load(work, planId);
    again = rows.some((row) => row.signature === outcome.row.signature && failedByMove(row));
  }
  const stop = run.stop ?? (again ? undefined : noteOf(outcome));
  return {
    ...run,
    // Built again while it was decided: its bytes of now are looked at in the same round.
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

/** Before other bytes are asked for in the place of dead ones. */
async function lookForEffect(
  work: Work,
  { plan }: PlanSnapshot,
  run: Run,
  events: RunEvents,
): Promise<Carried> {
  const { landed, effect } = await lookAgain(work, plan, events);
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
  const asked: Run = { ...run, found: 'nothingNew', open: WAITING };
  // New stages: at once, but the number of rounds stays bounded.
  if (rebuilt.outcome === 'plan')
    // Where no byte of the plan is signed yet, what was built again is rehearsed as what it replaces was.
    return {
      run: rebuilt.progress
        ? nextRound({ ...asked, asked: run.asked + 1, previewed: !run.rehearses })
        : asked,
    };
  const effect = await effectOf(work.deps, snapshot.plan, snapshot.states);
  if (effect.seen) return { end: complete(effect) };
  if (effect.problem !== undefined || effect.lasting) return { end: notSeen(effect) };
  return { run: { ...asked, open: notSeen(effect) } };
}
