/**
 * The journal: one row per signed transaction, durable before its first send. Its bytes never change; only its
 * state moves, and only along the arrows below.
 */

import type { Database, Row } from '../database.ts';
import { corrupt, LedgerError } from '../errors.ts';
import { failedByMove } from '../plans/guarded.ts';
import type { JournalOutcome, JournalRow, JournalState, Lease } from '../types.ts';
import { isLeased, requireHeld } from './leases.ts';
import { overtaken, releaseReservation, reservationNumber, retakeReservation } from './reservations.ts';
import { checkSeal, seal } from './seal.ts';

/**
 * Where a row may go. A confirmed or failed transaction can fall out of a fork and is pending again; an expired
 * or closed one may turn out to have landed after all, and then the truth is written down.
 */
const ARROWS: Readonly<Record<JournalState, readonly JournalState[]>> = {
  signed: ['sent', 'confirmed', 'finalized', 'failed', 'expired', 'unknown', 'chain_gone'],
  sent: ['confirmed', 'finalized', 'failed', 'expired', 'unknown', 'chain_gone'],
  unknown: ['sent', 'confirmed', 'finalized', 'failed', 'expired', 'chain_gone'],
  confirmed: ['finalized', 'failed', 'sent', 'unknown', 'chain_gone'],
  failed: ['failed', 'expired', 'unknown', 'confirmed', 'finalized', 'chain_gone'],
  expired: ['confirmed', 'finalized', 'failed'],
  chain_gone: ['confirmed', 'finalized', 'failed'],
  // Only where nothing was settled: an RPC said "finalized", but the transaction was never seen.
  finalized: ['sent'],
};

/** Moves that decide something rather than observe it: only the holder of the wallet may make them. */
const DECIDING: readonly JournalState[] = ['sent', 'unknown', 'expired'];

/** A late landing reserves again the amounts that were released for it. */
const LANDED: readonly JournalState[] = ['confirmed', 'finalized', 'failed'];

type Fixed = Omit<JournalRow, 'state' | 'slot' | 'detail' | 'updatedAt'>;

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
    const { slot: _slot, detail: _detail, ...fixed } = row;
    const body = JSON.stringify({ ...fixed, createdAt: now });
    await db.run(
      "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'signed', NULL, NULL, ?, ?, ?)",
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
      seal(row.signature, reservation, body, 'signed', null, null, now),
      row.quoteId ?? null,
    );
    return { ok: true, row: { ...row, state: 'signed', createdAt: now, updatedAt: now } };
  });
}

export async function journalMove(
  db: Database,
  signature: string,
  state: JournalState,
  change: { readonly slot?: number; readonly detail?: string; readonly lease?: Lease } = {},
): Promise<void> {
  await db.write(async (db, now) => {
    const row = await db.get('SELECT * FROM journal WHERE signature = ?', signature);
    if (row === undefined) throw new LedgerError('NOT_FOUND', 'No signed transaction has this signature.');
    const current = rowOf(row);
    if (change.lease !== undefined) await requireHeld(db, change.lease);
    else if (DECIDING.includes(state)) throw new TypeError(`a row moves to ${state} only under a lease`);
    const isJudged = failedByMove({ ...current, state, detail: change.detail }) && !failedByMove(current);
    if (current.state === state && !isJudged) return;
    // Two processes may read one landing: the one with the older view writes later and changes nothing.
    if (current.state === 'finalized' && state === 'confirmed') return;
    const reserved = await db.get('SELECT state FROM reservations WHERE id = ?', row.number('reservation'));
    const settled = current.state === 'finalized' && reserved?.text('state') === 'settled';
    if (settled || !ARROWS[current.state].includes(state)) {
      throw new LedgerError('STATE_CONFLICT', `A ${current.state} transaction cannot become ${state}.`);
    }
    // The slot it had in a dropped fork does not count any more.
    const slot = state === 'sent' ? null : (change.slot ?? current.slot ?? null);
    const detail = change.detail ?? null;
    if (LANDED.includes(state)) await retakeReservation(db, row.number('reservation'), current.decisionId);
    await db.run(
      'UPDATE journal SET state = ?, slot = ?, detail = ?, updated_at = ?, seal = ? WHERE signature = ?',
      state,
      slot,
      detail,
      now,
      seal(signature, row.number('reservation'), row.text('body'), state, slot, detail, now),
      signature,
    );
  });
}

function rowOf(row: Row): JournalRow {
  const body = row.text('body');
  const state = row.text('state');
  const [slot, detail, updatedAt] = [
    row.maybeNumber('slot'),
    row.maybeText('detail'),
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
    updatedAt,
  );
  const fixed: Fixed = JSON.parse(body);
  const found = [
    row.text('plan_id'),
    row.text('intent_key'),
    row.text('stage_id'),
    row.text('message_sha256'),
  ];
  const said = [fixed.planId, fixed.intentKey, fixed.stageId, fixed.messageSha256];
  if (found.some((value, i) => value !== said[i])) throw corrupt('A row of the journal is damaged.');
  return {
    ...fixed,
    state: stateOf(state),
    ...(slot === undefined ? {} : { slot }),
    ...(detail === undefined ? {} : { detail }),
    updatedAt,
  };
}

function stateOf(text: string): JournalState {
  const states: readonly string[] = Object.keys(ARROWS);
  const isState = (word: string): word is JournalState => states.includes(word);
  if (!isState(text)) throw corrupt('A row of the journal has an unknown state.');
  return text;
}

/** Oldest first. */
export async function readJournal(
  db: Database,
  filter: { planId?: string; intentKey?: string; signature?: string },
): Promise<JournalRow[]> {
  const { planId = null, intentKey = null, signature = null } = filter;
  if (planId === null && intentKey === null && signature === null) return [];
  const [column, value] =
    signature !== null
      ? ['signature', signature]
      : planId !== null
        ? ['plan_id', planId]
        : ['intent_key', intentKey];
  return (await db.all(`SELECT * FROM journal WHERE ${column} = ? ORDER BY rowid`, value))
    .map(rowOf)
    .filter((row) => planId === null || row.planId === planId)
    .filter((row) => intentKey === null || row.intentKey === intentKey);
}

/**
 * Rows whose amounts are neither settled nor given back, oldest first: all that may still have to be done. A signed
 * reservation without its row is damage.
 */
export async function readOpen(
  db: Database,
  filter: { wallet?: string; network?: string },
): Promise<JournalRow[]> {
  const { wallet, network } = filter;
  // The open rows of a wallet are few and in an index of their own; their network is looked at afterwards.
  const rows =
    wallet === undefined
      ? await db.all(`${OPEN} ORDER BY r.id`)
      : await db.all(`${OPEN} AND r.wallet = ? ORDER BY r.id`, wallet);
  return rows.map(rowOf).filter((row) => network === undefined || row.network === network);
}

const OPEN = `SELECT j.* FROM reservations r LEFT JOIN journal j ON j.reservation = r.id WHERE r.state = 'signed'`;

/** The reservation behind a signature. */
export async function reservationOf(db: Database, signature: string): Promise<number> {
  const row = await db.get('SELECT reservation FROM journal WHERE signature = ?', signature);
  if (row === undefined) throw new LedgerError('NOT_FOUND', 'No signed transaction has this signature.');
  return row.number('reservation');
}

/**
 * Closes open sandbox rows of other chains whose wallet no process has leased, and gives back what they reserved: one
 * transaction for each wallet.
 */
export async function closeChainGone(db: Database, keepNetwork: string): Promise<void> {
  const open = await readOpen(db, {});
  for (const wallet of new Set(open.filter((row) => isGone(row, keepNetwork)).map((row) => row.wallet)))
    await closeGoneOf(db, wallet, keepNetwork);
}

const isGone = ({ mode, network }: JournalRow, keepNetwork: string): boolean =>
  mode === 'sandbox' && network !== keepNetwork;

async function closeGoneOf(db: Database, wallet: string, keepNetwork: string): Promise<void> {
  await db.write(async (db, now) => {
    if (await isLeased(db, wallet, now)) return;
    for (const row of await readOpen(db, { wallet })) {
      if (!isGone(row, keepNetwork)) continue;
      await journalMove(db, row.signature, 'chain_gone', { detail: 'The embedded chain is gone.' });
      await releaseReservation(db, await reservationOf(db, row.signature));
    }
  });
}
