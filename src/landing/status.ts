/**
 * Where a plan and its stages stand, read from the journal and the marks. Pure: the same rows always give the same
 * status, in every process that reads them.
 */
import type { JournalRow, Mark } from '../ledger/types.ts';
import type { Plan, PlanStatus, Stage, StageStatus } from '../plan/types.ts';

/** One stage as it stands. */
export interface StageState {
  readonly stage: Stage;
  readonly status: StageStatus;
  /** The signed transaction the status comes from. */
  readonly row?: JournalRow;
  readonly mark?: Mark;
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
    return {
      stage,
      status,
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
  plan: Plan,
  states: readonly StageState[],
  mark: Mark | undefined,
  running: boolean,
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
