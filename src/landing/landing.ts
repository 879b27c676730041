/**
 * The landing layer behind one port: opens plans, reviews them, and lands each exactly once in the background,
 * for as long as the process lives. Building it does nothing; everything opens on first use.
 */

import { tokenNote } from '../approval/question/evidence.ts';
import { orAborted, withDeadline } from '../clock.ts';
import type { Decided } from './deciding/decide.ts';
import { LandingError } from './errors.ts';
import { beginPlan, type Opening, openPlan } from './open.ts';
import { answerFor, wholeRequest } from './own/index.ts';
import type { PlanPort, PlanView } from './planPort.ts';
import { type LandingDeps, LIVE_TIMING, SANDBOX_TIMING, type Timing } from './ports.ts';
import { decideOpenStages } from './preview.ts';
import { Driver, type Job } from './run/driver.ts';
import type { OnStep } from './run/next.ts';
import { CANCELLED, cancelPlan } from './sending/cancelled.ts';
import { requireNetwork } from './sending/sign.ts';
import { createFactsReader } from './shown/facts.ts';
import { periodOf } from './shown/period.ts';
import { nextOfQuestion, questionOf } from './shown/question.ts';
import { allRequiredLanded, type PlanSnapshot, planStatus, readSnapshot } from './status.ts';
import { planView } from './view.ts';

/** Milliseconds a fetched quote can be used for. */
const QUOTE_MS = 60_000;
const MAX_LISTED = 100;
/** So many of a plan's newest decisions are looked at to show it. */
const MOST_DECISIONS = 200;

/** The plan port, and how a server ends it. */
export interface Landing extends PlanPort {
  /**
   * Stops: no new stage begins, what is being signed reaches its journal row, everything else is left to the next
   * start. Resolves when nothing runs any more, at the latest after four seconds.
   */
  stop(): Promise<void>;
  /** Resolves when nothing of this process is in flight or waiting for finality. For tests and orderly ends. */
  idle(): Promise<void>;
}

/** What the port works with. */
interface Desk {
  readonly deps: LandingDeps;
  readonly driver: Driver;
  readonly facts: ReturnType<typeof createFactsReader>;
}

export function createLanding(deps: LandingDeps, onStep?: OnStep): Landing {
  const timing: Timing = { ...(deps.mode === 'sandbox' ? SANDBOX_TIMING : LIVE_TIMING), ...deps.timing };
  const driver = new Driver(deps, timing, onStep);
  const { ledger } = deps;
  const desk: Desk = { deps, driver, facts: createFactsReader(deps) };
  return {
    begin: (endpoint, request) => beginPlan(deps, endpoint, { ...request }),

    open: (endpoint, request, answer, how = {}) => opened(desk, endpoint, { ...request }, answer, how),

    build: async (plan, request, again) => {
      const fields = await wholeRequest(deps, plan, request);
      const begun = await beginPlan(deps, plan, fields);
      const answer = await answerFor(deps, plan, fields);
      return opened(desk, plan, fields, answer, again === undefined ? { begun } : { begun, again });
    },

    review: async (planId) => {
      const snapshot = await load(desk, planId);
      await requireNetwork(deps, snapshot.plan);
      const fresh = driver.isRunning(planId) ? [] : await decideOpenStages(deps, snapshot);
      return show(desk, planId, { fresh });
    },

    submit: (planId, waitSeconds, progress, signal) => submit(desk, planId, waitSeconds, progress, signal),

    get: (planId) => show(desk, planId),

    list: async ({ limit, offset }) => {
      const plans = await ledger.plans({ limit: Math.min(limit, MAX_LISTED), offset });
      return Promise.all(plans.map(({ planId }) => show(desk, planId, { brief: true })));
    },

    activity: (of) => periodOf(deps, desk.facts, of),

    cancel: async (planId) => {
      if (planStatus(await load(desk, planId)) !== 'complete') {
        await cancelPlan(ledger, planId);
        const { plan, states } = await load(desk, planId);
        // A run of this process sees it before its next stage; what is in flight is followed.
        if (!driver.isRunning(planId) && !allRequiredLanded(states)) await ledger.setMark(planId, CANCELLED);
        driver.lookUp(plan);
      }
      return show(desk, planId);
    },

    stageBytes: async (planId, stageId) => {
      const stage = (await load(desk, planId)).plan.stages.find(({ id }) => id === stageId);
      if (stage === undefined) throw new LandingError('NOT_FOUND', 'The plan has no stage with this id.');
      return stage.transaction;
    },

    rememberQuote: async (requestId, request, quote) => {
      const kept = await ledger.saveQuote(requestId, { request, quote }, (await ledger.time()) + QUOTE_MS);
      if (kept) return;
      throw new LandingError(
        'QUOTE_CONFLICT',
        'The service gave this quote an id that another quote here has already. The first one stays.',
      );
    },

    rememberToken: (mint, { name, symbol }) =>
      ledger.setNote(tokenNote(mint), JSON.stringify({ name, symbol })),

    stop: () => driver.stop(),
    idle: () => driver.idle(),
  };
}

/** Stores an answer as a plan and shows it. */
async function opened(
  desk: Desk,
  endpoint: string,
  request: Readonly<Record<string, unknown>>,
  answer: unknown,
  how: Omit<Opening, 'isRunning'>,
): Promise<{ plan: PlanView | null; note?: string }> {
  const isRunning = (planId: string) => desk.driver.isRunning(planId);
  const found = await openPlan(desk.deps, endpoint, request, answer, { ...how, isRunning });
  const note = found.note === undefined ? {} : { note: found.note };
  if (found.plan === undefined) return { plan: null, ...note };
  return { plan: await show(desk, found.plan.planId, { repeats: found.repeats }), ...note };
}

/** The plan as it stands now, with its newest decisions. */
async function load({ deps }: Desk, planId: string): Promise<PlanSnapshot> {
  const snapshot = await readSnapshot(deps.ledger, planId, MOST_DECISIONS);
  if (snapshot === undefined) throw new LandingError('NOT_FOUND', 'No plan of this home has this id.');
  return snapshot;
}

interface Showing {
  readonly repeats?: string | undefined;
  /** Decisions made just now; they stand before those that are stored. */
  readonly fresh?: readonly Decided[];
  /** With one line about it, and nothing the chain is asked for. */
  readonly brief?: boolean;
}

/** A plan as results show it. */
async function show(
  desk: Desk,
  planId: string,
  { repeats, fresh = [], brief = false }: Showing = {},
): Promise<PlanView> {
  const { deps, facts } = desk;
  const snapshot = await load(desk, planId);
  const frozen = (await deps.ledger.frozen()) !== undefined;
  const made = fresh.map(({ stage, decision }) => ({ stageId: stage.id, decision }));
  const standing = { ...snapshot, decisions: [...made, ...snapshot.decisions] };
  const view = planView(standing, {
    running: desk.driver.isRunning(planId),
    frozen,
    ...(repeats === undefined ? {} : { repeats }),
  });
  const question = await questionOf(deps, view, snapshot.approvals);
  return {
    ...view,
    ...(question === undefined || frozen ? {} : { next: nextOfQuestion(question) }),
    ...(question === undefined || brief ? {} : { approval: question }),
    ...(await (brief ? facts.brief(standing) : facts.of(standing))),
  };
}

/** Lands a plan, and waits so many seconds for it. The work goes on when the wait is over. */
async function submit(
  desk: Desk,
  planId: string,
  waitSeconds: number,
  progress: Parameters<PlanPort['submit']>[2],
  signal: AbortSignal,
): Promise<PlanView> {
  const { deps, driver } = desk;
  const snapshot = await load(desk, planId);
  const { plan } = snapshot;
  if (driver.signal.aborted) throw new LandingError('STOPPING', 'The server is shutting down.');
  await requireNetwork(deps, plan);
  const status = planStatus(snapshot, driver.isRunning(planId));
  if (status === 'complete') {
    driver.lookUp(plan);
    driver.close(plan);
    return show(desk, planId);
  }
  const over = status === 'failed' && !driver.isRunning(planId) && !(await driver.landedAfterAll(plan));
  if (over) return show(desk, planId);
  const limits = { clock: deps.clock, ms: Math.max(0, waitSeconds) * 1000, signal };
  await waited(driver.start(plan), progress, limits);
  return show(desk, planId);
}

/** Waits for a run as long as the limits say, and tells how it goes on. Rejects with the fault that ended it. */
async function waited(
  job: Job,
  progress: Parameters<PlanPort['submit']>[2],
  limits: Parameters<typeof withDeadline>[0],
): Promise<void> {
  job.listeners.add(progress);
  try {
    await withDeadline(limits, (until) =>
      orAborted(job.done, until).catch((error: unknown) => {
        // Work goes on when the wait is over.
        if (!until.aborted) throw error;
      }),
    );
  } finally {
    job.listeners.delete(progress);
  }
}
