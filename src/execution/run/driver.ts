/**
 * The background work of this process: one run per plan, each wallet under its lease, every landed transaction
 * followed to finality, and the open rows of earlier processes. Nothing runs until something is started.
 */
import { setMaxListeners } from 'node:events';
import { LedgerError } from '../../ledger/errors.ts';
import type { JournalRow, Lease } from '../../ledger/types.ts';
import type { Plan } from '../../plan/types.ts';
import type { Address } from '../../transaction/types.ts';
import { waitForApproval } from '../deciding/answered.ts';
import { ExecutionError } from '../errors.ts';
import { WalletLeases } from '../lease.ts';
import type { ExecutionDeps, Timing } from '../ports.ts';
import { recheckExpired } from '../readback/recheckExpired.ts';
import { reconcile } from '../sending/reconcile.ts';
import { settleAtFinality } from '../sending/settle.ts';
import { track } from '../sending/track.ts';
import type { PlanSnapshot } from '../status.ts';
import { nextOptional, runOptional } from './closing.ts';
import type { OnStep } from './next.ts';
import { type RunEnd, type RunEvents, runPlan } from './runner.ts';
import type { Work } from './stage.ts';
import { Turns } from './turns.ts';

/** Maximum duration of a stop: a hanging RPC call is abandoned; the journal has the durable state (F40). */
const MAX_STOP_MS = 4_000;

/** Progress of long work, forwarded to clients that request it. */
export interface ProgressUpdate {
  done: number;
  total: number;
  message: string;
}

/** A run of a plan. */
export interface Job {
  /** Rejects with the error that ended the run, if it is not an outcome. */
  readonly done: Promise<void>;
  readonly listeners: Set<(update: ProgressUpdate) => void>;
}

export class Driver {
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
  private readonly deps: ExecutionDeps;
  private readonly timing: Timing;
  private readonly looking: Pick<Work, 'previews' | 'rehearsals'>;
  private readonly onStep: OnStep | undefined;
  private readonly stopping = new AbortController();
  private readonly leases: WalletLeases;
  private readonly turns = new Turns();
  /** By plan. */
  private readonly jobs = new Map<string, Job>();
  private readonly background = new Set<Promise<void>>();
  /** Plans that wait for a person's answer. */
  private readonly awaiting = new Map<string, Promise<void>>();
  /** Names of unique background tasks: signatures followed to finality, and plans waiting for optional stages. */
  private readonly tasks = new Set<string>();
  /** Questions whose approval already continued a plan: an invalid approval is not tried again. */
  private readonly woken = new Set<string>();

  constructor(
    deps: ExecutionDeps,
    timing: Timing,
    looking: Pick<Work, 'previews' | 'rehearsals'>,
    onStep?: OnStep,
  ) {
    this.deps = deps;
    this.looking = looking;
    this.onStep = onStep;
    this.timing = timing;
    this.signal = this.stopping.signal;
    // Every wait of every stage adds a listener.
    setMaxListeners(0, this.signal);
    this.leases = new WalletLeases(deps, timing, (lease) => this.begin(lease));
  }

  isRunning(planId: string): boolean {
    return this.jobs.has(planId);
  }

  /** Starts a run of a plan, or joins the current one. */
  start(plan: Plan): Job {
    const { planId, wallet } = plan;
    const running = this.jobs.get(planId);
    if (running !== undefined) return running;
    const listeners: Job['listeners'] = new Set();
    const events: RunEvents = {
      landed: (row) => this.settle(row),
      progress: (done, total, message) => {
        for (const listener of listeners) listener({ done, total, message });
      },
    };
    let end: RunEnd | undefined;
    const done = this.underLease(wallet, async (work) => {
      end = await runPlan(work, planId, events);
    }).finally(() => {
      this.jobs.delete(planId);
      // A run that ended with an error may have left either open.
      if (end === undefined || end.note?.status === 'complete') this.close(end?.plan ?? plan);
      if (end === undefined || end.note?.status === 'approval_required') this.awaitAnswer(plan);
    });
    // The caller of `submit` gets the error; without a caller it must not become an unhandled rejection.
    done.catch(() => undefined);
    const job = { done, listeners };
    this.jobs.set(planId, job);
    return job;
  }

  /** Looks up the open rows of a wallet in the background, for a plan with nothing left to do. */
  lookUp({ wallet }: Plan): void {
    void this.later(() => this.lookUpOpenSignatures(wallet));
  }

  /** Runs the optional stages of a completed plan, each when it is due. */
  close({ planId, wallet, stages }: Plan): void {
    if (stages.every(({ optional }) => !optional)) return;
    void this.later(() => this.once(`close ${planId}`, () => this.closeWhenDue(planId, wallet)));
  }

  /** Returns whether an expired signature of a failed plan has landed; then the plan continues. */
  async hasLandedLate({ plan, rows }: PlanSnapshot): Promise<boolean> {
    if (rows.every(({ state }) => state !== 'expired')) {
      this.lookUp(plan);
      return false;
    }
    let found: readonly JournalRow[] = [];
    await this.underLease(plan.wallet, async () => {
      const signed = await this.deps.ledger.rows('signed', { intentKey: plan.intentKey });
      found = (await recheckExpired(this.deps, plan, signed)).landed;
    });
    for (const row of found) void this.settle(row);
    return found.length > 0;
  }

  /** Begins no new work and resolves when nothing runs any more, after at most four seconds. */
  async stop(): Promise<void> {
    this.stopping.abort(new ExecutionError('STOPPING', 'The server is shutting down.'));
    const patience = new AbortController();
    const running = [...this.jobs.values()].map((job) => job.done);
    const ended = Promise.allSettled([...running, ...this.background, ...this.awaiting.values()]);
    // The timer ends with the work, so that it does not keep an embedding process alive.
    ended.finally(() => patience.abort());
    await Promise.race([ended, this.deps.clock.sleep(MAX_STOP_MS, patience.signal).catch(() => undefined)]);
  }

  /** Resolves when nothing is in flight or waiting for finality. */
  async idle(): Promise<void> {
    while (this.jobs.size > 0 || this.background.size > 0) {
      await Promise.allSettled([...this.jobs.values()].map((job) => job.done));
      await Promise.allSettled(this.background);
    }
  }

  /** Runs a background task; errors are logged, since the journal already holds what matters. */
  private later(work: () => Promise<void>): Promise<void> {
    const task: Promise<void> = work()
      .catch((error: unknown) => {
        if (!this.signal.aborted)
          this.deps.log?.(
            error instanceof Error
              ? `${error.name} in the background.`
              : 'An unknown error in the background.',
          );
      })
      .finally(() => this.background.delete(task));
    this.background.add(task);
    return task;
  }

  /** Runs a task unless one of this name is running. */
  private async once(name: string, work: () => Promise<void>): Promise<void> {
    if (this.tasks.has(name) || this.signal.aborted) return;
    this.tasks.add(name);
    try {
      await work();
    } finally {
      this.tasks.delete(name);
    }
  }

  private async underLease(wallet: Address, use: (work: Work) => Promise<void>): Promise<void> {
    const { deps, timing, looking, turns, signal, onStep } = this;
    const held = await this.leases.enter(wallet);
    try {
      await use({ deps, timing, ...looking, turns, lease: () => held.lease, signal, onStep });
    } finally {
      await held.leave();
    }
  }

  /** Runs first under every lease: reconciles the open rows of earlier processes. */
  private async begin(lease: Lease): Promise<void> {
    const { landed, inFlight } = await reconcile(this.deps, lease);
    for (const row of landed) void this.settle(row);
    for (const row of inFlight) void this.later(() => this.follow(row));
  }

  /** Follows a row that no run of this process follows, under its own use of the lease. */
  private async follow(row: JournalRow): Promise<void> {
    if (this.jobs.has(row.planId)) return;
    await this.underLease(row.wallet, async (work) => {
      const tracked = await track(this.deps, this.timing, row, work.lease(), this.signal);
      if (tracked.outcome === 'landed' || tracked.outcome === 'failed') void this.settle(tracked.row);
    });
  }

  /** Follows a landed transaction to finality and settles its amounts, for any principal. */
  private settle(first: JournalRow): Promise<void> {
    const { deps, timing, signal } = this;
    const settled = async () => {
      for (let row: JournalRow | undefined = first; row !== undefined; ) {
        try {
          if (await settleAtFinality(deps, timing, row, signal)) return;
          row = await this.followDropped(row);
        } catch (error) {
          // Retry while the ledger is unavailable: an unfollowed transaction could be dropped in a fork unnoticed.
          if (signal.aborted || !(error instanceof LedgerError && error.retryable)) throw error;
          await deps.clock.sleep(timing.askAgainMs, signal);
        }
      }
    };
    return this.later(() => this.once(`settle ${first.signature}`, settled));
  }

  /**
   * Handles a row dropped with a fork: a confirmed one is pending again and its bytes are resent (F30), a failed one
   * is only followed. Returns the row if it is on chain again.
   */
  private async followDropped(row: JournalRow): Promise<JournalRow | undefined> {
    const { deps, timing, signal } = this;
    let again: JournalRow | undefined;
    await this.underLease(row.wallet, async (work) => {
      const dropped = row.state === 'failed' ? row : ({ ...row, state: 'sent' } as const);
      if (dropped.state === 'sent')
        await deps.ledger.journalMove(row.signature, 'sent', { lease: work.lease() });
      const tracked = await track(deps, timing, dropped, work.lease(), signal);
      if (tracked.outcome === 'landed' || tracked.outcome === 'failed') again = tracked.row;
    });
    return again;
  }

  /** An approval given in another process (command line or page) continues the plan. */
  private awaitAnswer(plan: Plan): void {
    const { planId } = plan;
    if (this.awaiting.has(planId) || this.signal.aborted) return;
    const waits = waitForApproval(this.deps, this.timing, planId, this.signal)
      .catch(() => undefined)
      .then((question) => {
        this.awaiting.delete(planId);
        if (question === undefined || this.woken.has(question) || this.signal.aborted) return;
        this.woken.add(question);
        this.start(plan);
      });
    this.awaiting.set(planId, waits);
  }

  /** Waits, without holding the wallet, until an optional stage is due, then runs it. */
  private async closeWhenDue(planId: string, wallet: Address): Promise<void> {
    const { deps, timing, signal } = this;
    const events: RunEvents = { landed: (row) => this.settle(row), progress: () => {} };
    for (let next = await nextOptional(deps, planId); next !== undefined; ) {
      const { stageId, slot } = next;
      while ((await deps.chain.head('confirmed')).slot < slot) {
        await deps.clock.sleep(timing.resendMs, signal);
      }
      await this.underLease(wallet, (work) => runOptional(work, planId, stageId, events));
      const after = await nextOptional(deps, planId);
      next = after?.stageId === stageId ? undefined : after;
    }
  }

  /**
   * Looks up open signatures also for plans with nothing left to do (C-BUNDLE-10). Another process that holds the
   * wallet looks them up itself, or lets its lease expire.
   */
  private async lookUpOpenSignatures(wallet: Address): Promise<void> {
    const { ledger, chain, clock } = this.deps;
    const { leaseMs } = this.timing;
    const network = await chain.genesisHash();
    for (let waited = 0; waited <= 2 * leaseMs; waited += leaseMs / 3) {
      if ((await ledger.rows('journal', { open: true, wallet, network })).length === 0) return;
      try {
        return await this.underLease(wallet, async () => {});
      } catch (error) {
        if (!(error instanceof ExecutionError && error.code === 'WALLET_BUSY')) throw error;
      }
      await clock.sleep(leaseMs / 3, this.signal);
    }
  }
}
