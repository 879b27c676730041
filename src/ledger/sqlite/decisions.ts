/**
 * The decision record: one row per decision, allowed or not, each bound by a hash to the one before in
 * its chain (chains/chains.ts). Changing, removing, moving or inserting a row breaks the chain from there on (chains/verify.ts).
 */
import { canonicalJson, jsonDigest } from '../../base/canonicalJson.ts';
import { freezeKey } from '../../policy/decide/reasons.ts';
import type { Facts, LedgerView } from '../../policy/decide/types.ts';
import { chainOf, extend, link, nextIn } from '../chains/chains.ts';
import type { Database, Row } from '../database.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type { DecisionInput, DecisionRecord } from '../types.ts';
import { pack, unpackLater } from './packed.ts';

const MAX_ROWS = 500;

/**
 * Appends a decision. Inside a write or on its own. It concerns its wallet, too: the later decisions about a plan are packed
 * against the first.
 */
export async function appendDecision(db: Database, input: DecisionInput): Promise<DecisionRecord> {
  return db.write(
    async (db, begun) => {
      const next = await nextIn(db, chainOf(input.principal), begun);
      const sequence = await db.decisionNumber();
      const { chain, place, time } = next;
      const { facts, view, ...rest } = input;
      const record = { id: `decision-${sequence}`, sequence, chain, place, time, ...rest };
      // The digest covers what the record was decided on; facts and view themselves are kept beside the chain.
      const body = canonicalJson({ ...record, evidence: evidence(facts, view) });
      const hash = link(next.previous, body);
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
      await extend(db, next, sequence, hash);
      return { ...record, hash };
    },
    [input.wallet],
  );
}

/** The digest of what a decision was made from, as its row has it. */
export const evidence = (facts: Facts, view: LedgerView): string => jsonDigest([facts, view]);

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
