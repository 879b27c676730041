/** Reads what a question shows from the ledger: the row, its plan, and the decisions it was made from. */

import { closedBy } from '../../answering/closedQuestion.ts';
import { jsonDigest } from '../../base/canonicalJson.ts';
import { approvalOfRow } from '../../ledger/sqlite/approvals.ts';
import type { ApprovalRow, DecisionRecord, Ledger } from '../../ledger/types.ts';
import { tokenNote } from '../../plan/tokenNames.ts';
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

/** How many decisions of a plan are read at once, and how often, for those a question was made from. */
const [DECISIONS, READS] = [200, 10];

/** One question as a person sees it; `undefined` when there is none by this id. */
export async function readApprovalView(
  ledger: Ledger,
  id: string,
  policy?: LoadedPolicy,
): Promise<ApprovalView | undefined> {
  const [row] = await ledger.approvals({ id });
  return row === undefined ? undefined : viewOf(ledger, row, policy);
}

/** Questions that wait for an answer, newest first: not those whose plan was cancelled or replaced. */
export async function openQuestions(ledger: Ledger): Promise<ApprovalRow[]> {
  const rows = await ledger.approvals({ state: 'pending' });
  const closed = await Promise.all(rows.map((row) => closedBy(ledger, row)));
  return rows.filter((_, index) => closed[index] === undefined);
}

/** The same as a person sees them. */
export async function pendingViews(ledger: Ledger, policy?: LoadedPolicy): Promise<ApprovalView[]> {
  const rows = await openQuestions(ledger);
  const views = await Promise.all(rows.map((row) => viewOf(ledger, row, policy)));
  return views.filter((view) => view !== undefined);
}

/** A row whose plan is gone is not shown: a person could not see what the approval is about. */
async function viewOf(
  ledger: Ledger,
  row: ApprovalRow,
  policy: LoadedPolicy | undefined,
): Promise<ApprovalView | undefined> {
  const plan = (await ledger.plans({ planId: row.planId }))[0];
  if (plan === undefined) return undefined;
  const records = await decisionsAbout(ledger, row);
  const decisions = new Map<string, Decision>();
  const evidence = noEvidence();
  for (const found of records) {
    decisions.set(found.stageId, found.decision);
    const inputs = (await ledger.decisions({ id: found.id, inputs: true }))[0]?.made?.inputs;
    // What is shown beside a decision is what it was made from, and nothing that was put there since (T133).
    if (inputs !== undefined && inputsDigest(inputs) === found.decision.inputsDigest)
      addEvidence(inputs, evidence);
  }
  for (const mint of mintsOf(plan)) {
    addAgentsWords(await ledger.note(tokenNote(mint, plan.principal)), mint, evidence);
  }
  return approvalView({ row, plan, decisions, evidence, policy });
}

/** The token a plan was asked for about. */
const mintsOf = ({ request: { fields } }: Plan): Address[] =>
  [fields.tokenMint, fields.baseMint].flatMap((mint) => (typeof mint === 'string' ? [mint] : []));

/**
 * The decisions a question was made from, found by their digests, so that a record that was changed since is not shown
 * (T133).
 */
async function decisionsAbout(ledger: Ledger, row: ApprovalRow): Promise<DecisionRecord[]> {
  const wanted = new Set(approvalOfRow(row).decisionDigests);
  const found: DecisionRecord[] = [];
  for (let reads = 0, before: number | undefined; reads < READS && wanted.size > 0; reads++) {
    const more = await ledger.decisions({
      ...{ planId: row.planId, limit: DECISIONS },
      ...(before === undefined ? {} : { before }),
    });
    for (const record of more) if (wanted.delete(jsonDigest(record.decision))) found.push(record);
    before = more.at(-1)?.sequence;
    if (more.length < DECISIONS) break;
  }
  return found.reverse();
}

/** What the stage of one decision does, from the statement recorded with it; empty where it was denied. */
export async function decisionInputs(
  ledger: Pick<Ledger, 'plans' | 'decisions'>,
  { id, planId, wallet, decision }: DecisionRecord,
): Promise<QuestionFact[]> {
  const plan = (await ledger.plans({ planId }))[0];
  if (plan === undefined || decision.statement === undefined) return [];
  const evidence = noEvidence();
  const inputs = (await ledger.decisions({ id, inputs: true }))[0]?.made?.inputs;
  if (inputs !== undefined && inputsDigest(inputs) === decision.inputsDigest) addEvidence(inputs, evidence);
  const people = peopleOf({ wallet }, undefined, decision.recipients);
  const statement = statementOfStages([stageFrom(decision.statement)]);
  return questionFacts({ plan, statement, decided: [decision], evidence, people });
}
