/**
 * The decision record: one row per decision, allowed or not, each bound by a hash to the one before in
 * its chain (chains/chains.ts). Changing, removing, moving or inserting a row breaks the chain from there on (chains/verify.ts).
 */
import { canonicalJson, jsonDigest } from '../../base/canonicalJson.ts';
import { inputsOfJson } from '../../policy/decide/decisionInputs.ts';
import { freezeKey } from '../../policy/decide/reasons.ts';
import type { DecisionInputs, LedgerView } from '../../policy/decide/types.ts';
import { chainOf, extend, link, nextIn } from '../chains/chains.ts';
import type { Database, Row } from '../database.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type { DecisionFilter, DecisionInput, DecisionRecord } from '../types.ts';
import { deflate, inflate } from './deflated.ts';

const MAX_ROWS = 500;

/** Appends a decision. Inside a write or on its own. */
export async function appendDecision(db: Database, input: DecisionInput): Promise<DecisionRecord> {
  return db.write(async (db, begun) => {
    const next = await nextIn(db, chainOf(input.principal), begun);
    const sequence = ((await db.get('SELECT MAX(sequence) AS n FROM decisions'))?.maybeNumber('n') ?? 0) + 1;
    const { chain, place, time } = next;
    const { inputs, view, ...rest } = input;
    const record = { id: `decision-${sequence}`, sequence, chain, place, time, ...rest };
    // The digest covers what the record was decided on; inputs and view themselves are kept beside the chain.
    const body = canonicalJson({ ...record, evidence: evidence(inputs, view) });
    const hash = link(next.previous, body);
    const { decision } = input;
    await db.run(
      'INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      sequence,
      time,
      input.planId,
      decision.effect,
      input.purpose,
      decision.class,
      decision.messageSha256,
      deflate(body),
      hash,
    );
    await db.run(
      'INSERT INTO decision_inputs VALUES (?, ?, ?)',
      sequence,
      deflate(JSON.stringify(inputs)),
      JSON.stringify(view),
    );
    await extend(db, next, sequence, hash);
    return { ...record, hash };
  });
}

/** The digest of what a decision was made from, as its row has it. */
export const evidence = (inputs: DecisionInputs, view: LedgerView): string => jsonDigest([inputs, view]);

function recordOf(row: Row): DecisionRecord {
  const { evidence: _, ...record } = JSON.parse(inflate(row.text('body')));
  return { ...record, hash: row.text('hash') };
}

/** The condition of a filter, and its values. */
function conditionOf({ planId, principal, effect, before = Number.MAX_SAFE_INTEGER }: DecisionFilter) {
  // A condition of its own for each way of asking: what may be absent is looked up through no index.
  const asked = [
    ...(planId === undefined ? [] : [{ where: 'plan_id = ?', value: planId }]),
    ...(effect === undefined ? [] : [{ where: 'effect = ?', value: effect }]),
    ...(principal === undefined ? [] : [{ where: `plan_id IN (${OWN_PLANS})`, value: principal }]),
  ];
  const where = [...asked.map((each) => each.where), 'sequence < ?'].join(' AND ');
  return { where, values: [...asked.map(({ value }) => value), before] };
}

/** How many there are, whatever the limit. */
export async function countDecisions(db: Database, filter: DecisionFilter): Promise<number> {
  const { where, values } = conditionOf(filter);
  const row = await db.get(`SELECT count(*) AS total FROM decisions WHERE ${where}`, ...values);
  return row?.number('total') ?? 0;
}

/** Newest first. */
export async function listDecisions(db: Database, filter: DecisionFilter): Promise<DecisionRecord[]> {
  const { where, values } = conditionOf(filter);
  const limit = Math.min(Math.max(0, filter.limit ?? 50), MAX_ROWS);
  const rows = await db.all(`${RECORD} WHERE ${where} ORDER BY sequence DESC LIMIT ?`, ...values, limit);
  return rows.map(recordOf);
}

const RECORD = 'SELECT body, hash FROM decisions';

/** One decision by its sequence number. */
export async function readDecision(db: Database, sequence: number): Promise<DecisionRecord | undefined> {
  const row = await db.get(`${RECORD} WHERE sequence = ?`, sequence);
  return row && recordOf(row);
}

/** The number in a decision's id. */
function sequenceOf(id: string): number | undefined {
  const sequence = Number(/^decision-(\d+)$/.exec(id)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** What a decision was made from, so that it can be replayed. */
export async function readInputs(
  db: Database,
  id: string,
): Promise<{ inputs: DecisionInputs; view: LedgerView } | undefined> {
  const sequence = sequenceOf(id);
  if (sequence === undefined) return undefined;
  const row = await db.get('SELECT * FROM decision_inputs WHERE sequence = ?', sequence);
  if (row === undefined) return undefined;
  return {
    inputs: inputsOfJson(JSON.parse(inflate(row.text('inputs')))),
    view: JSON.parse(row.text('view')),
  };
}

/**
 * Distinct reasons for a freeze since a time, of what one principal asked, or no principal: messages denied for security
 * at submit, an unlisted program once.
 */
export async function countSecurityDenials(db: Database, since: number, principal?: string): Promise<number> {
  const rows = await db.all(
    `${RECORD}
     WHERE class = 'security' AND purpose = 'sign' AND effect = 'deny' AND time >= ?`,
    since,
  );
  const reasons = new Set<string>();
  for (const record of rows.map(recordOf)) {
    if (record.principal === principal) reasons.add(freezeKey(record.decision));
  }
  return reasons.size;
}
