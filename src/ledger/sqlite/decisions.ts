/**
 * The decision record: one row per decision, allowed or not, each linked by a hash to the previous one of
 * its chain (chains/chains.ts). Changing, removing, moving or inserting a row breaks the chain from there on (chains/verify.ts).
 */
import { canonicalJson, jsonDigest } from '../../base/canonicalJson.ts';
import { inputsOfJson } from '../../policy/decide/decisionInputs.ts';
import { freezeKey } from '../../policy/decide/reasons.ts';
import type { DecisionInputs, LedgerView } from '../../policy/decide/types.ts';
import { chainOf, extend, link, nextIn } from '../chains/chains.ts';
import { type Database, type Row, whereOf } from '../database.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type { DecisionFilter, DecisionInput, DecisionRecord, FreezeAfter } from '../types.ts';
import { deflate, inflate } from './deflated.ts';
import { freeze } from './state.ts';

const MAX_ROWS = 500;

/** Appends a decision. Inside a write or on its own. */
export async function appendDecision(db: Database, input: DecisionInput): Promise<DecisionRecord> {
  return db.write(async (db, begun) => {
    const next = await nextIn(db, chainOf(input.principal), begun);
    const sequence = ((await db.get('SELECT MAX(sequence) AS n FROM decisions'))?.maybeNumber('n') ?? 0) + 1;
    const { chain, place, time } = next;
    const { inputs, view, ...rest } = input;
    const record = { id: `decision-${sequence}`, sequence, chain, place, time, ...rest };
    // The digest covers inputs and view, which are stored beside the chain.
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

/** Returns the digest of a decision's inputs and view. */
export const evidence = (inputs: DecisionInputs, view: LedgerView): string => jsonDigest([inputs, view]);

function recordOf(row: Row): DecisionRecord {
  const { evidence: _, ...record } = JSON.parse(inflate(row.text('body')));
  return { ...record, hash: row.text('hash') };
}

// One condition per filter: an optional value would keep the database from using an index.
export const decisionWhere = ({ planId, principal, effect, id, before }: DecisionFilter) =>
  whereOf(
    ['plan_id = ?', planId],
    ['effect = ?', effect],
    [`plan_id IN (${OWN_PLANS})`, principal],
    ['sequence = ?', id === undefined ? undefined : sequenceOf(id)],
    ['sequence < ?', before],
  );

/** Newest first. */
export async function listDecisions(db: Database, filter: DecisionFilter): Promise<DecisionRecord[]> {
  const { where, values } = decisionWhere(filter);
  const rows = await db.all(
    `SELECT body, hash FROM decisions WHERE ${where} ORDER BY sequence DESC LIMIT ?`,
    ...values,
    Math.min(Math.max(0, filter.limit ?? 50), MAX_ROWS),
  );
  const records: DecisionRecord[] = [];
  for (const record of rows.map(recordOf)) {
    const made = filter.inputs === true ? await readInputs(db, record.sequence) : undefined;
    records.push({ ...record, ...(made === undefined ? {} : { made }) });
  }
  return records;
}

/** Parses a decision's id; returns 0, which no decision has, for other text. */
const sequenceOf = (id: string): number => Number(/^decision-(\d{1,15})$/.exec(id)?.[1] ?? 0);

/** Reads the inputs and view of a decision, for its replay. */
async function readInputs(db: Database, sequence: number): Promise<DecisionRecord['made']> {
  const row = await db.get('SELECT * FROM decision_inputs WHERE sequence = ?', sequence);
  if (row === undefined) return undefined;
  return {
    inputs: inputsOfJson(JSON.parse(inflate(row.text('inputs')))),
    view: JSON.parse(row.text('view')),
  };
}

/**
 * Records a decision that leads to no signature. A denial for security freezes its principal, or all, once there were
 * `freezeAfter.count` distinct ones at submit within `freezeAfter.windowMs`.
 */
export async function recordDecision(
  db: Database,
  input: DecisionInput,
  freezeAfter: FreezeAfter | undefined,
): Promise<DecisionRecord> {
  return db.write(async (db, now) => {
    const record = await appendDecision(db, input);
    const { principal } = record;
    if (
      freezeAfter !== undefined &&
      record.decision.class === 'security' &&
      (await countSecurityDenials(db, now - freezeAfter.windowMs, principal)) >= freezeAfter.count
    )
      await freeze(db, 'Too many transactions were denied for security.', principal);
    return record;
  });
}

/**
 * Counts distinct reasons for a freeze since a time, for one principal or none: messages denied for security at submit, an
 * unlisted program once.
 */
async function countSecurityDenials(db: Database, since: number, principal?: string): Promise<number> {
  const rows = await db.all(
    `SELECT body, hash FROM decisions
     WHERE class = 'security' AND purpose = 'sign' AND effect = 'deny' AND time >= ?`,
    since,
  );
  const reasons = new Set<string>();
  for (const record of rows.map(recordOf)) {
    if (record.principal === principal) reasons.add(freezeKey(record.decision));
  }
  return reasons.size;
}
