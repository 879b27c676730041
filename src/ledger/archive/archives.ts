/**
 * Archives read together with their ledger: facts of archived decisions, and the record verified over all of it.
 * A missing archive file is not an error: its decisions are counted as not checked.
 */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Facts, LedgerView } from '../../policy/decide/types.ts';
import { type ArchivedEvidence, readable } from '../chains/rowBreak.ts';
import { type ChainReport, verifyChains } from '../chains/verify.ts';
import type { Database, OpenDatabase } from '../database.ts';
import { LedgerError } from '../errors.ts';
import { readPlanRows } from '../plans/planRows.ts';
import { readPlan } from '../plans/plans.ts';
import { openDatabase } from '../sqlite/database.ts';
import { factsOf, readFacts } from '../sqlite/decisions.ts';
import { readJournal } from '../sqlite/journal.ts';
import type { PlanRows } from '../types.ts';
import { ledgerFile } from './archive.ts';
import { listArchives, readArchived } from './archived.ts';

/** One archive of a ledger. */
export interface ArchiveFile {
  readonly id: number;
  /** Absolute. */
  readonly file: string;
  /** When it was begun, milliseconds since the epoch. */
  readonly time: number;
  readonly plans: number;
  /** Whether the file is there. */
  readonly found: boolean;
}

/** The whole record verified: the ledger's chain, and the facts and seals in its archives. */
export interface RecordReport extends ChainReport {
  readonly archives: readonly ArchiveFile[];
  /** An archived plan whose rows are damaged or missing, and in which file. */
  readonly damaged?: { readonly planId: string; readonly file: string };
}

export interface Archives {
  readonly files: readonly ArchiveFile[];
  facts(decisionId: string): Promise<{ facts: Facts; view: LedgerView } | undefined>;
  /** An archived plan, with its newest `decisions`. */
  plan(planId: string, decisions: number): Promise<PlanRows | undefined>;
  verify(): Promise<RecordReport>;
  close(): Promise<void>;
}

/**
 * Opens the archives of a home's ledger, for reading. `moved` are archives that were moved since; they are found by
 * their file name.
 */
export async function openArchives(
  home: string,
  clock: Clock,
  moved: readonly string[] = [],
): Promise<Archives> {
  const live = await openDatabase(ledgerFile(home), clock, 'read');
  const open = new Map<number, OpenDatabase>();
  const files: ArchiveFile[] = [];
  for (const { id, file: recorded, time, plans } of await listArchives(live)) {
    const usual = resolve(home, recorded);
    const file = moved.find((path) => basename(path) === basename(recorded)) ?? usual;
    const found = existsSync(file);
    if (found) open.set(id, await openDatabase(file, clock, 'read'));
    files.push({ id, file, time, plans, found });
  }
  const dbs = [...open.values()];

  return {
    files,
    facts: async (decisionId) => {
      for (const db of dbs) {
        const kept = await readFacts(db, decisionId);
        if (kept !== undefined) return kept;
      }
      return undefined;
    },
    plan: async (planId, decisions) => {
      for (const db of dbs) {
        const kept = await readPlanRows(db, planId, decisions, live);
        if (kept !== undefined) return kept;
      }
      return undefined;
    },
    verify: async () => {
      const complete = files.every(({ found }) => found);
      const archived: ArchivedEvidence = async (sequence) => {
        for (const db of dbs) {
          const row = await db.get('SELECT view FROM decision_facts WHERE sequence = ?', sequence);
          if (row === undefined) continue;
          return { facts: (await readable(() => factsOf(db, sequence))) ?? '', view: row.text('view') };
        }
        // With every archive at hand, a row that none of them holds is a break and not something unseen.
        return complete ? { facts: '', view: '' } : undefined;
      };
      const chain = await live.snapshot((db) => verifyChains(db, archived));
      const damaged = await damagedPlan(live, files, open);
      return { ...chain, archives: files, ...(damaged === undefined ? {} : { damaged }) };
    },
    close: async () => {
      for (const db of [live, ...dbs]) await db.close();
    },
  };
}

/** The first archived plan whose rows are not whole. */
async function damagedPlan(
  live: Database,
  files: readonly ArchiveFile[],
  open: ReadonlyMap<number, Database>,
): Promise<RecordReport['damaged']> {
  for (const { id, file } of files) {
    const db = open.get(id);
    if (db === undefined) continue;
    const plans = await live.all('SELECT plan_id FROM archived WHERE archive = ?', id);
    for (const row of plans) {
      const planId = row.text('plan_id');
      try {
        await readArchived(live, { planId });
        await readJournal(db, { planId });
        if ((await readPlan(db, planId)) === undefined) return { planId, file };
      } catch (error) {
        if (error instanceof LedgerError && error.code === 'LEDGER_CORRUPT') return { planId, file };
        throw error;
      }
    }
  }
  return undefined;
}
