/** Reads the history of a period with a one-line description of each plan. Uses only ledger records. */

import { storedQuote } from '../../execution/deciding/quotes.ts';
import { readSnapshot } from '../../execution/status.ts';
import { noteOf } from '../../ledger/notes.ts';
import { movesIn, type RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import { approvalOfRow } from '../../ledger/sqlite/approvals.ts';
import type { Ledger } from '../../ledger/types.ts';
import { tokenNote } from '../../plan/notes.ts';
import type { Plan } from '../../plan/types.ts';
import { inputsDigest } from '../../policy/decide/decisionInputs.ts';
import type { Policy } from '../../policy/file/schema.ts';
import type { Statement } from '../../statement/types.ts';
import { stageFrom } from '../../statement/view.ts';
import type { Address } from '../../transaction/types.ts';
import { briefWords } from '../question/brief.ts';
import {
  addAgentsWords,
  addEvidence,
  type Evidence,
  namedToken,
  noEvidence,
  type TokenKnown,
} from '../question/evidence.ts';
import { peopleOf } from '../question/people.ts';
import { questionFacts, wasRead } from '../question/question.ts';
import { summarizeRequest } from '../requestSummary.ts';
import { statementOfStages } from '../statement/stages.ts';
import { type Activity, activityOf, type Period, type PlanRecord } from './activity.ts';

const PAGE = 200;
const MAX_DECISIONS = 200;

/** History entries and the names of their tokens. */
export interface Past {
  /** Newest first. */
  readonly all: readonly Activity[];
  readonly tokens: ReadonlyMap<Address, TokenKnown>;
}

/** Returns the plans of a period, newest first, without descriptions. */
export async function recordsIn(
  ledger: Pick<Ledger, 'rows' | 'planRows' | 'time'>,
  { from, until }: Period,
): Promise<{ readonly record: PlanRecord; readonly activity: Activity }[]> {
  const now = await ledger.time();
  const moves = new Map<string, RecordedMoves[]>();
  for (const each of movesIn(await ledger.rows('journal', {})))
    moves.set(each.planId, [...(moves.get(each.planId) ?? []), each]);
  const found: { record: PlanRecord; activity: Activity }[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await ledger.rows('plans', { limit: PAGE, offset });
    for (const plan of page) {
      if (plan.createdAt >= until) continue;
      const held = await readSnapshot(ledger, plan.planId, MAX_DECISIONS);
      if (held === undefined) continue;
      const record = { ...held, moves: moves.get(plan.planId) ?? [] };
      const activity = activityOf(record, now);
      if (activity.at >= from && activity.at < until) found.push({ record, activity });
    }
    if (page.length < PAGE) break;
  }
  return found.sort((a, b) => b.activity.at - a.activity.at);
}

/** Returns the plans of a period with descriptions. `policy` names their addresses. */
export async function activityIn(
  ledger: Pick<Ledger, 'rows' | 'planRows' | 'time'>,
  period: Period,
  policy?: Pick<Policy, 'wallets' | 'addressBook'>,
): Promise<Past> {
  const found = await recordsIn(ledger, period);
  const evidence = noEvidence();
  const { tokens } = evidence;
  for (const { record } of found)
    for (const { changes } of record.moves)
      for (const { asset, decimals } of changes) tokens.set(asset, { decimals });
  const named: { record: PlanRecord; activity: Activity; statement: Statement | undefined }[] = [];
  for (const { record, activity } of found) {
    await nameTokens(ledger, record.plan, evidence);
    await addDecimals(ledger, record, tokens);
    const statement = statementOfRecord(record);
    for (const line of statement?.lines ?? [])
      if (line.id === 'names' && typeof line.mint === 'string')
        tokens.set(line.mint, { ...tokens.get(line.mint), ...namedToken(line.name, line.symbol, 'bytes') });
    named.push({ record, activity, statement });
  }
  const all = await Promise.all(
    named.map(async ({ record, activity, statement }) => ({
      ...activity,
      ...(await descriptionOf(ledger, record, statement, evidence, policy)),
    })),
  );
  return { all, tokens };
}

/**
 * Returns a plan's statement: from its latest question, otherwise from the allowing decisions of its signed and
 * required stages; `undefined` if one has none.
 */
function statementOfRecord({ plan, rows, decisions, approvals }: PlanRecord): Statement | undefined {
  const required = plan.stages.flatMap(({ id, optional }) => (optional ? [] : [id]));
  // Optional stages have questions of their own.
  const [asked] = approvals
    .filter(({ stages }) => stages.some((id) => required.includes(id)))
    .toSorted((one, other) => other.createdAt - one.createdAt);
  if (asked !== undefined) return approvalOfRow(asked).statement;
  const signed = rows.filter(({ state }) => state !== 'expired').map(({ stageId }) => stageId);
  const stages = [...new Set([...signed, ...required])].map(
    (id) =>
      decisions.find(({ stageId, decision }) => stageId === id && decision.statement !== undefined)?.decision
        .statement,
  );
  if (stages.length === 0 || stages.includes(undefined)) return undefined;
  return statementOfStages(stages.map(stageFrom));
}

/** Adds decimals read by a plan's decisions if the plan has moved nothing. */
async function addDecimals(
  ledger: Pick<Ledger, 'rows'>,
  { decisions, moves }: PlanRecord,
  tokens: Evidence['tokens'],
): Promise<void> {
  const [newest] = decisions;
  if (moves.length > 0 || newest === undefined) return;
  const inputs = (await ledger.rows('decisions', { id: newest.id, inputs: true }))[0]?.made?.inputs;
  if (inputs === undefined || inputsDigest(inputs) !== newest.decision.inputsDigest) return;
  const read = noEvidence();
  addEvidence(inputs, read);
  for (const [mint, { decimals }] of read.tokens)
    if (decimals !== undefined) tokens.set(mint, { decimals, ...tokens.get(mint) });
}

/** Adds the agent's names for a plan's tokens. */
async function nameTokens(
  ledger: Pick<Ledger, 'rows'>,
  { principal, request: { fields } }: Plan,
  evidence: Evidence,
): Promise<void> {
  for (const mint of [fields.tokenMint, fields.baseMint, fields.inputMint, fields.outputMint])
    if (typeof mint === 'string')
      addAgentsWords(await noteOf(ledger, tokenNote(mint, principal)), mint, evidence);
}

/** Returns a plan's one-line description and its tokens. */
async function descriptionOf(
  ledger: Pick<Ledger, 'rows'>,
  { plan, decisions }: PlanRecord,
  statement: Statement | undefined,
  evidence: Evidence,
  policy: Pick<Policy, 'wallets' | 'addressBook'> | undefined,
): Promise<Pick<Activity, 'asked' | 'about'>> {
  const { operation, request } = plan;
  if (statement === undefined) {
    const quote = await storedQuote(ledger, plan);
    const summary = summarizeRequest({ operation, request }, quote);
    const units = new Map(
      [...evidence.tokens].flatMap(([mint, { decimals }]) =>
        decimals === undefined ? [] : [[mint, { decimals }] as const],
      ),
    );
    return {
      asked: summary.words(units),
      ...(summary.tokenMint === undefined ? {} : { about: [summary.tokenMint] }),
    };
  }
  const decided = decisions.filter(({ decision }) => decision.statement !== undefined);
  const people = peopleOf(plan, policy, []);
  const shown = decided.slice(0, 1).map(({ decision }) => decision);
  const facts = questionFacts({ plan, statement, decided: shown, evidence, people });
  return {
    asked: briefWords({ facts, read: decided.every(({ decision }) => wasRead(decision)) }),
    about: facts.flatMap((fact) => (fact.kind === 'what' ? fact.tokens.map(({ mint }) => mint) : [])),
  };
}
