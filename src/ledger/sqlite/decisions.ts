/**
 * The decision record: one row per decision, allowed or not, each bound to the one before by a hash. Changing,
 * removing or inserting a row breaks the chain from there on.
 */
import { canonicalJson, jsonDigest, sha256Text } from '../../base/canonicalJson.ts';
import { freezeKey } from '../../policy/decide/reasons.ts';
import type { Facts, LedgerView } from '../../policy/decide/types.ts';
import { corrupt } from '../errors.ts';
import type { DecisionInput, DecisionRecord } from '../types.ts';
import type { Database, Row } from './database.ts';

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
    db.run(
      'INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      sequence,
      time,
      input.planId,
      decision.effect,
      input.purpose,
      decision.class,
      decision.messageSha256,
      body,
      hash,
    );
    db.run(
      'INSERT INTO decision_facts VALUES (?, ?, ?)',
      sequence,
      JSON.stringify(facts),
      JSON.stringify(view),
    );
    db.run("INSERT INTO meta VALUES ('head', ?) ON CONFLICT DO UPDATE SET value = excluded.value", hash);
    return { ...record, hash };
  });
}

const evidence = (facts: Facts, view: LedgerView): string => jsonDigest([facts, view]);
const link = (previous: string, body: string): string => sha256Text(`${previous}\n${body}`);

function recordOf(row: Row): DecisionRecord {
  const { evidence: _, ...record } = JSON.parse(row.text('body'));
  return { ...record, hash: row.text('hash') };
}

/** Newest first. `before` is a sequence number. */
export function listDecisions(
  db: Database,
  filter: { planId?: string; limit?: number; before?: number },
): DecisionRecord[] {
  return db
    .all(
      `SELECT body, hash FROM decisions WHERE (?1 IS NULL OR plan_id = ?1) AND (?2 IS NULL OR sequence < ?2)
       ORDER BY sequence DESC LIMIT ?3`,
      filter.planId ?? null,
      filter.before ?? null,
      Math.min(Math.max(0, filter.limit ?? 50), MAX_ROWS),
    )
    .map(recordOf);
}

/** The number in a decision's id. */
function sequenceOf(id: string): number | undefined {
  const sequence = Number(/^decision-(\d+)$/.exec(id)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** One decision by its id; `undefined` when there is none. */
export function readDecision(db: Database, id: string): DecisionRecord | undefined {
  const sequence = sequenceOf(id);
  const row =
    sequence === undefined
      ? undefined
      : db.get('SELECT body, hash FROM decisions WHERE sequence = ?', sequence);
  return row && recordOf(row);
}

/** What a decision was made from, so that it can be replayed. */
export function readFacts(db: Database, id: string): { facts: Facts; view: LedgerView } | undefined {
  const sequence = sequenceOf(id);
  if (sequence === undefined) return undefined;
  const row = db.get('SELECT * FROM decision_facts WHERE sequence = ?', sequence);
  if (row === undefined) return undefined;
  return { facts: JSON.parse(row.text('facts')), view: JSON.parse(row.text('view')) };
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
       f.facts, f.view, a.archive
       FROM decisions d LEFT JOIN decision_facts f USING (sequence) LEFT JOIN archived a ON a.plan_id = d.plan_id
       WHERE sequence >= ? ORDER BY sequence LIMIT 200`,
      expected,
    );
    for (const row of page) {
      if (row.number('sequence') !== expected || previous === undefined) {
        return { rows, brokenAt: expected, why: 'missing', elsewhere };
      }
      const why = linkBreak(row, previous) ?? evidenceBreak(row, archived);
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

/** Whether a row is bound to the one before, and its columns say what its body says. */
function linkBreak(row: Row, previous: string): Break | undefined {
  const body = row.text('body');
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
function evidenceBreak(row: Row, archived: ArchivedEvidence): Break | 'elsewhere' | undefined {
  const live = row.maybeText('facts');
  const archive = row.maybeNumber('archive');
  const kept =
    live !== undefined
      ? { facts: live, view: row.text('view') }
      : archive === undefined
        ? undefined
        : archived(row.number('sequence'));
  if (kept === undefined) return archive === undefined ? 'facts missing' : 'elsewhere';
  return evidenceFits(row.text('body'), kept) ? undefined : 'facts changed';
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
    `SELECT body, hash FROM decisions
     WHERE class = 'security' AND purpose = 'sign' AND effect = 'deny' AND time >= ?`,
    since,
  );
  return new Set(rows.map((row) => freezeKey(recordOf(row).decision))).size;
}
