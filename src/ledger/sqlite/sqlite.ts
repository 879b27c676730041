/**
 * The ledger on SQLite: one file, write-ahead log, every commit synced. Nothing is opened, and the native library
 * is not loaded, until the first call; a damaged file makes it read-only.
 */
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { readArchived } from '../archive/archived.ts';
import { corrupt, LedgerError } from '../errors.ts';
import type { Ledger } from '../types.ts';
import { answerApproval, approvalUses, askApproval, readApprovals } from './approvals.ts';
import { type Database, openDatabase } from './database.ts';
import {
  appendDecision,
  checkTail,
  countSecurityDenials,
  listDecisions,
  readFacts,
  verifyChain,
} from './decisions.ts';
import {
  closeChainGone,
  journalMove,
  journalSigned,
  readJournal,
  readOpen,
  reservationOf,
} from './journal.ts';
import { acquireLease, releaseLease, renewLease } from './leases.ts';
import { clearMark, listPlans, readMarks, readPlan, readRevisions, savePlan, setMark } from './plans.ts';
import {
  releaseHeld,
  releaseOrphans,
  releaseReservation,
  reservationNumber,
  reserve,
  settleReservation,
  usedOf,
} from './reservations.ts';
import { freeze, frozen, leaseRequests, readNote, readQuote, saveQuote, setNote, unfreeze } from './state.ts';
import { checkSums } from './windows.ts';

/** Where the ledger is: a home folder (`ledger.db` in it) or a file. */
export type LedgerPlace = { readonly home: string } | { readonly file: string };

export interface LedgerOptions {
  readonly clock: Clock;
  /** Gets one sentence for a person when an earlier process was cut off in the middle of a write (F45). */
  readonly log?: (line: string) => void;
}

const TORN =
  'The last write to the ledger was cut off by a crash or a power cut. It never counted; everything before it is there.';

/**
 * The ledger of a home. Opens nothing until it is used.
 * Its methods reject with `LedgerError`: `LEDGER_CORRUPT`, `LEDGER_UNHEALTHY`, `LEDGER_VERSION`, `LEDGER_BUSY`,
 * `LEASE_LOST`, `NOT_FOUND`, `STATE_CONFLICT`.
 */
export function openLedger(options: LedgerPlace & LedgerOptions): Ledger {
  const file = 'file' in options ? options.file : join(options.home, 'ledger.db');
  let opening: Promise<Database> | undefined;
  let damage: LedgerError | undefined;
  let checked = false;

  const opened = (): Promise<Database> => {
    opening ??= openDatabase(file, options.clock, 'write', () => options.log?.(TORN)).catch(
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  const noticed = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      if (error instanceof LedgerError && error.code === 'LEDGER_CORRUPT') damage = error;
      throw error;
    }
  };
  const read = async <T>(call: (db: Database) => T): Promise<T> => {
    const db = await opened();
    return noticed(() => call(db));
  };
  /** Writes only into a file that was checked, as a whole, once in this process. */
  const write = async <T>(call: (db: Database) => T): Promise<T> => {
    const db = await opened();
    if (damage !== undefined) throw damage;
    if (!checked) {
      noticed(() => db.snapshot(() => check(db)));
      checked = true;
    }
    return noticed(() => call(db));
  };

  return {
    savePlan: (plan) => write((db) => savePlan(db, plan)),
    plan: (planId) => read((db) => readPlan(db, planId)),
    plans: (filter) => read((db) => listPlans(db, filter)),
    revisions: (planId) => read((db) => readRevisions(db, planId)),
    setMark: (planId, mark) => write((db) => setMark(db, planId, mark)),
    clearMark: (planId, stageId) => write((db) => clearMark(db, planId, stageId)),
    marks: (planId) => read((db) => readMarks(db, planId)),
    time: () => read((db) => db.time()),

    recordDecision: (input) => write((db) => appendDecision(db, input)),
    decisions: (filter) => read((db) => listDecisions(db, filter)),
    decisionFacts: (id) => read((db) => readFacts(db, id)),
    verifyDecisions: () => read((db) => verifyChain(db)),
    archivedPlans: (filter) => read((db) => readArchived(db, filter)),

    acquireLease: (wallet, holder, ttlMs) => write((db) => acquireLease(db, wallet, holder, ttlMs)),
    renewLease: (lease, ttlMs) => write((db) => renewLease(db, lease, ttlMs)),
    releaseLease: (lease) => write((db) => releaseLease(db, lease)),

    used: (limits, wallet, network, planId) =>
      read((db) => {
        const time = db.windowTime();
        return Object.fromEntries(
          limits.map((limit) => [limit.id, usedOf(db, limit, wallet, network, time, planId)]),
        );
      }),
    reserve: (request) => write((db) => reserve(db, request)),
    journalSigned: (lease, reservationId, row) => write((db) => journalSigned(db, lease, reservationId, row)),
    journalMove: (signature, state, change) => write((db) => journalMove(db, signature, state, change)),
    journal: (filter) => read((db) => readJournal(db, filter)),
    openRows: (filter) => read((db) => readOpen(db, filter)),
    settle: (signature, actual) => write((db) => settleReservation(db, reservationOf(db, signature), actual)),
    settled: (signature) =>
      read((db) => {
        const id = reservationOf(db, signature);
        return db.get('SELECT state FROM reservations WHERE id = ?', id)?.text('state') === 'settled';
      }),
    release: (by) =>
      write((db) => {
        if ('signature' in by) releaseReservation(db, reservationOf(db, by.signature));
        else releaseHeld(db, reservationNumber(by.reservationId));
      }),
    releaseOrphans: (lease) => write((db) => releaseOrphans(db, lease)),
    closeChainGone: (keepNetwork) => write((db) => closeChainGone(db, keepNetwork)),

    askApproval: (row) => write((db) => askApproval(db, row)),
    answerApproval: (id, answer) => write((db) => answerApproval(db, id, answer)),
    approvals: (filter) => read((db) => readApprovals(db, filter)),
    approvalUses: (id) => read((db) => approvalUses(db, id)),

    freeze: (reason) => write((db) => freeze(db, reason)),
    unfreeze: (statement) => write((db) => unfreeze(db, statement)),
    frozen: () => read((db) => frozen(db)),
    securityDenials: (since) => read((db) => countSecurityDenials(db, since)),

    saveQuote: (requestId, quote, expiresAt) => write((db) => saveQuote(db, requestId, quote, expiresAt)),
    quote: (requestId) => read((db) => readQuote(db, requestId)),
    leaseRequests: (origin, want, perHour) => write((db) => leaseRequests(db, origin, want, perHour)),
    note: (key) => read((db) => readNote(db, key)),
    setNote: (key, value) => write((db) => setNote(db, key, value)),

    probe: () => write((db) => setNote(db, 'probe', `${db.time()}`)),
    close: async () => {
      const open = opening;
      opening = undefined;
      checked = false;
      if (open !== undefined) (await open).close();
    },
  };
}

/** Looks at the whole file once: its structure, the newest decisions, the sums of the limits, every open row. */
function check(db: Database): void {
  const report = db.all('PRAGMA quick_check(1)').map((row) => row.text('quick_check'));
  if (report[0] !== 'ok') throw corrupt('The ledger file is damaged.');
  checkTail(db);
  checkSums(db);
  readOpen(db, {});
}
