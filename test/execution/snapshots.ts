/** Plan snapshots: stages and their journal states. */

import { snapshotOf } from '../../src/execution/status.ts';
import type { JournalRow, JournalState, PlanNote } from '../../src/ledger/types.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { Plan, Stage } from '../../src/plan/types.ts';
import { NETWORK, samplePlan, WALLET } from '../ledger/samples.ts';

/** Stage, with its journal state if signed. */
export interface Given extends Partial<Stage> {
  readonly id: string;
  readonly row?: JournalState;
  readonly slot?: number;
  /** Revision at which it was signed. */
  readonly of?: number;
}

export function stageOf({ row: _row, slot: _slot, of: _of, ...stage }: Given): Stage {
  return {
    kind: 'claim',
    format: 'v0',
    dependsOn: [],
    transaction: new DecodedStage(''),
    declared: {},
    optional: false,
    refresh: 'never',
    waitSlots: 0,
    ...stage,
  };
}

export const rowOf = ({ id, row = 'signed', slot, of = 0 }: Given): JournalRow => ({
  signature: `signature of ${id}`,
  planId: 'plan-1',
  revision: of,
  stageId: id,
  intentKey: 'intent of plan-1',
  wallet: WALLET,
  network: NETWORK,
  mode: 'live',
  transaction: '',
  messageSha256: 'a'.repeat(64),
  blockhash: '11111111111111111111111111111111',
  deadHeight: 200,
  policyHash: 'p'.repeat(64),
  decisionId: 'decision-1',
  state: row,
  ...(slot === undefined ? {} : { slot }),
  createdAt: 0,
  updatedAt: 0,
});

export const CLAIMS: Partial<Plan> = {
  operation: 'position_claim',
  request: { endpoint: 'claims', fields: {}, digest: 'd'.repeat(64) },
};

/** Returns a plan with these stages, of claims by default. */
export function snapshot(
  given: readonly Given[],
  plan: Partial<Plan> = CLAIMS,
  planNotes: readonly PlanNote[] = [],
  cancelled = false,
) {
  return snapshotOf({
    plan: samplePlan({ ...plan, stages: given.map(stageOf) }),
    rows: given.filter(({ row }) => row !== undefined).map(rowOf),
    planNotes,
    decisions: [],
    approvals: [],
    cancelled,
  });
}
