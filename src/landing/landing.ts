/**
 * The landing layer behind one port: opens plans, reviews them, and lands each exactly once in the background,
 * for as long as the process lives. Building it does nothing; everything opens on first use.
 */

import { setMaxListeners } from 'node:events';
import { orAborted, withDeadline } from '../clock.ts';
import type { JournalRow, Lease } from '../ledger/types.ts';
import type { Plan } from '../plan/types.ts';
import { saidYes } from './deciding/answered.ts';
import type { Decided } from './deciding/decide.ts';
import { LandingError } from './errors.ts';
import { WalletLeases, type WalletWork } from './lease.ts';
import { beginPlan, openPlan } from './open.ts';
import type { PlanPort, PlanView, ProgressUpdate } from './planPort.ts';
import { type LandingDeps, LIVE_TIMING, SANDBOX_TIMING, type Timing } from './ports.ts';
import { decideOpenStages } from './preview.ts';
import { nextOptional, runOptional } from './run/closing.ts';
import { type RunEvents, runPlan } from './run/runner.ts';
import type { Work } from './run/stage.ts';
import { cancelPlan, noteCancelled } from './sending/cancelled.ts';
import { foundAfterAll } from './sending/lateLandings.ts';
import { reconcile } from './sending/reconcile.ts';
import { settleAtFinality } from './sending/settle.ts';
import { requireNetwork } from './sending/sign.ts';
import { track } from './sending/track.ts';
import { createFactsReader } from './shown/facts.ts';
import { periodOf } from './shown/period.ts';
import { type PlanSnapshot, readSnapshot } from './status.ts';
import { planView } from './view.ts';

/** Milliseconds a fetched quote can be used for. */
const QUOTE_MS = 60_000;
const MAX_LISTED = 100;
/** So many of a plan's newest decisions are looked at to show it. */
const MOST_DECISIONS = 200;
/** Stopping never takes longer: an RPC that hangs is left behind, and the journal holds what matters (F40). */
const MOST_STOP_MS = 4_000;

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

interface Job {
  readonly done: Promise<void>;
  readonly listeners: Set<(update: ProgressUpdate) => void>;
}

export function createLanding(deps: LandingDeps): Landing {
  const { ledger, clock } = deps;
  const timing: Timing = { ...(deps.mode === 'sandbox' ? SANDBOX_TIMING : LIVE_TIMING), ...deps.timing };
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every wait of every stage listens to it.
  setMaxListeners(0, signal);
  const jobs = new Map<string, Job>();
  const background = new Set<Promise<void>>();
  const settling = new Set<string>();
  const closing = new Set<string>();
  const awaiting = new Map<string, Promise<void>>();
  /** Questions whose approval continued a plan: one that did not count is not tried again. */
  const woken = new Set<string>();
  const leases = new WalletLeases(deps, timing, begin);

  /** Runs a background task; errors are logged, since the journal already holds what matters. */
  function later(work: () => Promise<void>): void {
    const task: Promise<void> = work()
      .catch((error: unknown) => {
        if (!signal.aborted)
          deps.log?.(error instanceof Error ? `${error.name} in the background.` : 'A fault.');
      })
      .finally(() => background.delete(task));
    background.add(task);
  }

  /** The first thing under every lease: what earlier processes left open. */
  async function begin(lease: Lease): Promise<void> {
    const { landed, inFlight } = await reconcile(deps, lease);
    for (const row of landed) settle(row.signature);
    for (const row of inFlight) later(() => follow(row));
  }

  /** Follows a row that no run of this process is following, under a lease of its own use. */
  async function follow(row: JournalRow): Promise<void> {
    if (jobs.has(row.planId)) return;
    await underLease(row.wallet, async (work) => {
      const { outcome } = await track(deps, timing, row, work.lease(), signal);
      if (outcome === 'landed' || outcome === 'failed') settle(row.signature);
    });
  }

  function settle(signature: string): void {
    if (settling.has(signature) || signal.aborted) return;
    settling.add(signature);
    later(async () => {
      try {
        const [row] = await ledger.journal({ signature });
        if (row === undefined || (await settleAtFinality(deps, timing, row, signal))) return;
        // It fell out of a fork: it is pending again, and the same bytes are sent on (F30).
        await underLease(row.wallet, async (work) => {
          await ledger.journalMove(signature, 'sent', { lease: work.lease() });
          await track(deps, timing, { ...row, state: 'sent' }, work.lease(), signal);
        });
      } finally {
        settling.delete(signature);
      }
      const [row] = await ledger.journal({ signature });
      if (row?.state === 'confirmed') settle(signature);
    });
  }

  async function underLease(wallet: string, use: (work: Work) => Promise<void>): Promise<void> {
    const held: WalletWork = await leases.enter(wallet);
    try {
      await use({ deps, timing, lease: () => held.lease, signal });
    } finally {
      await held.leave();
    }
  }

  function start(plan: Plan): Job {
    const running = jobs.get(plan.planId);
    if (running !== undefined) return running;
    const listeners: Job['listeners'] = new Set();
    const events: RunEvents = {
      landed: settle,
      progress: (done, total, message) => {
        for (const listener of listeners) listener({ done, total, message });
      },
    };
    const done = underLease(plan.wallet, (work) => runPlan(work, plan.planId, events)).finally(() => {
      jobs.delete(plan.planId);
      later(() => closeLater(plan, events));
      awaitAnswer(plan);
    });
    // The caller of `submit` gets the error; without a caller it must not become an unhandled rejection.
    done.catch(() => undefined);
    const job = { done, listeners };
    jobs.set(plan.planId, job);
    return job;
  }

  /** An approval given in another process (command line or page) continues the plan. */
  function awaitAnswer(plan: Plan): void {
    const { planId } = plan;
    if (awaiting.has(planId) || signal.aborted) return;
    const waits = saidYes(deps, timing, planId, signal)
      .catch(() => undefined)
      .then((question) => {
        awaiting.delete(planId);
        if (question === undefined || woken.has(question) || signal.aborted) return;
        woken.add(question);
        start(plan);
      });
    awaiting.set(planId, waits);
  }

  /** Waits, without holding the wallet, until an optional stage is due, and runs it. */
  async function closeLater(plan: Plan, events: RunEvents): Promise<void> {
    if (closing.has(plan.planId) || signal.aborted) return;
    closing.add(plan.planId);
    try {
      for (let next = await nextOptional(deps, plan.planId); next !== undefined; ) {
        const { stageId, slot } = next;
        while ((await deps.chain.head('confirmed')).slot < slot) await clock.sleep(timing.resendMs, signal);
        await underLease(plan.wallet, (work) => runOptional(work, plan.planId, stageId, events));
        const after = await nextOptional(deps, plan.planId);
        next = after?.stageId === stageId ? undefined : after;
      }
    } finally {
      closing.delete(plan.planId);
    }
  }

  /**
   * Open signatures are looked up also where a plan has nothing left to do (C-BUNDLE-10). Another process that holds the
   * wallet looks them up itself, or lets its lease run out.
   */
  async function lookFirst(wallet: string): Promise<void> {
    const network = await deps.chain.genesisHash();
    for (let waited = 0; waited <= 2 * timing.leaseMs; waited += timing.leaseMs / 3) {
      if ((await ledger.openRows({ wallet, network })).length === 0) return;
      try {
        return await underLease(wallet, async () => {});
      } catch (error) {
        if (!(error instanceof LandingError && error.code === 'WALLET_BUSY')) throw error;
      }
      await clock.sleep(timing.leaseMs / 3, signal);
    }
  }

  /** Whether a signature of a failed plan that was called dead is on the chain after all; then the plan goes on. */
  async function landedAfterAll(plan: Plan): Promise<boolean> {
    const rows = await ledger.journal({ planId: plan.planId });
    if (rows.every(({ state }) => state !== 'expired')) {
      later(() => lookFirst(plan.wallet));
      return false;
    }
    let found: string[] = [];
    await underLease(plan.wallet, async () => {
      found = await foundAfterAll(deps, plan);
    });
    for (const signature of found) settle(signature);
    return found.length > 0;
  }

  /** The plan as it stands now, with its newest decisions. */
  async function load(planId: string): Promise<PlanSnapshot> {
    const snapshot = await readSnapshot(ledger, planId, MOST_DECISIONS);
    if (snapshot === undefined) throw new LandingError('NOT_FOUND', 'No plan of this home has this id.');
    return snapshot;
  }

  const shownFacts = createFactsReader(deps);

  interface Showing {
    readonly repeats?: string | undefined;
    /** Decisions made just now; they stand before those that are stored. */
    readonly fresh?: readonly Decided[];
    /** `status`: where it stands only. `brief`: and one line about it. Default: everything. */
    readonly facts?: 'status' | 'brief' | 'all';
  }

  /** A plan as results show it. */
  async function show(
    planId: string,
    { repeats, fresh = [], facts = 'all' }: Showing = {},
  ): Promise<PlanView> {
    const { plan, rows, marks, states, decisions: recorded } = await load(planId);
    const made = fresh.map(({ stage, decision }) => ({ stageId: stage.id, decision }));
    const decisions = [...made, ...recorded];
    const view = planView({
      plan,
      rows,
      marks,
      decisions,
      running: jobs.has(planId),
      frozen: (await ledger.frozen()) !== undefined,
      ...(repeats === undefined ? {} : { repeats }),
    });
    if (facts === 'status') return view;
    return { ...view, ...(await shownFacts.of({ plan, rows, states, decisions, brief: facts === 'brief' })) };
  }

  return {
    begin: (endpoint, request) => beginPlan(deps, endpoint, { ...request }),

    open: async (endpoint, request, answer, how = {}) => {
      const isRunning = (planId: string) => jobs.has(planId);
      const opened = await openPlan(deps, endpoint, { ...request }, answer, { ...how, isRunning });
      const note = opened.note === undefined ? {} : { note: opened.note };
      if (opened.plan === undefined) return { plan: null, ...note };
      return { plan: await show(opened.plan.planId, { repeats: opened.repeats }), ...note };
    },

    review: async (planId) => {
      const snapshot = await load(planId);
      await requireNetwork(deps, snapshot.plan);
      return show(planId, { fresh: jobs.has(planId) ? [] : await decideOpenStages(deps, snapshot) });
    },

    submit: async (planId, waitSeconds, progress, callSignal) => {
      const { plan } = await load(planId);
      if (signal.aborted) throw new LandingError('STOPPING', 'The server is shutting down.');
      await requireNetwork(deps, plan);
      const { status } = await show(planId, { facts: 'status' });
      if (status === 'complete') {
        later(() => lookFirst(plan.wallet));
        later(() => closeLater(plan, { landed: settle, progress: () => {} }));
        return show(planId);
      }
      if (status === 'failed' && !jobs.has(planId) && !(await landedAfterAll(plan))) return show(planId);
      const job = start(plan);
      job.listeners.add(progress);
      const limits = { clock, ms: Math.max(0, waitSeconds) * 1000, signal: callSignal };
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
      return show(planId);
    },

    get: (planId) => show(planId),

    list: async ({ limit, offset }) => {
      const plans = await ledger.plans({ limit: Math.min(limit, MAX_LISTED), offset });
      return Promise.all(plans.map(({ planId }) => show(planId, { facts: 'brief' })));
    },

    activity: (of) => periodOf(deps, shownFacts, of),

    cancel: async (planId) => {
      const { plan } = await load(planId);
      const { status } = await show(planId, { facts: 'status' });
      if (status !== 'complete') {
        await cancelPlan(ledger, planId);
        // A run of this process sees it before its next stage; what is in flight is followed.
        if (!jobs.has(planId)) await noteCancelled(ledger, plan);
        later(() => lookFirst(plan.wallet));
      }
      return show(planId);
    },

    stageBytes: async (planId, stageId) => {
      const stage = (await load(planId)).plan.stages.find(({ id }) => id === stageId);
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

    stop: async () => {
      stopping.abort(new LandingError('STOPPING', 'The server is shutting down.'));
      const patience = new AbortController();
      const running = [...jobs.values()].map((job) => job.done);
      const ended = Promise.allSettled([...running, ...background, ...awaiting.values()]);
      // The wait ends with the work: what embeds this must not be kept alive by a timer.
      ended.finally(() => patience.abort());
      await Promise.race([ended, clock.sleep(MOST_STOP_MS, patience.signal).catch(() => undefined)]);
    },

    idle: async () => {
      while (jobs.size > 0 || background.size > 0) {
        await Promise.allSettled([...jobs.values()].map((job) => job.done));
        await Promise.allSettled(background);
      }
    },
  };
}
