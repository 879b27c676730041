/**
 * The decision record: one row per decision, allowed or not, each bound to the one before by a hash. Changing,
 * removing or inserting a row breaks the chain from there on.
 */
import { canonicalJson, jsonDigest, sha256Text } from '../../base/canonicalJson.ts';
import { freezeKey } from '../../policy/decide/reasons.ts';
import type { Facts, LedgerView } from '../../policy/decide/types.ts';
import { corrupt, LedgerError } from '../errors.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type { DecisionInput, DecisionRecord } from '../types.ts';
import type { Database, Row } from './database.ts';
import { pack, unpack } from './packed.ts';

/** What the first row is bound to. */
const GENESIS = '0'.repeat(64);
const MAX_ROWS = 500;

/** Appends a decision. Inside a write or on its own. */
export function appendDecision(db: Database, input: DecisionInput): DecisionRecord {
  return db.write((time) => {
    const last = db.get('SELECT sequence, hash FROM decisions ORDER BY sequence DESC LIMIT 1');
    const sequence = (last?.number('sequence') ?? 0) + 1;
    const { facts, view, ...rest } = input;
    const record = { id: `decision-${sequence}`, sequence, time, ...rest };
    // The digest covers what the record was decided on; facts and view themselves are kept beside the chain.
    const body = canonicalJson({ ...record, evidence: evidence(facts, view) });
    const hash = link(last?.text('hash') ?? GENESIS, body);
    const { decision } = input;
    const first = firstOf(db, input.planId);
    const told = JSON.stringify(facts);
    const firstFacts = first === undefined ? undefined : factsOf(db, first.sequence);
    db.run(
      'INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      sequence,
      time,
      input.planId,
      decision.effect,
      input.purpose,
      decision.class,
      decision.messageSha256,
      pack(body, first?.body),
      hash,
    );
    db.run(
      'INSERT INTO decision_facts VALUES (?, ?, ?)',
      sequence,
      pack(told, firstFacts),
      JSON.stringify(view),
    );
    db.run("INSERT INTO meta VALUES ('head', ?) ON CONFLICT DO UPDATE SET value = excluded.value", hash);
    return { ...record, hash };
  });
}

const evidence = (facts: Facts, view: LedgerView): string => jsonDigest([facts, view]);
const link = (previous: string, body: string): string => sha256Text(`${previous}\n${body}`);

/** The first decision about a plan: what the later ones are packed against. */
function firstOf(db: Database, planId: string): { sequence: number; body: string } | undefined {
  const row = db.get(
    'SELECT sequence, body FROM decisions WHERE plan_id = ? ORDER BY sequence LIMIT 1',
    planId,
  );
  return row && { sequence: row.number('sequence'), body: unpack(row.text('body')) };
}

/** The body of a decision row that has its `plan_id`. */
export const bodyOf = (db: Database, row: Row): string =>
  unpack(row.text('body'), () => firstOf(db, row.text('plan_id'))?.body);

/** The facts beside a decision, as text; `undefined` where they are not in this file. */
export function factsOf(db: Database, sequence: number): string | undefined {
  const row = db.get('SELECT facts FROM decision_facts WHERE sequence = ?', sequence);
  if (row === undefined) return undefined;
  return unpack(row.text('facts'), () => {
    const planId = db.get('SELECT plan_id FROM decisions WHERE sequence = ?', sequence)?.text('plan_id');
    const first = planId === undefined ? undefined : firstOf(db, planId)?.sequence;
    return first === undefined || first === sequence ? undefined : factsOf(db, first);
  });
}

function recordOf(db: Database, row: Row): DecisionRecord {
  const { evidence: _, ...record } = JSON.parse(bodyOf(db, row));
  return { ...record, hash: row.text('hash') };
}

/** Newest first. `before` is a sequence number. */
export function listDecisions(
  db: Database,
  filter: { planId?: string; principal?: string; limit?: number; before?: number },
): DecisionRecord[] {
  const { planId, principal, before = Number.MAX_SAFE_INTEGER } = filter;
  const limit = Math.min(Math.max(0, filter.limit ?? 50), MAX_ROWS);
  // A condition of its own for each way of asking: what may be absent is looked up through no index.
  const asked = [
    ...(planId === undefined ? [] : [{ where: 'plan_id = ?', value: planId }]),
    ...(principal === undefined ? [] : [{ where: `plan_id IN (${OWN_PLANS})`, value: principal }]),
  ];
  const where = [...asked.map((each) => each.where), 'sequence < ?'].join(' AND ');
  return db
    .all(
      `${RECORD} WHERE ${where} ORDER BY sequence DESC LIMIT ?`,
      ...asked.map(({ value }) => value),
      before,
      limit,
    )
    .map((row) => recordOf(db, row));
}

const RECORD = 'SELECT plan_id, body, hash FROM decisions';

/** The number in a decision's id. */
function sequenceOf(id: string): number | undefined {
  const sequence = Number(/^decision-(\d+)$/.exec(id)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** One decision by its id; `undefined` when there is none. */
export function readDecision(db: Database, id: string): DecisionRecord | undefined {
  const sequence = sequenceOf(id);
  const row = sequence === undefined ? undefined : db.get(`${RECORD} WHERE sequence = ?`, sequence);
  return row && recordOf(db, row);
}

/** What a decision was made from, so that it can be replayed. */
export function readFacts(db: Database, id: string): { facts: Facts; view: LedgerView } | undefined {
  const sequence = sequenceOf(id);
  if (sequence === undefined) return undefined;
  const row = db.get('SELECT * FROM decision_facts WHERE sequence = ?', sequence);
  if (row === undefined) return undefined;
  return { facts: JSON.parse(factsOf(db, sequence) ?? ''), view: JSON.parse(row.text('view')) };
}

/** Why a row does not fit the chain. */
export type Break = 'missing' | 'changed' | 'facts changed' | 'facts missing';

/** What a walk along the chain found. */
export interface ChainReport {
  readonly rows: number;
  /** The first sequence number that does not fit, and why. */
  readonly brokenAt?: number;
  readonly why?: Break;
  /** Rows whose facts were archived with their plan and were not looked at here. */
  readonly elsewhere: number;
}

/** The facts and view of an archived decision, as their archive holds them; `undefined` when it is not at hand. */
export type ArchivedEvidence = (sequence: number) => { facts: string; view: string } | undefined;

/**
 * Walks the chain from `from` on and returns how many rows it saw and the first sequence number that does not
 * fit: a row that is missing, or whose body, facts or hash was changed. Facts of archived plans are looked up
 * with `archived`, where it is given.
 */
export function verifyChain(
  db: Database,
  from = 1,
  archived: ArchivedEvidence = () => undefined,
): ChainReport {
  let [rows, elsewhere] = [0, 0];
  let previous =
    from === 1 ? GENESIS : db.get('SELECT hash FROM decisions WHERE sequence = ?', from - 1)?.text('hash');
  let expected = from;
  for (;;) {
    const page = db.all(
      `SELECT d.sequence, d.plan_id, d.time, d.effect, d.purpose, d.class, d.message_sha256, d.body, d.hash,
       f.view, a.archive
       FROM decisions d LEFT JOIN decision_facts f USING (sequence) LEFT JOIN archived a ON a.plan_id = d.plan_id
       WHERE sequence >= ? ORDER BY sequence LIMIT 200`,
      expected,
    );
    for (const row of page) {
      if (row.number('sequence') !== expected || previous === undefined) {
        return { rows, brokenAt: expected, why: 'missing', elsewhere };
      }
      const why = breakOf(db, row, previous, archived);
      if (why === 'elsewhere') elsewhere += 1;
      else if (why !== undefined) return { rows, brokenAt: expected, why, elsewhere };
      previous = row.text('hash');
      expected += 1;
      rows += 1;
    }
    if (page.length === 0) break;
  }
  const head = db.get("SELECT value FROM meta WHERE key = 'head'")?.text('value') ?? GENESIS;
  return previous === head ? { rows, elsewhere } : { rows, brokenAt: expected, why: 'missing', elsewhere };
}

/** Why a row does not fit, if so. What cannot be read of it was changed. */
function breakOf(
  db: Database,
  row: Row,
  previous: string,
  archived: ArchivedEvidence,
): Break | 'elsewhere' | undefined {
  const body = readable(() => bodyOf(db, row));
  const hash = readable(() => row.text('hash'));
  if (body === undefined || hash === undefined) return 'changed';
  const found = linkBreak(row, body, previous);
  if (found !== undefined) return found;
  const held = row.maybeText('view') !== undefined;
  const facts = held ? (readable(() => factsOf(db, row.number('sequence'))) ?? '') : undefined;
  return evidenceBreak(row, body, facts, archived);
}

/** A text that may be damaged: then it is none. */
export function readable(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'LEDGER_CORRUPT') return undefined;
    throw error;
  }
}

/** Whether a row is bound to the one before, and its columns say what its body says. */
function linkBreak(row: Row, body: string, previous: string): Break | undefined {
  if (link(previous, body) !== row.text('hash')) return 'changed';
  const said = JSON.parse(body);
  const { planId, time, decision, purpose } = said;
  const columns = [planId, time, decision.effect, purpose, decision.class, decision.messageSha256];
  const found = [
    row.text('plan_id'),
    row.number('time'),
    row.text('effect'),
    row.text('purpose'),
    row.text('class'),
    row.text('message_sha256'),
  ];
  return canonicalJson(columns) === canonicalJson(found) ? undefined : 'changed';
}

/** Whether the facts beside a row are those it was decided on. */
function evidenceBreak(
  row: Row,
  body: string,
  live: string | undefined,
  archived: ArchivedEvidence,
): Break | 'elsewhere' | undefined {
  const archive = row.maybeNumber('archive');
  const kept =
    live !== undefined
      ? { facts: live, view: row.text('view') }
      : archive === undefined
        ? undefined
        : archived(row.number('sequence'));
  if (kept === undefined) return archive === undefined ? 'facts missing' : 'elsewhere';
  return evidenceFits(body, kept) ? undefined : 'facts changed';
}

/** Whether facts and view, as texts, are those the body of a decision row names. */
export function evidenceFits(body: string, { facts, view }: { facts: string; view: string }): boolean {
  try {
    return JSON.parse(body).evidence === evidence(JSON.parse(facts), JSON.parse(view));
  } catch {
    return false;
  }
}

/** Refuses when the newest rows of the chain do not fit. */
export function checkTail(db: Database): void {
  const newest = db.get('SELECT MAX(sequence) AS sequence FROM decisions')?.maybeNumber('sequence') ?? 0;
  const { brokenAt } = verifyChain(db, Math.max(1, newest - 50));
  if (brokenAt !== undefined) throw corrupt('The decision record is broken.');
}

/** Distinct reasons for a freeze since a time: messages denied for security at submit, an unlisted program once. */
export function countSecurityDenials(db: Database, since: number): number {
  const rows = db.all(
    `${RECORD}
     WHERE class = 'security' AND purpose = 'sign' AND effect = 'deny' AND time >= ?`,
    since,
  );
  return new Set(rows.map((row) => freezeKey(recordOf(db, row).decision))).size;
}
