/** What a person was asked, what was answered, and which stages used the answer up. */

import { LedgerError } from '../errors.ts';
import type { ApprovalRow, ApprovalState } from '../types.ts';
import type { Database, Row } from './database.ts';
import { checkSeal, seal } from './seal.ts';

type Question = Omit<ApprovalRow, 'state' | 'answeredAt' | 'channel' | 'statement'>;
type Answer = {
  readonly state: 'approved' | 'denied';
  readonly channel: NonNullable<ApprovalRow['channel']>;
  readonly statement?: string;
};

/** Stores a question. While the same question is open, or approved and not expired, that one is returned. */
export function askApproval(db: Database, question: Question): ApprovalRow {
  return db.write((now) => {
    const same = readApprovals(db, { planId: question.planId, envelopeDigest: question.envelopeDigest });
    const known = same.find(
      (row) => row.state === 'pending' || (row.state === 'approved' && !usedUp(db, row)),
    );
    if (known !== undefined) return known;
    const row: ApprovalRow = { ...question, state: 'pending', createdAt: now };
    write(db, row);
    return row;
  });
}

/** Every stage it covers has used it. */
const usedUp = (db: Database, row: ApprovalRow): boolean =>
  row.stages.every((stageId) => used(db, row.id, stageId));

const used = (db: Database, id: string, stageId: string): boolean =>
  db.get('SELECT 1 FROM approval_uses WHERE approval_id = ? AND stage_id = ?', id, stageId) !== undefined;

/** Answers a question once. An answer to one that is answered or expired is refused. */
export function answerApproval(db: Database, id: string, answer: Answer): ApprovalRow {
  return db.write((now) => {
    const [row] = readApprovals(db, { id });
    if (row === undefined) throw new LedgerError('NOT_FOUND', 'No approval has this id.');
    if (row.state !== 'pending') {
      throw new LedgerError('STATE_CONFLICT', `This approval is already ${row.state}.`);
    }
    const answered: ApprovalRow = { ...row, ...answer, answeredAt: now };
    write(db, answered);
    return answered;
  });
}

/** Uses an approval for one stage; `false` when it is not granted, expired, not for this stage or used already. */
export function consumeApproval(
  db: Database,
  approval: { readonly id: string; readonly stageId: string },
  reservation: number,
  now: number,
): boolean {
  const [row] = readApprovals(db, { id: approval.id });
  if (row?.state !== 'approved' || row.expiresAt <= now) return false;
  if (!row.stages.includes(approval.stageId) || used(db, row.id, approval.stageId)) return false;
  db.run('INSERT INTO approval_uses VALUES (?, ?, ?)', row.id, approval.stageId, reservation);
  return true;
}

/** Makes an approval usable again for a stage that was never signed. */
export function restoreApproval(db: Database, reservation: number): void {
  db.run('DELETE FROM approval_uses WHERE reservation = ?', reservation);
}

/** Stages that used an approval already. */
export function approvalUses(db: Database, id: string): string[] {
  return db
    .all('SELECT stage_id FROM approval_uses WHERE approval_id = ?', id)
    .map((row) => row.text('stage_id'));
}

/** Newest first. An unanswered question or an approval past its time reads as `expired`. */
export function readApprovals(
  db: Database,
  filter: { state?: ApprovalState; planId?: string; envelopeDigest?: string; id?: string },
): ApprovalRow[] {
  const { id, planId, envelopeDigest } = filter;
  const now = db.time();
  const all = 'SELECT * FROM approvals';
  const rows =
    id !== undefined
      ? db.all(`${all} WHERE id = ?`, id)
      : planId !== undefined
        ? db.all(`${all} WHERE plan_id = ? ORDER BY rowid DESC`, planId)
        : envelopeDigest !== undefined
          ? db.all(`${all} WHERE envelope_digest = ? ORDER BY rowid DESC`, envelopeDigest)
          : db.all(`${all} ORDER BY rowid DESC`);
  return rows
    .map((row) => rowOf(row, now))
    .filter((row) => planId === undefined || row.planId === planId)
    .filter((row) => envelopeDigest === undefined || row.envelopeDigest === envelopeDigest)
    .filter((row) => filter.state === undefined || row.state === filter.state);
}

function rowOf(row: Row, now: number): ApprovalRow {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('id'), row.text('plan_id'), row.text('envelope_digest'), body);
  const stored: ApprovalRow = JSON.parse(body);
  const lapsed = (stored.state === 'pending' || stored.state === 'approved') && stored.expiresAt <= now;
  return lapsed ? { ...stored, state: 'expired' } : stored;
}

function write(db: Database, row: ApprovalRow): void {
  const body = JSON.stringify(row);
  db.run(
    `INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, body = excluded.body, seal = excluded.seal`,
    row.id,
    row.planId,
    row.envelopeDigest,
    row.state,
    body,
    seal(row.id, row.planId, row.envelopeDigest, body),
  );
}
