/** What a person was asked, what was answered, and which stages used the answer up. */

import { LedgerError } from '../errors.ts';
import type { ApprovalRow, ApprovalState } from '../types.ts';
import type { Database, Row } from './database.ts';
import { checkSeal, seal } from './seal.ts';

type Question = Omit<ApprovalRow, 'state' | 'answeredAt' | 'channel' | 'statement' | 'reason'>;
type Answer = {
  readonly state: 'approved' | 'denied';
  readonly channel: NonNullable<ApprovalRow['channel']>;
  readonly statement?: string;
  readonly reason?: string;
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

/** Every stage it covers has used it. An approval of a whole run is a budget: the question says when it is used up. */
const usedUp = (db: Database, row: ApprovalRow): boolean =>
  budgetOf(row) === undefined && row.stages.every((stageId) => used(db, row.id, stageId));

/** What an approval of a whole run lets leave, by asset; `undefined` for an approval of single stages. */
export function budgetOf(row: ApprovalRow): ReadonlyMap<string, bigint> | undefined {
  const envelope: { expectation?: unknown; assets?: { asset: string; mostOut: string }[] } = JSON.parse(
    row.envelope,
  );
  if (envelope.expectation === undefined) return undefined;
  return new Map((envelope.assets ?? []).map(({ asset, mostOut }) => [asset, BigInt(mostOut)]));
}

/** What stages that landed or may still land have drawn on an approval, by asset. */
export function approvalDraws(db: Database, id: string): ReadonlyMap<string, bigint> {
  const drawn = new Map<string, bigint>();
  const rows = db.all(
    `SELECT d.* FROM approval_draws d JOIN reservations r ON r.id = d.reservation
     WHERE d.approval_id = ? AND r.state != 'released'`,
    id,
  );
  for (const row of rows) {
    const [asset, amount] = [row.text('asset'), row.text('amount')];
    checkSeal(row.text('seal'), id, row.number('reservation'), asset, amount);
    drawn.set(asset, (drawn.get(asset) ?? 0n) + BigInt(amount));
  }
  return drawn;
}

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

/** One stage's use of an approval, and what it takes out of the wallet, by asset. */
export interface ApprovalUse {
  readonly id: string;
  readonly stageId: string;
  readonly draws?: readonly { readonly asset: string; readonly amount: bigint }[];
}

/**
 * Uses an approval for one stage; `false` when it is not granted, expired, not for this stage or used already, or when
 * what is left of a whole run's approval does not suffice.
 */
export function consumeApproval(db: Database, use: ApprovalUse, reservation: number, now: number): boolean {
  const [row] = readApprovals(db, { id: use.id });
  if (row?.state !== 'approved' || (row.run?.until ?? row.expiresAt) <= now) return false;
  const budget = budgetOf(row);
  if (budget !== undefined) return draw(db, use, budget, reservation);
  if (!row.stages.includes(use.stageId) || used(db, row.id, use.stageId)) return false;
  db.run('INSERT INTO approval_uses VALUES (?, ?, ?)', row.id, use.stageId, reservation);
  return true;
}

function draw(
  db: Database,
  { id, stageId, draws = [] }: ApprovalUse,
  budget: ReadonlyMap<string, bigint>,
  reservation: number,
): boolean {
  const drawn = approvalDraws(db, id);
  const fits = draws.every(
    ({ asset, amount }) => (drawn.get(asset) ?? 0n) + amount <= (budget.get(asset) ?? 0n),
  );
  if (!fits) return false;
  db.run('INSERT OR REPLACE INTO approval_uses VALUES (?, ?, ?)', id, stageId, reservation);
  for (const { asset, amount } of draws) {
    const sealed = seal(id, reservation, asset, `${amount}`);
    db.run('INSERT INTO approval_draws VALUES (?, ?, ?, ?, ?)', id, reservation, asset, `${amount}`, sealed);
  }
  return true;
}

/** Makes an approval usable again for a stage that was never signed. */
export function restoreApproval(db: Database, reservation: number): void {
  db.run('DELETE FROM approval_uses WHERE reservation = ?', reservation);
  db.run('DELETE FROM approval_draws WHERE reservation = ?', reservation);
}

/** Stages that used an approval already. */
export function approvalUses(db: Database, id: string): string[] {
  return db
    .all('SELECT stage_id FROM approval_uses WHERE approval_id = ?', id)
    .map((row) => row.text('stage_id'));
}

/** Newest first. An unanswered question reads as `expired` past its time, and so does an approval under which nothing was signed in time. */
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
    .map((row) => rowOf(db, row, now))
    .filter((row) => planId === undefined || row.planId === planId)
    .filter((row) => envelopeDigest === undefined || row.envelopeDigest === envelopeDigest)
    .filter((row) => filter.state === undefined || row.state === filter.state);
}

function rowOf(db: Database, row: Row, now: number): ApprovalRow {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('id'), row.text('plan_id'), row.text('envelope_digest'), body);
  const stored: ApprovalRow = JSON.parse(body);
  if ((stored.state !== 'pending' && stored.state !== 'approved') || stored.expiresAt > now) return stored;
  const run = stored.state === 'approved' ? begunRun(db, stored) : undefined;
  return run !== undefined && run.until > now ? { ...stored, run } : { ...stored, state: 'expired' };
}

/** How long a run that has begun may go on under its approval, so that a plan that landed in part is not stuck. */
const RUN_MS = 24 * 60 * 60 * 1000;

/** The run an approval was first used for, while it had not expired; `undefined` where nothing was signed in time. */
function begunRun(db: Database, { id, expiresAt }: ApprovalRow): ApprovalRow['run'] {
  const firstSigned = db
    .get(
      `SELECT MIN(time) AS time FROM reservations WHERE id IN
       (SELECT reservation FROM approval_uses WHERE approval_id = ?1
        UNION SELECT reservation FROM approval_draws WHERE approval_id = ?1)`,
      id,
    )
    ?.maybeNumber('time');
  return firstSigned === undefined || firstSigned >= expiresAt
    ? undefined
    : { firstSigned, until: firstSigned + RUN_MS };
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
