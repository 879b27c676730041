/**
 * Where a plan and its stages stand, read from the journal and the marks. Pure: the same rows always give the same
 * status, in every process that reads them.
 */
import type { JournalRow, Ledger, Mark, PlanRows } from '../ledger/types.ts';
import type { Plan, PlanStatus, Stage, StageStatus } from '../plan/types.ts';
import type { DecodedTransaction } from '../transaction/types.ts';
import { transactionOf } from './deciding/candidate.ts';

/** One stage as it stands. */
export interface StageState {
  readonly stage: Stage;
  readonly status: StageStatus;
  /** The signed transaction the status comes from. */
  readonly row?: JournalRow;
  readonly mark?: Mark;
  /** The service's bytes as read; absent where the strict reader refuses them. */
  readonly transaction?: DecodedTransaction;
}

/** A plan as it stood at one moment: what the ledger holds of it, and what follows from that. */
export interface PlanSnapshot extends PlanRows {
  /** Every stage with its status, in the plan's order. */
  readonly states: readonly StageState[];
  /** What was last noted of the plan as a whole. */
  readonly mark?: Mark;
}

export function snapshotOf(held: PlanRows): PlanSnapshot {
  const mark = held.marks.find(({ stageId }) => stageId === undefined);
  const states = stageStates(held.plan, held.rows, held.marks);
  return { ...held, states, ...(mark === undefined ? {} : { mark }) };
}

/** A stored plan as it stands now, with its newest `decisions`; `undefined` where there is none of this id. */
export async function readSnapshot(
  ledger: Pick<Ledger, 'planRows'>,
  planId: string,
  decisions?: number,
): Promise<PlanSnapshot | undefined> {
  const held = await ledger.planRows(planId, decisions);
  return held && snapshotOf(held);
}

const LANDED: readonly StageStatus[] = ['confirmed', 'finalized'];
const IN_FLIGHT: readonly StageStatus[] = ['signed', 'sent', 'unknown'];

export const isLanded = (status: StageStatus): boolean => LANDED.includes(status);
export const isInFlight = (status: StageStatus): boolean => IN_FLIGHT.includes(status);

/** Every stage with its status, in the plan's order. */
export function stageStates(plan: Plan, rows: readonly JournalRow[], marks: readonly Mark[]): StageState[] {
  const landed = new Set<string>();
  // Stages are stored in an order in which each follows what it depends on.
  return plan.stages.map((stage): StageState => {
    const row = rows.findLast((known) => known.stageId === stage.id);
    const mark = marks.find((known) => known.stageId === stage.id);
    const status = statusOf(plan, stage, row, mark, landed);
    if (isLanded(status)) landed.add(stage.id);
    const transaction = transactionOf(stage);
    return {
      stage,
      status,
      ...(transaction === undefined ? {} : { transaction }),
      ...(row === undefined ? {} : { row }),
      ...(mark === undefined ? {} : { mark }),
    };
  });
}

function statusOf(
  plan: Plan,
  stage: Stage,
  row: JournalRow | undefined,
  mark: Mark | undefined,
  landed: ReadonlySet<string>,
): StageStatus {
  const free = stage.dependsOn.every((id) => landed.has(id)) ? 'ready' : 'waiting';
  if (row === undefined) return mark?.status === 'skipped' ? 'skipped' : free;
  if (row.state === 'chain_gone') return 'failed';
  // New bytes, or bytes whose blockhash is refreshed at each signature, may be signed after the old ones died.
  const replaced = row.revision < plan.revision || stage.refresh === 'blockhash';
  return row.state === 'expired' && replaced ? free : row.state;
}

/** Whether every stage a plan cannot do without has landed. */
export const allRequiredLanded = (states: readonly StageState[]): boolean =>
  states.every(({ stage, status }) => stage.optional || isLanded(status));

/**
 * The plan's status. What the journal shows comes before what was last noted: a noted denial says nothing any more
 * about a plan whose stages are in flight.
 */
export function planStatus(
  { plan, states, mark }: Pick<PlanSnapshot, 'plan' | 'states' | 'mark'>,
  running = false,
): PlanStatus {
  const required = states.filter(({ stage }) => !stage.optional);
  if (mark?.status === 'complete') return 'complete';
  if (required.some(({ status }) => status === 'failed')) return 'failed';
  if (running) return 'running';
  if (required.some(({ status }) => status === 'unknown')) return 'unknown';
  if (required.some(({ status }) => status === 'signed' || status === 'sent')) return 'running';
  const noted = mark?.status;
  if (noted === 'denied' || noted === 'approval_required' || noted === 'failed' || noted === 'unknown') {
    return noted;
  }
  const waits = plan.readiness?.status === 'setup_required' && allRequiredLanded(states);
  return waits || noted === 'waiting_setup' ? 'waiting_setup' : 'ready';
}
