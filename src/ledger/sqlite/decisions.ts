/**
 * The decision record: one row per decision, allowed or not, each bound to the one before by a hash. Changing,
 * removing or inserting a row breaks the chain from there on.
 */
import { canonicalJson, jsonDigest, sha256Text } from '../../base/canonicalJson.ts';
import { freezeKey } from '../../policy/decide/reasons.ts';
import type { Facts, LedgerView } from '../../policy/decide/types.ts';
import type { Database, Row } from '../database.ts';
import { corrupt, LedgerError } from '../errors.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type { DecisionInput, DecisionRecord } from '../types.ts';
import { pack, unpackLater } from './packed.ts';

/** What the first row is bound to. */
export const GENESIS = '0'.repeat(64);
const MAX_ROWS = 500;

/** The lock of a chain of decisions: there is one for all. */
const chainLock = (): string => 'decisions';

/**
 * Appends a decision. Inside a write or on its own. It concerns its wallet, too: the later decisions about a plan are packed
 * against the first.
 */
export async function appendDecision(db: Database, input: DecisionInput): Promise<DecisionRecord> {
  return db.write(
    async (db, begun) => {
      await db.lock(chainLock());
      const last = await db.get('SELECT sequence, time, hash FROM decisions ORDER BY sequence DESC LIMIT 1');
      // A write of another wallet may have begun later and come first.
      const time = Math.max(begun, last?.number('time') ?? 0);
      const sequence = (last?.number('sequence') ?? 0) + 1;
      const { facts, view, ...rest } = input;
      const record = { id: `decision-${sequence}`, sequence, time, ...rest };
      // The digest covers what the record was decided on; facts and view themselves are kept beside the chain.
      const body = canonicalJson({ ...record, evidence: evidence(facts, view) });
      const hash = link(last?.text('hash') ?? GENESIS, body);
      const { decision } = input;
      const first = await firstOf(db, input.planId);
      const told = JSON.stringify(facts);
      const firstFacts = first === undefined ? undefined : await factsOf(db, first.sequence);
      await db.run(
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
      await db.run(
        'INSERT INTO decision_facts VALUES (?, ?, ?)',
        sequence,
        pack(told, firstFacts),
        JSON.stringify(view),
      );
      await db.run(
        "INSERT INTO meta VALUES ('head', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        hash,
      );
      return { ...record, hash };
    },
    [input.wallet],
  );
}

/** The digest of what a decision was made from, as its row has it. */
export const evidence = (facts: Facts, view: LedgerView): string => jsonDigest([facts, view]);
/** The hash of a row: over the hash of the row before, and its own body. */
export const link = (previous: string, body: string): string => sha256Text(`${previous}\n${body}`);

/** The first decision about a plan: what the later ones are packed against. */
async function firstOf(
  db: Database,
  planId: string,
): Promise<{ sequence: number; body: string } | undefined> {
  const row = await db.get(
    'SELECT sequence, body FROM decisions WHERE plan_id = ? ORDER BY sequence LIMIT 1',
    planId,
  );
  return row && { sequence: row.number('sequence'), body: await unpackLater(row.text('body')) };
}

/** The body of a decision row that has its `plan_id`. */
export const bodyOf = (db: Database, row: Row): Promise<string> =>
  unpackLater(row.text('body'), async () => (await firstOf(db, row.text('plan_id')))?.body);

/** The facts beside a decision, as text; `undefined` where they are not in this file. */
export async function factsOf(db: Database, sequence: number): Promise<string | undefined> {
  const row = await db.get('SELECT facts FROM decision_facts WHERE sequence = ?', sequence);
  if (row === undefined) return undefined;
  return unpackLater(row.text('facts'), async () => {
    const decision = await db.get('SELECT plan_id FROM decisions WHERE sequence = ?', sequence);
    const first = decision && (await firstOf(db, decision.text('plan_id')))?.sequence;
    return first === undefined || first === sequence ? undefined : factsOf(db, first);
  });
}

async function recordOf(db: Database, row: Row): Promise<DecisionRecord> {
  const { evidence: _, ...record } = JSON.parse(await bodyOf(db, row));
  return { ...record, hash: row.text('hash') };
}

/** Newest first. `before` is a sequence number. */
export async function listDecisions(
  db: Database,
  filter: { planId?: string; principal?: string; limit?: number; before?: number },
): Promise<DecisionRecord[]> {
  const { planId, principal, before = Number.MAX_SAFE_INTEGER } = filter;
  const limit = Math.min(Math.max(0, filter.limit ?? 50), MAX_ROWS);
  // A condition of its own for each way of asking: what may be absent is looked up through no index.
  const asked = [
    ...(planId === undefined ? [] : [{ where: 'plan_id = ?', value: planId }]),
    ...(principal === undefined ? [] : [{ where: `plan_id IN (${OWN_PLANS})`, value: principal }]),
  ];
  const where = [...asked.map((each) => each.where), 'sequence < ?'].join(' AND ');
  const rows = await db.all(
    `${RECORD} WHERE ${where} ORDER BY sequence DESC LIMIT ?`,
    ...asked.map(({ value }) => value),
    before,
    limit,
  );
  const records: DecisionRecord[] = [];
  for (const row of rows) records.push(await recordOf(db, row));
  return records;
}

const RECORD = 'SELECT plan_id, body, hash FROM decisions';

/** The number in a decision's id. */
function sequenceOf(id: string): number | undefined {
  const sequence = Number(/^decision-(\d+)$/.exec(id)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** One decision by its id; `undefined` when there is none. */
export async function readDecision(db: Database, id: string): Promise<DecisionRecord | undefined> {
  const sequence = sequenceOf(id);
  const row = sequence === undefined ? undefined : await db.get(`${RECORD} WHERE sequence = ?`, sequence);
  return row && recordOf(db, row);
}

/** What a decision was made from, so that it can be replayed. */
export async function readFacts(
  db: Database,
  id: string,
): Promise<{ facts: Facts; view: LedgerView } | undefined> {
  const sequence = sequenceOf(id);
  if (sequence === undefined) return undefined;
  const row = await db.get('SELECT * FROM decision_facts WHERE sequence = ?', sequence);
  if (row === undefined) return undefined;
  return { facts: JSON.parse((await factsOf(db, sequence)) ?? ''), view: JSON.parse(row.text('view')) };
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
export type ArchivedEvidence = (sequence: number) => Promise<{ facts: string; view: string } | undefined>;

/**
 * Walks the chain from `from` on and returns how many rows it saw and the first sequence number that does not
 * fit: a row that is missing, or whose body, facts or hash was changed. Facts of archived plans are looked up
 * with `archived`, where it is given.
 */
export async function verifyChain(
  db: Database,
  from = 1,
  archived: ArchivedEvidence = async () => undefined,
): Promise<ChainReport> {
  let [rows, elsewhere] = [0, 0];
  let previous =
    from === 1
      ? GENESIS
      : (await db.get('SELECT hash FROM decisions WHERE sequence = ?', from - 1))?.text('hash');
  let expected = from;
  for (;;) {
    const page = await db.all(
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
      const why = await breakOf(db, row, previous, archived);
      if (why === 'elsewhere') elsewhere += 1;
      else if (why !== undefined) return { rows, brokenAt: expected, why, elsewhere };
      previous = row.text('hash');
      expected += 1;
      rows += 1;
    }
    if (page.length === 0) break;
  }
  const head = (await db.get("SELECT value FROM meta WHERE key = 'head'"))?.text('value') ?? GENESIS;
  return previous === head ? { rows, elsewhere } : { rows, brokenAt: expected, why: 'missing', elsewhere };
}

/** Why a row does not fit, if so. What cannot be read of it was changed. */
async function breakOf(
  db: Database,
  row: Row,
  previous: string,
  archived: ArchivedEvidence,
): Promise<Break | 'elsewhere' | undefined> {
  const body = await readable(() => bodyOf(db, row));
  const hash = await readable(() => row.text('hash'));
  if (body === undefined || hash === undefined) return 'changed';
  const found = linkBreak(row, body, previous);
  if (found !== undefined) return found;
  const held = row.maybeText('view') !== undefined;
  const facts = held ? ((await readable(() => factsOf(db, row.number('sequence')))) ?? '') : undefined;
  return evidenceBreak(row, body, facts, archived);
}

/** A text that may be damaged: then it is none. */
export async function readable(
  read: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await read();
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
async function evidenceBreak(
  row: Row,
  body: string,
  live: string | undefined,
  archived: ArchivedEvidence,
): Promise<Break | 'elsewhere' | undefined> {
  const archive = row.maybeNumber('archive');
  const kept =
    live !== undefined
      ? { facts: live, view: row.text('view') }
      : archive === undefined
        ? undefined
        : await archived(row.number('sequence'));
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
export async function checkTail(db: Database): Promise<void> {
  const newest =
    (await db.get('SELECT MAX(sequence) AS sequence FROM decisions'))?.maybeNumber('sequence') ?? 0;
  const { brokenAt } = await verifyChain(db, Math.max(1, newest - 50));
  if (brokenAt !== undefined) throw corrupt('The decision record is broken.');
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
  for (const row of rows) {
    const record = await recordOf(db, row);
    if (record.principal === principal) reasons.add(freezeKey(record.decision));
  }
  return reasons.size;
}
