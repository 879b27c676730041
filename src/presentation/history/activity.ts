/**
 * History of plans: outcome, reason and balance changes of each. Uses only ledger records, without a chain; changes
 * are those the chain showed at finality, not the requested ones.
 */

import { isInFlight, isOnChain, type PlanSnapshot } from '../../execution/status.ts';
import type { RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import { stageWords } from '../../plan/operationNames.ts';
import type { Mode, PlanOperation } from '../../plan/types.ts';
import type { Address } from '../../transaction/types.ts';
import { chainErrorWords } from '../chainError.ts';
import { explain } from '../decisions/explain.ts';
import type { PlanView } from '../planPort.ts';
import { planView } from '../view.ts';

/** Outcome or current state of a plan. `open` may still be executed; `doubt` was signed and may still land. */
export type Outcome = 'landed' | 'denied' | 'expired' | 'cancelled' | 'failed' | 'asked' | 'doubt' | 'open';

/** The ledger's records of a plan. */
export interface PlanRecord extends PlanSnapshot {
  readonly moves: readonly RecordedMoves[];
}

/** A history entry. */
export interface Activity {
  readonly planId: string;
  readonly operation: PlanOperation;
  readonly mode: Mode;
  readonly network: string;
  readonly wallet: Address;
  /** Time of the latest event, milliseconds since the epoch. */
  readonly at: number;
  readonly outcome: Outcome;
  /** Description by the statement recorded with its decisions, in one line; the request if it was denied. */
  readonly asked?: string;
  /** Mints of its tokens. */
  readonly about?: readonly Address[];
  /** Reason for the outcome, in our own sentences; absent for a plan that landed. */
  readonly why?: string;
  /** Policy reason codes of a refused plan. */
  readonly reasonCodes: readonly string[];
  /** Balance changes of every landed transaction. */
  readonly moves: readonly RecordedMoves[];
  /** Landed signatures without recorded changes: not final yet. */
  readonly unrecorded: readonly string[];
}

/** A time span, milliseconds since the epoch: from `from` until just before `until`. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** Returns the history entry of a plan. `now` determines expiry. */
export function activityOf(record: PlanRecord, now: number): Activity {
  const { plan, rows, decisions, moves } = record;
  const view = planView(record);
  const { outcome, why } = endOf(record, view, now);
  const { planId, operation, mode, network, wallet } = plan;
  const recorded = new Set(moves.map(({ signature }) => signature));
  return {
    planId,
    operation,
    mode,
    network,
    wallet,
    at: Math.max(
      plan.createdAt,
      ...rows.map(({ createdAt }) => createdAt),
      ...decisions.filter(({ purpose }) => purpose === 'sign').map(({ time }) => time),
    ),
    outcome,
    ...(why === undefined ? {} : { why }),
    reasonCodes: outcome === 'denied' ? view.decision.reasonCodes : [],
    moves,
    unrecorded: rows
      .filter(({ state, signature }) => isOnChain(state) && !recorded.has(signature))
      .map(({ signature }) => signature),
  };
}

interface End {
  readonly outcome: Outcome;
  readonly why?: string;
}

function endOf(record: PlanRecord, view: PlanView, now: number): End {
  const { plan, rows } = record;
  if (rows.some(({ state }) => isInFlight(state))) {
    return { outcome: 'doubt', why: 'Signed; it is not known yet whether it landed.' };
  }
  switch (view.status) {
    case 'complete':
    case 'landed_unverified':
      return { outcome: 'landed' };
    case 'failed': {
      const died = rows.some(({ state }) => state === 'expired');
      const outcome = died && !rows.some(({ state }) => isOnChain(state)) ? 'expired' : 'failed';
      return { outcome, why: failure(record) };
    }
    case 'cancelled':
      return { outcome: 'cancelled', why: failure(record) };
    case 'expired':
      return { outcome: 'expired', why: failure(record) };
    case 'denied_by_owner':
    case 'denied':
      return { outcome: 'denied', why: view.decision.explain };
    case 'approval_required':
      return question(record, view, now);
    case 'unknown':
    case 'running':
      return { outcome: 'doubt', why: 'A stage landed and is not final yet, or its outcome is not known.' };
    case 'ready':
    case 'waiting_setup': {
      if (rows.some(({ state }) => isOnChain(state))) {
        return { outcome: 'open', why: 'Some stages landed; the rest was not signed yet.' };
      }
      if (rows.some(({ state }) => state === 'expired')) {
        return {
          outcome: 'expired',
          why: 'Signed, and proven never to have landed: nothing left the wallet.',
        };
      }
      const [last] = record.decisions;
      if (last?.decision.effect === 'deny') return { outcome: 'expired', why: explain(last.decision) };
      if (plan.expiresAt !== undefined && plan.expiresAt <= now) {
        return { outcome: 'expired', why: 'It expired before it was signed: nothing left the wallet.' };
      }
      return { outcome: 'open', why: 'Nothing was signed yet.' };
    }
  }
}

function failure({ plan, rows, planNote }: PlanRecord): string {
  if (rows.some(({ state }) => state === 'chain_gone')) {
    return 'It was made for a sandbox chain that no longer exists.';
  }
  const failed = rows.findLast(({ state }) => state === 'failed');
  if (failed === undefined) {
    return planNote?.note ?? 'It can no longer be completed.';
  }
  const kind = plan.stages.find(({ id }) => id === failed.stageId)?.kind;
  const what = kind === undefined ? 'A stage' : `"${stageWords(kind)}"`;
  const why = failed.detail === undefined ? 'the chain gave no reason' : chainErrorWords(failed.detail);
  return `${what} landed and failed (${why}): only its network fee was spent.`;
}

function question({ approvals }: PlanRecord, view: PlanView, now: number): End {
  const newest = [...approvals].sort((a, b) => b.createdAt - a.createdAt)[0];
  if (newest === undefined) return { outcome: 'open', why: view.decision.explain };
  if (newest.state === 'expired' || (newest.state === 'pending' && newest.expiresAt <= now)) {
    return { outcome: 'expired', why: 'The question expired without an answer.' };
  }
  if (newest.state === 'pending') return { outcome: 'asked', why: 'Your approval is awaited.' };
  return { outcome: 'open', why: view.decision.explain };
}

/** Combined changes of transactions: the fees, and each asset's change without them. */
export interface Total {
  readonly feeLamports: bigint;
  readonly changes: ReadonlyMap<string, { readonly units: bigint; readonly decimals: number }>;
}

export function totalOf(moves: readonly RecordedMoves[]): Total {
  let feeLamports = 0n;
  const changes = new Map<string, { units: bigint; decimals: number }>();
  for (const each of moves) {
    feeLamports += each.feeLamports;
    for (const { asset, units, decimals } of each.changes) {
      changes.set(asset, { units: (changes.get(asset)?.units ?? 0n) + units, decimals });
    }
  }
  return { feeLamports, changes: new Map([...changes].filter(([, { units }]) => units !== 0n)) };
}
