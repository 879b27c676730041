/**
 * The journal: one row per signed transaction, durable before its first send. Its bytes never change; its state changes only
 * along the transitions below.
 */

import { type Database, type Row, whereOf } from '../database.ts';
import { corrupt, LedgerError } from '../errors.ts';
import { movesOfText, movesText } from '../moves.ts';
import { failedByMove } from '../plans/guarded.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type {
  JournalChange,
  JournalFilter,
  JournalOutcome,
  JournalRow,
  JournalState,
  Lease,
} from '../types.ts';
import { requireHeld } from './leases.ts';
import {
  overtaken,
  releaseReservation,
  renewReservation,
  reservationNumber,
  settleReservation,
} from './reservations.ts';
import { checkSeal, seal } from './seal.ts';

/**
 * Allowed transitions. A confirmed or failed transaction is pending again if its fork is dropped; an expired or closed one
 * may have landed after all.
 */
const ARROWS: Readonly<Record<JournalState, readonly JournalState[]>> = {
  signed: ['sent', 'confirmed', 'finalized', 'failed', 'expired', 'unknown', 'chain_gone'],
  sent: ['confirmed', 'finalized', 'failed', 'expired', 'unknown', 'chain_gone'],
  unknown: ['sent', 'confirmed', 'finalized', 'failed', 'expired', 'chain_gone'],
  confirmed: ['finalized', 'failed', 'sent', 'unknown', 'chain_gone'],
  failed: ['failed', 'expired', 'unknown', 'confirmed', 'finalized', 'chain_gone'],
  expired: ['confirmed', 'finalized', 'failed'],
  chain_gone: ['confirmed', 'finalized', 'failed'],
  // Only before settlement: an RPC reported "finalized", but the transaction was never seen.
  finalized: ['sent'],
};

/** States that are decided, not observed: only the holder of the lease may set them. */
const DECIDING: readonly JournalState[] = ['sent', 'unknown', 'expired'];

/** States of a landing, which restores released amounts. */
const LANDED: readonly JournalState[] = ['confirmed', 'finalized', 'failed'];

/** States of transactions that never land, which release their amounts. */
const DEAD: readonly JournalState[] = ['expired', 'chain_gone'];

type Fixed = Omit<JournalRow, 'state' | 'slot' | 'detail' | 'moves' | 'updatedAt'>;

/** Writes the row of a new signature, unless its plan was overtaken since the reservation (T81). */
export async function journalSigned(
  db: Database,
  lease: Lease,
  reservationId: string,
  row: Omit<JournalRow, 'state' | 'createdAt' | 'updatedAt'>,
): Promise<JournalOutcome> {
  return db.write(async (db, now): Promise<JournalOutcome> => {
    await requireHeld(db, lease);
    const reservation = reservationNumber(reservationId);
    const held = await db.get('SELECT state, fence FROM reservations WHERE id = ?', reservation);
    if (held?.text('state') !== 'held' || held.number('fence') !== lease.fence) {
      throw new LedgerError('LEASE_LOST', 'The reservation of this signature was given back.');
    }
    const code = await overtaken(db, row.planId, row.revision);
    if (code !== undefined) {
      await releaseReservation(db, reservation);
      return { ok: false, code };
    }
    await db.run("UPDATE reservations SET state = 'signed' WHERE id = ?", reservation);
    const { slot: _slot, detail: _detail, moves: _moves, ...fixed } = row;
    const body = JSON.stringify({ ...fixed, createdAt: now });
    await db.run(
      "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'signed', NULL, NULL, NULL, ?, ?, ?)",
      row.signature,
      row.planId,
      row.intentKey,
      row.stageId,
      row.wallet,
      row.network,
      row.messageSha256,
      reservation,
      body,
      now,
      seal(row.signature, reservation, body, 'signed', null, null, null, now),
      row.quoteId ?? null,
    );
    return { ok: true, row: { ...row, state: 'signed', createdAt: now, updatedAt: now } };
  });
}

export async function journalMove(
  db: Database,
  signature: string,
  state: JournalState,
  change: JournalChange = {},
): Promise<void> {
  await db.write(async (db, now) => {
    const row = await db.get('SELECT * FROM journal WHERE signature = ?', signature);
    if (row === undefined) throw new LedgerError('NOT_FOUND', 'No signed transaction has this signature.');
    const current = rowOf(row);
    if (change.lease !== undefined) await requireHeld(db, change.lease);
    else if (DECIDING.includes(state)) throw new TypeError(`a row moves to ${state} only under a lease`);
    const isJudged = failedByMove({ ...current, state, detail: change.detail }) && !failedByMove(current);
    const reservation = row.number('reservation');
    const reserved = await db.get('SELECT state FROM reservations WHERE id = ?', reservation);
    const isSettled = reserved?.text('state') === 'settled';
    const isKnown = current.state === state && !isJudged;
    if (isKnown && (change.settled === undefined || isSettled)) return;
    // Two processes may read one landing; the later write with the older view changes nothing.
    if (current.state === 'finalized' && state === 'confirmed') return;
    const isFinal = current.state === 'finalized' && isSettled;
    if (isFinal || !(isKnown || ARROWS[current.state].includes(state))) {
      throw new LedgerError('STATE_CONFLICT', `A ${current.state} transaction cannot become ${state}.`);
    }
    // The slot in a dropped fork is obsolete.
    const slot = state === 'sent' ? null : (change.slot ?? current.slot ?? null);
    const detail = change.detail ?? null;
    const moves =
      change.settled?.moves === undefined
        ? (row.maybeText('moves') ?? null)
        : movesText(change.settled.moves);
    if (LANDED.includes(state)) await renewReservation(db, reservation, current.decisionId);
    await db.run(
      'UPDATE journal SET state = ?, slot = ?, detail = ?, moves = ?, updated_at = ?, seal = ? WHERE signature = ?',
      ...[state, slot, detail, moves, now],
      seal(signature, reservation, row.text('body'), state, slot, detail, moves, now),
      signature,
    );
    if (change.settled !== undefined) await settleReservation(db, reservation, change.settled.actual);
    if (DEAD.includes(state)) await releaseReservation(db, reservation);
  });
}

function rowOf(row: Row): JournalRow {
  const body = row.text('body');
  const state = row.text('state');
  const [slot, detail, moves, updatedAt] = [
    row.maybeNumber('slot'),
    row.maybeText('detail'),
    row.maybeText('moves'),
    row.number('updated_at'),
  ];
  checkSeal(
    row.text('seal'),
    row.text('signature'),
    row.number('reservation'),
    body,
    state,
    slot,
    detail,
    moves,
    updatedAt,
  );
  const fixed: Fixed = JSON.parse(body);
  const found = [
    row.text('plan_id'),
    row.text('intent_key'),
    row.text('stage_id'),
    row.text('message_sha256'),
  ];
  const stated = [fixed.planId, fixed.intentKey, fixed.stageId, fixed.messageSha256];
  if (found.some((value, i) => value !== stated[i])) throw corrupt('A row of the journal is damaged.');
  return {
    ...fixed,
    state: stateOf(state),
    ...(slot === undefined ? {} : { slot }),
    ...(detail === undefined ? {} : { detail }),
    ...(moves === undefined ? {} : { moves: movesOfText(moves) }),
    updatedAt,
  };
}

function stateOf(text: string): JournalState {
  const states: readonly string[] = Object.keys(ARROWS);
  const isState = (word: string): word is JournalState => states.includes(word);
  if (!isState(text)) throw corrupt('A row of the journal has an unknown state.');
  return text;
}

/**
 * Oldest first. `open`: rows with reserved amounts; a signed reservation without its row is damage.
 */
export async function readJournal(db: Database, filter: JournalFilter): Promise<JournalRow[]> {
  const { planId, intentKey, signature, wallet, network, principal, open } = filter;
  const conditions = whereOf(
    ['j.plan_id = ?', planId],
    ['j.intent_key = ?', intentKey],
    ['j.signature = ?', signature],
    // Open rows of a wallet have their own index.
    [open === true ? 'r.wallet = ?' : 'j.wallet = ?', wallet],
    [`j.plan_id IN (${OWN_PLANS})`, principal],
  );
  const [from, order] =
    open === true
      ? ["reservations r LEFT JOIN journal j ON j.reservation = r.id WHERE r.state = 'signed' AND", 'r.id']
      : ['journal j WHERE', 'j.rowid'];
  const rows = await db.all(
    `SELECT j.* FROM ${from} ${conditions.where} ORDER BY ${order}`,
    ...conditions.values,
  );
  return rows.map(rowOf).filter((row) => network === undefined || row.network === network);
}
