import { existsSync, mkdtempSync, readdirSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archivePlans, ledgerFile } from '../../src/ledger/archive/archive.ts';
import { openArchives, type RecordReport } from '../../src/ledger/archive/archives.ts';
import { ledgerOf } from '../../src/ledger/principal.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Lease, Ledger } from '../../src/ledger/types.ts';
import {
  handClock,
  NETWORK,
  sampleDecision,
  sampleInput,
  samplePlan,
  sampleReserve,
  sampleRow,
  solPerDay,
  WALLET,
} from './samples.ts';

let home: string;
let archive: string;
let clock: ReturnType<typeof handClock>;
let ledger: Ledger;
let lease: Lease;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'archive-'));
  archive = join(home, 'archive', 'first.db');
  clock = handClock();
  ledger = openLedger({ home, clock });
  const got = await ledger.acquireLease(WALLET, 'test', 1e9);
  if (got === undefined) throw new Error('no lease');
  lease = got;
});
afterEach(() => ledger.close());

const DAY_LIMIT = solPerDay(1_000_000n);

/** A plan with one signature in the journal, settled unless told; its preview and its decision are recorded. */
async function plan(name: string, settled = true, principal?: string): Promise<string> {
  const of = principal === undefined ? ledger : ledgerOf(ledger, principal);
  const planId = `plan-${name}`;
  const stored = samplePlan({
    planId,
    intentKey: `intent-${name}`,
    createdAt: clock.at,
    ...(principal === undefined ? {} : { principal }),
  });
  await of.storePlan(stored);
  const decision = sampleDecision({ messageSha256: `message-${name}` });
  await of.recordDecision({ ...sampleInput(stored, 'swap', decision), purpose: 'preview' });
  const request = sampleReserve(lease, 100n, [DAY_LIMIT], { plan: stored, messageSha256: `message-${name}` });
  const outcome = await of.reserve(request);
  if (!outcome.ok) throw new Error(outcome.code);
  const row = { ...sampleRow(request, `signature-${name}`), decisionId: outcome.decisionId };
  await of.journalSigned(lease, outcome.reservationId, row);
  if (settled) {
    await of.journalMove(row.signature, 'finalized', { slot: 9 });
    await of.settle(row.signature, [{ asset: 'SOL', amount: 90n }]);
    await of.setMark(planId, { status: 'complete' });
  }
  clock.at += 1000;
  return planId;
}

const move = (planIds: readonly string[], file = archive) =>
  archivePlans({
    home,
    file,
    clock,
    plans: planIds.map((planId) => ({ planId, status: 'complete' as const })),
  });

async function verified(moved: readonly string[] = []): Promise<RecordReport> {
  const archives = await openArchives(home, clock, moved);
  try {
    return await archives.verify();
  } finally {
    await archives.close();
  }
}

/** Changes a file from outside, past the ledger. */
function tamper(file: string, sql: string): void {
  const db = new Libsql(file);
  expect(db.prepare(sql).run([]).changes).toBeGreaterThan(0);
  db.close();
}

describe('archiving finished plans', () => {
  it('moves bytes, journal and facts out, and keeps the chain of decisions', async () => {
    const [a, b] = [await plan('a'), await plan('b')];
    const report = await move([a]);
    expect(report).toMatchObject({ plans: 1, signatures: 1, decisions: 2 });
    expect(await ledger.plan(a)).toBeUndefined();
    expect(await ledger.journal({ planId: a })).toEqual([]);
    expect(await ledger.planRows(a)).toBeUndefined();
    expect(await ledger.decisionFacts('decision-1')).toBeUndefined();
    expect(await ledger.decisions({ planId: a })).toHaveLength(2);
    expect(await ledger.plan(b)).toBeDefined();
    expect(await ledger.journal({ planId: b })).toHaveLength(1);
    expect(await ledger.verifyDecisions()).toEqual({ rows: 4, chains: 1, elsewhere: 2 });
  });

  it('of several principals leaves each of their chains whole, down to the archived facts', async () => {
    const ids = [await plan('a', true, 'anna'), await plan('b', true, 'bela'), await plan('c')];
    await plan('d', true, 'anna');
    await move(ids);
    await plan('e', true, 'bela');
    expect(await ledger.verifyDecisions()).toEqual({ rows: 10, chains: 3, elsewhere: 6 });
    expect(await verified()).toMatchObject({ rows: 10, chains: 3, elsewhere: 0 });
    tamper(archive, "UPDATE decision_facts SET facts = replace(facts, 'A', 'B') WHERE sequence = 3");
    expect(await verified()).toMatchObject({ brokenAt: 3, why: 'facts changed', chain: 'principal:bela' });
  });

  it('verifies over archive and ledger down to the facts', async () => {
    const ids = [await plan('a'), await plan('b'), await plan('c')];
    await move(ids.slice(0, 2));
    await plan('d');
    const report = await verified();
    expect(report).toMatchObject({ rows: 8, elsewhere: 0 });
    expect(report).not.toHaveProperty('brokenAt');
    expect(report).not.toHaveProperty('damaged');
    expect(report.archives).toMatchObject([{ file: archive, plans: 2, found: true }]);
  });

  it('gives the whole plan back from the archive', async () => {
    const id = await plan('a');
    const before = await ledger.planRows(id, 10);
    const facts = await ledger.decisionFacts('decision-2');
    await move([id]);
    const archives = await openArchives(home, clock);
    expect(before?.decisions).toHaveLength(2);
    expect(await archives.plan(id, 10)).toEqual(before);
    expect(await archives.facts('decision-2')).toEqual(facts);
    expect(await archives.facts('decision-99')).toBeUndefined();
    await archives.close();
    expect(await ledger.archivedPlans({ intentKey: 'intent-a' })).toMatchObject([
      { planId: id, status: 'complete', file: join('archive', 'first.db'), archivedAt: clock.at },
    ]);
  });

  it('forgets nothing that was spent', async () => {
    const ids = [await plan('a'), await plan('b')];
    const used = () => ledger.used([DAY_LIMIT], WALLET, NETWORK);
    expect(await used()).toEqual({ 'sol-day': 180n });
    await move(ids);
    expect(await used()).toEqual({ 'sol-day': 180n });
    await ledger.close();
    ledger = openLedger({ home, clock });
    // The sums of the limits are checked against their parts before the first write.
    await expect(ledger.probe()).resolves.toBeUndefined();
  });

  it('refuses while a signed transaction is open, and moves nothing', async () => {
    const done = await plan('a');
    await plan('b', false);
    await expect(move([done])).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
    expect(existsSync(archive)).toBe(false);
    expect(await ledger.plan(done)).toBeDefined();
  });

  it('refuses a broken record, and moves nothing', async () => {
    const id = await plan('a');
    tamper(ledgerFile(home), "UPDATE decision_facts SET facts = replace(facts, 'A', 'B') WHERE sequence = 1");
    await expect(move([id])).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
    expect(existsSync(archive)).toBe(false);
  });

  it('refuses a file that is another ledger, or the archive of another', async () => {
    const id = await plan('a');
    const other = mkdtempSync(join(tmpdir(), 'archive-'));
    const stranger = openLedger({ home: other, clock });
    await stranger.storePlan(samplePlan());
    await expect(move([id], ledgerFile(other))).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
    expect(await stranger.plan(id)).toBeUndefined();
    await stranger.close();
    expect(await ledger.plan(id)).toBeDefined();
  });

  it('goes on after an interruption that left a plan in both files', async () => {
    const id = await plan('a');
    await move([id], archive);
    // As if the ledger had not got as far as deleting: a copy of what it held is put back.
    const kept = await openArchives(home, clock);
    const rows = await kept.plan(id, 0);
    await kept.close();
    tamper(ledgerFile(home), `DELETE FROM archived WHERE plan_id = '${id}'`);
    const db = new Libsql(ledgerFile(home));
    db.exec(`ATTACH '${archive}' AS old`);
    for (const table of ['plans', 'revisions', 'marks', 'journal', 'decision_facts']) {
      db.exec(`INSERT INTO main.${table} SELECT * FROM old.${table}`);
    }
    db.close();
    expect(await ledger.plan(id)).toEqual(rows?.plan);
    expect(await move([id])).toMatchObject({ plans: 1, signatures: 1, decisions: 2 });
    expect(await verified()).toMatchObject({ rows: 2, elsewhere: 0 });
  });

  it('adds to an archive, and to a second one', async () => {
    const [a, b, c] = [await plan('a'), await plan('b'), await plan('c')];
    await move([a]);
    await move([b]);
    await move([c], join(home, 'elsewhere.db'));
    const report = await verified();
    expect(report).toMatchObject({ rows: 6, elsewhere: 0 });
    expect(report.archives.map(({ plans }) => plans)).toEqual([2, 1]);
  });

  it('leaves one private file, and a smaller ledger', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 120; i++) ids.push(await plan(`${i}`));
    const report = await move(ids);
    expect(report).toMatchObject({ plans: 120, compacted: true });
    expect(report.bytesAfter).toBeLessThan(report.bytesBefore);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, 'archive'))).toEqual(['first.db']);
    expect(await verified()).toMatchObject({ rows: 240, elsewhere: 0 });
  });
});

describe('the record over an archive', () => {
  it.each([
    [
      'changed facts',
      "UPDATE decision_facts SET facts = replace(facts, 'A', 'B') WHERE sequence = 2",
      'facts changed',
    ],
    ['removed facts', 'DELETE FROM decision_facts WHERE sequence = 2', 'facts changed'],
  ])('shows %s in it', async (_, sql, why) => {
    await move([await plan('a')]);
    await plan('b');
    tamper(archive, sql);
    expect(await verified()).toMatchObject({ rows: 1, brokenAt: 2, why });
  });

  it.each([
    ['a changed signature', "UPDATE journal SET state = 'failed'"],
    ['a changed plan', "UPDATE plans SET body = replace(body, 'A', 'B')"],
    ['a removed plan', 'DELETE FROM plans'],
  ])('shows %s in it', async (_, sql) => {
    const id = await plan('a');
    await move([id]);
    tamper(archive, sql);
    expect(await verified()).toMatchObject({ damaged: { planId: id, file: archive } });
  });

  it('says what it could not look at when the archive is gone, and finds it where it is named', async () => {
    await move([await plan('a')]);
    await plan('b');
    const moved = join(home, 'first.db');
    renameSync(archive, moved);
    expect(await verified()).toMatchObject({ rows: 4, elsewhere: 2, archives: [{ found: false }] });
    expect(await verified([moved])).toMatchObject({ rows: 4, elsewhere: 0, archives: [{ found: true }] });
    expect(existsSync(archive)).toBe(false);
  });

  it('does not take facts that were deleted from the ledger for archived ones', async () => {
    await move([await plan('a')]);
    await plan('b');
    tamper(ledgerFile(home), 'DELETE FROM decision_facts WHERE sequence = 3');
    expect(await ledger.verifyDecisions()).toMatchObject({ brokenAt: 3, why: 'facts missing' });
  });
});
