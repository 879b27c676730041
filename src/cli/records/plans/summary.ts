/**
 * Summarizes a plan for a person: known facts, doubts, next step. From the ledger alone, without chain or service.
 * Pure.
 */

import { listWords, several } from '../../../base/format.ts';
import { isInFlight, isLanded, type PlanSnapshot } from '../../../execution/status.ts';
import type { ApprovalRow, DecisionRecord, JournalRow } from '../../../ledger/types.ts';
import { operationWords, stageWords } from '../../../plan/operationNames.ts';
import type { Mode, Plan } from '../../../plan/types.ts';
import { explain } from '../../../presentation/decisions/explain.ts';
import type { PlanView, StageView } from '../../../presentation/planPort.ts';
import { amountWords } from '../../../presentation/statement/amounts.ts';
import { boundsOf } from '../../../presentation/statement/summary.ts';
import { OVER, STATUS_WORDS } from '../../../presentation/statusWords.ts';
import { planView } from '../../../presentation/view.ts';
import { stageFrom } from '../../../statement/view.ts';
import { shownId, timeWords } from '../history.ts';

/** Section of a plan in a list, most urgent first. */
export type Urgency = 'doubt' | 'person' | 'open' | 'done';

export interface StageSummary {
  readonly id: string;
  readonly what: string;
  readonly status: StageView['status'];
  readonly optional: boolean;
  readonly signature?: string;
  readonly note?: string;
}

/** A signature that may still land. */
export interface Doubt {
  /** Its state, until when it can land, and the amounts reserved for it. */
  readonly text: string;
  readonly signature: string;
}

export interface PlanSummary {
  readonly planId: string;
  readonly title: string;
  readonly mode: Mode;
  readonly network: string;
  readonly wallet: string;
  readonly status: PlanView['status'];
  readonly urgency: Urgency;
  readonly createdAt: number;
  readonly stages: readonly StageSummary[];
  readonly known: readonly string[];
  /** Empty if nothing is in doubt. */
  readonly doubt: readonly Doubt[];
  readonly next: string;
}

export function summarize(input: PlanSnapshot): PlanSummary {
  const { plan, rows, decisions } = input;
  const view = planView(input);
  const open = rows.filter((row) => isInFlight(row.state));
  const pending = input.approvals.find((row) => row.state === 'pending');
  return {
    planId: plan.planId,
    title: operationWords(plan.operation),
    mode: plan.mode,
    network: plan.network,
    wallet: plan.wallet,
    status: view.status,
    urgency: urgencyOf(view, open, pending),
    createdAt: plan.createdAt,
    stages: view.stages.map((stage, i) => stageSummary(stage, plan, i)),
    known: knownOf(input, view),
    doubt: open.map((row) => ({ text: doubtWords(row, decisions), signature: row.signature })),
    next: nextWords(view, open, pending, rows),
  };
}

function urgencyOf(view: PlanView, open: readonly JournalRow[], pending: ApprovalRow | undefined): Urgency {
  if (open.length > 0) return 'doubt';
  if (view.status === 'approval_required' && pending !== undefined) return 'person';
  return OVER.includes(view.status) || view.status.startsWith('denied') ? 'done' : 'open';
}

function stageSummary(stage: StageView, plan: Plan, index: number): StageSummary {
  const stored = plan.stages[index];
  return {
    id: shownId(stage.id),
    what: stored === undefined ? stage.kind : stageWords(stored.kind),
    status: stage.status,
    optional: stored?.optional ?? false,
    ...(stage.signature === undefined ? {} : { signature: stage.signature }),
    ...(stage.note === undefined ? {} : { note: stage.note }),
  };
}

function knownOf({ plan, rows, decisions }: PlanSnapshot, view: PlanView): string[] {
  const known: string[] = [];
  const needed = view.stages.filter((_, i) => plan.stages[i]?.optional !== true);
  const landed = needed.filter(({ status }) => isLanded(status)).length;
  known.push(
    needed.length === 1
      ? `Its only stage has ${landed === 0 ? 'not ' : ''}landed.`
      : `${landed === 0 ? 'None' : landed === needed.length ? 'All' : landed} of its ${needed.length} stages ` +
          `${landed < 2 && landed < needed.length ? 'has' : 'have'} landed.`,
  );
  const settled = needed.filter(({ status }) => status === 'confirmed').length;
  if (settled > 0) known.push(`${several(settled, 'landed stage is', 'landed stages are')} not final yet.`);
  const failed = view.stages.filter(({ status }) => status === 'failed').length;
  if (failed > 0 && !rows.some((row) => row.state === 'chain_gone')) {
    known.push(`${several(failed, 'stage')} landed and failed; the network fee is spent.`);
  }
  if (rows.some((row) => row.state === 'chain_gone')) {
    known.push('It was made for a sandbox whose chain is gone; nothing of it can land any more.');
  }
  const expired = rows.filter((row) => row.state === 'expired').length;
  if (expired > 0) known.push(`${several(expired, 'signature')} proven never to have landed.`);
  const last = decisions[0];
  if (last !== undefined && view.status !== 'complete') {
    known.push(`The policy said on ${timeWords(last.time)}: ${explain(last.decision)}`);
  }
  return known;
}

/** Describes one signature that may still land: state, deadline, and reserved amounts. */
function doubtWords(row: JournalRow, decisions: readonly DecisionRecord[]): string {
  const decision = decisions.find(({ id }) => id === row.decisionId)?.decision;
  const lines = decision?.statement === undefined ? [] : stageFrom(decision.statement).lines;
  const held = [...boundsOf(lines).leaves].map(([asset, units]) => amountWords(units, asset, new Map()));
  const what = {
    signed: 'was signed and perhaps sent',
    sent: 'was sent',
    unknown: 'was sent, and its outcome is unknown',
  };
  const state = row.state === 'signed' || row.state === 'sent' ? row.state : 'unknown';
  return (
    `Stage ${shownId(row.stageId)} ${what[state]} at ${timeWords(row.createdAt)}; it can land until block height ` +
    `${row.deadHeight}.${held.length === 0 ? '' : ` ${listWords(held)} stays reserved.`}`
  );
}

function nextWords(
  view: PlanView,
  open: readonly JournalRow[],
  pending: ApprovalRow | undefined,
  rows: readonly JournalRow[],
): string {
  if (open.length > 0) {
    return (
      'A running server determines the outcome by itself. If none runs, start one and have the plan submitted again: it checks ' +
      'the chain first and signs nothing twice.'
    );
  }
  const { person } = STATUS_WORDS[view.status];
  switch (view.status) {
    case 'approval_required':
      return pending === undefined
        ? person
        : `Your answer is awaited until ${timeWords(pending.expiresAt)}: \`countersign approve ${pending.id}\` or ` +
            `\`countersign deny ${pending.id}\`.`;
    case 'denied':
      return view.decision.remedy ?? person;
    case 'failed':
      return rows.some((row) => row.state === 'chain_gone') ? STATUS_WORDS.complete.person : person;
    case 'ready':
      return rows.some(({ state }) => isLanded(state))
        ? 'The rest continues when the agent submits it again.'
        : person;
    default:
      return person;
  }
}
