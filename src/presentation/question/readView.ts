/** Reads a question for display from the ledger: its row, plan and decisions. */

import { closedBy } from '../../answering/closedQuestion.ts';
import { jsonDigest } from '../../base/canonicalJson.ts';
import { noteOf } from '../../ledger/notes.ts';
import { approvalOfRow } from '../../ledger/sqlite/approvals.ts';
import type { ApprovalRow, DecisionRecord, Ledger } from '../../ledger/types.ts';
import { tokenNote } from '../../plan/notes.ts';
import type { Plan } from '../../plan/types.ts';
import { inputsDigest } from '../../policy/decide/decisionInputs.ts';
import type { Decision } from '../../policy/decide/types.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { stageFrom } from '../../statement/view.ts';
import type { Address } from '../../transaction/types.ts';
import { statementOfStages } from '../statement/stages.ts';
import { addAgentsWords, addEvidence, noEvidence } from './evidence.ts';
import { peopleOf } from './people.ts';
import { questionFacts } from './question.ts';
import type { QuestionFact } from './questionFacts.ts';
import { type ApprovalView, approvalView } from './view.ts';

/** Page size and maximum number of pages in the search for a question's decisions. */
const [DECISIONS, READS] = [200, 10];

/** Returns one question for display; `undefined` if no question has this id. */
export async function readApprovalView(
  ledger: Ledger,
  id: string,
  policy?: LoadedPolicy,
): Promise<ApprovalView | undefined> {
  const [row] = await ledger.rows('approvals', { id });
  return row === undefined ? undefined : viewOf(ledger, row, policy);
}

/** Returns unanswered questions, newest first, without those of cancelled or replaced plans. */
export async function openQuestions(ledger: Ledger): Promise<ApprovalRow[]> {
  const rows = await ledger.rows('approvals', { state: 'pending' });
  const closed = await Promise.all(rows.map((row) => closedBy(ledger, row)));
  return rows.filter((_, index) => closed[index] === undefined);
}

/** Returns the open questions for display. */
export async function pendingViews(ledger: Ledger, policy?: LoadedPolicy): Promise<ApprovalView[]> {
  const rows = await openQuestions(ledger);
  const views = await Promise.all(rows.map((row) => viewOf(ledger, row, policy)));
  return views.filter((view) => view !== undefined);
}

/**
 * Returns a question for display; `undefined` if its plan is missing, since the person could not see what the
 * approval covers.
 */
async function viewOf(
  ledger: Ledger,
  row: ApprovalRow,
  policy: LoadedPolicy | undefined,
): Promise<ApprovalView | undefined> {
  const plan = (await ledger.rows('plans', { planId: row.planId }))[0];
  if (plan === undefined) return undefined;
  const records = await decisionsAbout(ledger, row);
  const decisions = new Map<string, Decision>();
  const evidence = noEvidence();
  for (const found of records) {
    decisions.set(found.stageId, found.decision);
    const inputs = (await ledger.rows('decisions', { id: found.id, inputs: true }))[0]?.made?.inputs;
    // What is shown beside a decision is what it was made from, and nothing that was put there since (T133).
    if (inputs !== undefined && inputsDigest(inputs) === found.decision.inputsDigest)
      addEvidence(inputs, evidence);
  }
  for (const mint of mintsOf(plan)) {
    addAgentsWords(await noteOf(ledger, tokenNote(mint, plan.principal)), mint, evidence);
  }
  return approvalView({ row, plan, decisions, evidence, policy });
}

/** Returns the token a plan was requested for. */
const mintsOf = ({ request: { fields } }: Plan): Address[] =>
  [fields.tokenMint, fields.baseMint].flatMap((mint) => (typeof mint === 'string' ? [mint] : []));

/**
 * Returns the decisions of a question, found by their digests, so that records changed since are not shown (T133).
 */
async function decisionsAbout(ledger: Ledger, row: ApprovalRow): Promise<DecisionRecord[]> {
  const wanted = new Set(approvalOfRow(row).decisionDigests);
  const found: DecisionRecord[] = [];
  for (let reads = 0, before: number | undefined; reads < READS && wanted.size > 0; reads++) {
    const more = await ledger.rows('decisions', {
      ...{ planId: row.planId, limit: DECISIONS },
      ...(before === undefined ? {} : { before }),
    });
    for (const record of more) if (wanted.delete(jsonDigest(record.decision))) found.push(record);
    before = more.at(-1)?.sequence;
    if (more.length < DECISIONS) break;
  }
  return found.reverse();
}

/** Returns the inputs of one decision. */
export async function decisionInputs(
  ledger: Pick<Ledger, 'rows'>,
  { id, planId, wallet, decision }: DecisionRecord,
): Promise<QuestionFact[]> {
  const plan = (await ledger.rows('plans', { planId }))[0];
  if (plan === undefined || decision.statement === undefined) return [];
  const evidence = noEvidence();
  const inputs = (await ledger.rows('decisions', { id, inputs: true }))[0]?.made?.inputs;
  if (inputs !== undefined && inputsDigest(inputs) === decision.inputsDigest) addEvidence(inputs, evidence);
  const people = peopleOf({ wallet }, undefined, decision.recipients);
  const statement = statementOfStages([stageFrom(decision.statement)]);
  return questionFacts({ plan, statement, decided: [decision], evidence, people });
}
