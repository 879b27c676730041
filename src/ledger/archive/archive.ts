/**
 * Moves finished plans (bytes, journal, facts) into a file of their own, so that the ledger stays small for ever.
 * Every row is in the archive, synced and read back, before it leaves the ledger; an interruption leaves it in both,
 * and the next run goes on. The chain of decisions itself stays: it can be verified without the archive, and with it
 * down to the facts. Spent amounts stay too, so every limit still counts them.
 */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Plan, PlanStatus } from '../../plan/types.ts';
import { rowWords } from '../chains/chains.ts';
import { evidenceFits } from '../chains/rowBreak.ts';
import { verifyChains } from '../chains/verify.ts';
import type { Database, Row, Value } from '../database.ts';
import { corrupt, LedgerError } from '../errors.ts';
import { markFile } from '../mark/markFile.ts';
import { readPlan } from '../plans/plans.ts';
import { openDatabase } from '../sqlite/database.ts';
import { bodyOf, factsOf } from '../sqlite/decisions.ts';
import { readJournal, readOpen } from '../sqlite/journal.ts';
import { ensureArchive, noteArchived } from './archived.ts';

/** A plan to be archived, and how it ended. */
export interface FinishedPlan {
  readonly planId: string;
  readonly status: PlanStatus;
}

export interface ArchiveRequest {
  /** Home folder; its `ledger.db` is the ledger. */
  readonly home: string;
  /** The archive, absolute. It is made, or added to when it is an archive of this ledger already. */
  readonly file: string;
  readonly plans: readonly FinishedPlan[];
  readonly clock: Clock;
}

export interface ArchiveReport {
  readonly plans: number;
  readonly signatures: number;
  readonly decisions: number;
  /** Size of the ledger's file, in bytes. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** False when another process kept the ledger busy, so that the freed space is reused instead of given back. */
  readonly compacted: boolean;
}

/** Plans moved by one transaction. */
const BATCH = 50;
const OWNER_NOTE = 'note archive-of';

/** Where the ledger of a home is. */
export const ledgerFile = (home: string): string => join(home, 'ledger.db');

/**
 * Archives plans. Rejects with `STATE_CONFLICT` while any signed transaction is open, and with `LEDGER_CORRUPT`
 * when the record of decisions is broken: damage is not put away.
 */
export async function archivePlans({ home, file, plans, clock }: ArchiveRequest): Promise<ArchiveReport> {
  const live = await openDatabase(ledgerFile(home), clock);
  try {
    await refuseOpen(live);
    const record = await live.snapshot((db) => verifyChains(db));
    if (record.brokenAt !== undefined) throw corrupt(`The decision record is broken at ${rowWords(record)}.`);
    const bytesBefore = statSync(ledgerFile(home)).size;
    const totals = { plans: 0, signatures: 0, decisions: 0 };
    if (plans.length > 0) {
      const archive = await openDatabase(file, clock);
      try {
        await requireSameLedger(archive, live);
        for (let at = 0; at < plans.length; at += BATCH) {
          const moved = await moveBatch(live, archive, recordedPath(home, file), plans.slice(at, at + BATCH));
          totals.plans += moved.plans;
          totals.signatures += moved.signatures;
          totals.decisions += moved.decisions;
        }
        // One file, complete in itself, without a write-ahead log beside it.
        await archive.all('PRAGMA journal_mode = DELETE');
      } finally {
        await archive.close();
      }
      chmodSync(file, 0o600);
    }
    const compacted = totals.plans === 0 || (await compact(live));
    return { ...totals, bytesBefore, bytesAfter: statSync(ledgerFile(home)).size, compacted };
  } finally {
    await live.close();
  }
}

/** Inside the home folder a relative path is kept, so that the home can be moved as a whole. */
function recordedPath(home: string, file: string): string {
  const inside = relative(home, file);
  return inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}

async function refuseOpen(live: Database): Promise<void> {
  const open = await readOpen(live, {});
  const [first] = open;
  if (first === undefined) return;
  const others = open.length === 1 ? '' : ` and ${open.length - 1} more`;
  throw new LedgerError(
    'STATE_CONFLICT',
    `Plan ${first.planId}${others} may still change: a signed transaction is ${first.state} and not settled.`,
  );
}

/** An archive belongs to one ledger: the one whose first decision it names. */
async function requireSameLedger(archive: Database, live: Database): Promise<void> {
  const own =
    (await live.get('SELECT hash FROM decisions WHERE sequence = 1'))?.text('hash') ?? 'no decisions';
  const known = (await archive.get('SELECT value FROM meta WHERE key = ?', OWNER_NOTE))?.text('value');
  if (known === own) return;
  const used = (await archive.get('SELECT 1 FROM plans UNION SELECT 1 FROM decisions LIMIT 1')) !== undefined;
  if (known !== undefined || used) {
    throw new LedgerError('STATE_CONFLICT', 'The file is not an archive of this ledger.');
  }
  await archive.write((archive) => archive.run('INSERT INTO meta VALUES (?, ?)', OWNER_NOTE, own));
}

type Moved = Pick<ArchiveReport, 'plans' | 'signatures' | 'decisions'>;

/** One batch: checked, copied, synced and read back, and only then deleted, under one lock on the ledger. */
async function moveBatch(
  live: Database,
  archive: Database,
  file: string,
  plans: readonly FinishedPlan[],
): Promise<Moved> {
  return live.write(async (live, now) => {
    await refuseOpen(live);
    const number = await ensureArchive(live, file, now);
    const moving: { plan: Plan; status: PlanStatus }[] = [];
    for (const { planId, status } of plans) {
      const plan = await readPlan(live, planId);
      const held = await live.get("SELECT 1 FROM reservations WHERE plan_id = ? AND state = 'held'", planId);
      if (plan !== undefined && held === undefined) moving.push({ plan, status });
    }
    await archive.write(async (archive) => {
      for (const { plan } of moving) await copyPlan(live, archive, plan.planId);
    });
    let [signatures, decisions] = [0, 0];
    for (const { plan, status } of moving) {
      const { planId, intentKey, operation, mode, wallet, network, createdAt } = plan;
      await requireCopy(live, archive, planId);
      signatures += await live.run('DELETE FROM journal WHERE plan_id = ?', planId);
      decisions += await live.run(
        'DELETE FROM decision_facts WHERE sequence IN (SELECT sequence FROM decisions WHERE plan_id = ?)',
        planId,
      );
      for (const table of ['plans', 'revisions', 'marks']) {
        await live.run(`DELETE FROM ${table} WHERE plan_id = ?`, planId);
      }
      await noteArchived(live, number, {
        planId,
        intentKey,
        operation,
        mode,
        wallet,
        network,
        status,
        createdAt,
        archivedAt: now,
      });
    }
    return { plans: moving.length, signatures, decisions };
  });
}

/** What of a plan is moved, or (the decisions themselves) copied. */
const PARTS: readonly { readonly name: string; readonly columns: readonly string[]; readonly sql: string }[] =
  [
    part('plans', 'plan_id intent_key wallet network created_at body seal'),
    part('revisions', 'plan_id revision body'),
    part('marks', 'plan_id stage_id body'),
    part(
      'journal',
      'signature plan_id intent_key stage_id wallet network message_sha256 reservation body state slot detail updated_at seal',
    ),
    part('decisions', 'sequence time plan_id effect purpose class message_sha256 body hash'),
    {
      name: 'decision_facts',
      columns: ['sequence', 'facts', 'view'],
      sql: 'SELECT f.* FROM decision_facts f JOIN decisions d USING (sequence) WHERE d.plan_id = ?',
    },
  ];

function part(name: string, columns: string): (typeof PARTS)[number] {
  return { name, columns: columns.split(' '), sql: `SELECT * FROM ${name} WHERE plan_id = ?` };
}

async function copyPlan(live: Database, archive: Database, planId: string): Promise<void> {
  // What an interrupted run left of this plan is older than what the ledger holds.
  for (const table of ['plans', 'revisions', 'marks', 'journal']) {
    await archive.run(`DELETE FROM ${table} WHERE plan_id = ?`, planId);
  }
  for (const { name, columns, sql } of PARTS) {
    const slots = columns.map(() => '?').join(', ');
    for (const row of await live.all(sql, planId)) {
      await archive.run(`INSERT OR REPLACE INTO ${name} VALUES (${slots})`, ...values(row, columns));
    }
  }
}

const values = (row: Row, columns: readonly string[]): Value[] => columns.map((column) => row.value(column));

/** Reads a plan back from the archive: every row equal, every seal whole, all facts those of their decisions. */
async function requireCopy(live: Database, archive: Database, planId: string): Promise<void> {
  for (const { columns, sql } of PARTS) {
    const [from, to] = [await live.all(sql, planId), await archive.all(sql, planId)];
    const known = new Set(to.map((row) => JSON.stringify(values(row, columns))));
    if (from.some((row) => !known.has(JSON.stringify(values(row, columns))))) {
      throw new LedgerError('LEDGER_UNHEALTHY', 'The archive does not read back as it was written.');
    }
  }
  await readPlan(archive, planId);
  await readJournal(archive, { planId });
  const facts = await archive.all(
    `SELECT d.sequence, d.plan_id, d.body, f.view FROM decisions d JOIN decision_facts f USING (sequence)
     WHERE d.plan_id = ?`,
    planId,
  );
  for (const row of facts) {
    const kept = { facts: (await factsOf(archive, row.number('sequence'))) ?? '', view: row.text('view') };
    if (!evidenceFits(await bodyOf(archive, row), kept)) throw corrupt('Facts of a decision are damaged.');
  }
}

/** Gives the freed space back. A failure is not an error: the ledger uses the space again. */
async function compact(live: Database): Promise<boolean> {
  try {
    await live.all('VACUUM');
    await live.all('PRAGMA wal_checkpoint(TRUNCATE)');
    return true;
  } catch (error) {
    if (error instanceof LedgerError) return false;
    throw error;
  }
}

/** Whether a home has, or ever signed under, a ledger: one that is gone is lost, and not a new home (T80). */
export const hasLedger = (home: string): boolean =>
  existsSync(ledgerFile(home)) || existsSync(markFile(home));
