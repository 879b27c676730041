/**
 * The execution layer: opens plans, decides on them, and executes each exactly once in the background while the
 * process lives. Creating it has no side effects; everything opens on first use.
 */

import { orAborted, withDeadline } from '../clock.ts';
import type { Plan } from '../plan/types.ts';
import type { Decided } from './deciding/decide.ts';
import { decideOpenStages } from './deciding/decide.ts';
import { keepQuote } from './deciding/quotes.ts';
import { ExecutionError } from './errors.ts';
import { type Begun, beginPlan, type Opened, type Opening, openPlan, type Request } from './open.ts';
import { type ExecutionDeps, LIVE_TIMING, SANDBOX_TIMING, type Timing } from './ports.ts';
import { Previews } from './preview.ts';
import { Rehearsals } from './rehearsals.ts';
import { Driver, type Job, type ProgressUpdate } from './run/driver.ts';
import type { OnStep } from './run/next.ts';
import { CANCELLED, cancelPlan } from './sending/cancelled.ts';
import { allRequiredLanded, type PlanSnapshot, planStatus, readSnapshot } from './status.ts';

/** Milliseconds a fetched quote remains usable. */
const QUOTE_MS = 60_000;
/** Maximum number of a plan's newest decisions in a snapshot. */
const MAX_DECISIONS = 200;

export interface Execution {
  /** Finds earlier plans of an intent before its plan is built; the result is passed to `open`. */
  begin(endpoint: string, request: Request): Promise<Begun>;
  /** Stores and previews the plan of an answer. Concurrent builds of one intent get the same plan. */
  open(
    endpoint: string,
    request: Request,
    answer: unknown,
    how?: Omit<Opening, 'isRunning' | 'previews'>,
  ): Promise<Opened>;
  /** Returns a plan with its current status and newest decisions. Rejects with `NOT_FOUND`. */
  snapshot(planId: string): Promise<PlanSnapshot>;
  /** Whether this process is executing a plan now. */
  isRunning(planId: string): boolean;
  /** Decides every unsigned stage now, without signing; empty while this process executes the plan. */
  review(planId: string): Promise<readonly Decided[]>;
  /** Executes a plan and waits up to `waitSeconds` for it. Execution continues after the wait. */
  submit(
    planId: string,
    waitSeconds: number,
    progress: (update: ProgressUpdate) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Cancels a plan: no further stage is signed. Transactions already signed are followed to their outcome. */
  cancel(planId: string): Promise<void>;
  /**
   * Stores a fetched quote for swaps to match. Rejects with `QUOTE_CONFLICT` if another quote is stored under this
   * id; the stored quote is kept.
   */
  rememberQuote(requestId: string, request: unknown, quote: unknown): Promise<void>;
  /**
   * Stops: begins no new stage, and completes signatures in progress up to their journal row. The next start
   * continues the rest. Resolves when nothing runs any more, after at most four seconds.
   */
  stop(): Promise<void>;
  /** Resolves when this process has nothing in flight or waiting for finality. For tests and orderly shutdown. */
  idle(): Promise<void>;
}

export function createExecution(given: ExecutionDeps, onStep?: OnStep): Execution {
  const rehearsals = new Rehearsals(given);
  const deps: ExecutionDeps = { ...given, gather: (input) => given.gather(rehearsals.addTo(input)) };
  const timing: Timing = { ...(deps.mode === 'sandbox' ? SANDBOX_TIMING : LIVE_TIMING), ...deps.timing };
  const previews = new Previews(deps);
  const driver = new Driver(deps, timing, { previews, rehearsals }, onStep);
  const { ledger } = deps;
  const isRunning = (planId: string) => driver.isRunning(planId);
  const snapshotOf = async (planId: string): Promise<PlanSnapshot> => {
    const snapshot = await readSnapshot(ledger, planId, MAX_DECISIONS);
    if (snapshot === undefined) throw new ExecutionError('NOT_FOUND', 'No plan in this home has this id.');
    return snapshot;
  };
  return {
    begin: (endpoint, request) => beginPlan(deps, endpoint, request),
    open: (endpoint, request, answer, how = {}) =>
      openPlan(deps, endpoint, request, answer, { ...how, isRunning, previews }),
    snapshot: snapshotOf,
    isRunning,

    review: async (planId) => {
      const snapshot = await snapshotOf(planId);
      await requireNetwork(deps, snapshot.plan);
      return isRunning(planId) ? [] : decideOpenStages(deps, snapshot);
    },

    submit: async (planId, waitSeconds, progress, signal) => {
      const limits = { clock: deps.clock, ms: Math.max(0, waitSeconds) * 1000, signal };
      const job = await started(deps, driver, await snapshotOf(planId));
      if (job !== undefined) await waited(job, progress, limits);
    },

    cancel: async (planId) => {
      if (planStatus(await snapshotOf(planId)) === 'complete') return;
      await cancelPlan(ledger, planId);
      const { plan, states } = await snapshotOf(planId);
      // A run of this process checks for the cancellation before its next stage and still follows what is in flight.
      if (!isRunning(planId) && !allRequiredLanded(states)) await ledger.setPlanNote(planId, CANCELLED);
      driver.lookUp(plan);
    },

    rememberQuote: async (requestId, request, quote) => {
      const expiresAt = (await ledger.time()) + QUOTE_MS;
      if (await keepQuote(ledger, requestId, deps.principal, { request, quote, expiresAt })) return;
      throw new ExecutionError(
        'QUOTE_CONFLICT',
        'The service reused the id of another stored quote. The stored quote was kept.',
      );
    },

    stop: () => driver.stop(),
    idle: () => driver.idle(),
  };
}

/** Throws when our RPC is not on the chain the plan was made for (T53). */
async function requireNetwork(deps: ExecutionDeps, plan: Plan): Promise<void> {
  if (plan.mode !== deps.mode) {
    throw new ExecutionError('NETWORK_MISMATCH', `This plan was made in ${plan.mode} mode.`);
  }
  if ((await deps.chain.genesisHash()) !== plan.network) {
    throw new ExecutionError('NETWORK_MISMATCH', 'The RPC is on another chain than this plan was made for.');
  }
}

/** Returns the run of a plan; `undefined` if the run is over. */
async function started(
  deps: ExecutionDeps,
  driver: Driver,
  snapshot: PlanSnapshot,
): Promise<Job | undefined> {
  const { plan } = snapshot;
  if (driver.signal.aborted) throw new ExecutionError('STOPPING', 'The server is shutting down.');
  await requireNetwork(deps, plan);
  const isRunning = driver.isRunning(plan.planId);
  const status = planStatus(snapshot, isRunning);
  if (status === 'complete') {
    driver.lookUp(plan);
    driver.close(plan);
    return undefined;
  }
  const over = status === 'failed' && !isRunning && !(await driver.hasLandedLate(snapshot));
  return over ? undefined : driver.start(plan);
}

/** Waits for a run up to the given limits and reports its progress. Rejects with the error that ended the run. */
async function waited(
  job: Job,
  progress: (update: ProgressUpdate) => void,
  limits: Parameters<typeof withDeadline>[0],
): Promise<void> {
  job.listeners.add(progress);
  try {
    await withDeadline(limits, (until) =>
      orAborted(job.done, until).catch((error: unknown) => {
        // The run continues after the wait.
        if (!until.aborted) throw error;
      }),
    );
  } finally {
    job.listeners.delete(progress);
  }
}
