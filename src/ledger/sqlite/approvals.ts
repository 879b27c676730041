/** Approval questions, answers, and the coverage of signatures. */
import { sha256Text } from '../../base/canonicalJson.ts';
import { approvalFrom } from '../../statement/aggregate.ts';
import { covers } from '../../statement/covers.ts';
import { isWithin } from '../../statement/grant.ts';
import { runOf } from '../../statement/run.ts';
import type { Approval } from '../../statement/types.ts';
import { type Database, type Row, whereOf } from '../database.ts';
import { corrupt, LedgerError } from '../errors.ts';
import { OWN_PLANS } from '../plans/plans.ts';
import type { ApprovalFilter, ApprovalRow, Ledger, ReserveRequest } from '../types.ts';
import { answerOf } from '../wakes.ts';
import { checkSeal, seal } from './seal.ts';
import { readSignedStages } from './signedStages.ts';

type Question = Parameters<Ledger['askApproval']>[0];
type Answer = Parameters<Ledger['answerApproval']>[1];

/**
 * Stores a question and expires the open one of its plan. Returns the open row of the same question. A question with a
 * grant is approved by it; if the grant has ended or is used up, nothing is stored and the row reads `expired`.
 */
export async function askApproval(db: Database, question: Question): Promise<ApprovalRow> {
  return db.write(async (db, now) => {
    const { planId, approvalDigest } = question;
    const open = await readApprovals(db, { planId, state: 'pending' });
    const same = open.find((each) => each.approvalDigest === approvalDigest);
    if (same !== undefined) return same;
    const { grantId } = question;
    if (
      grantId !== undefined &&
      !grantAllows(await readApprovals(db, { grantId }), grantId, approvalOfRow(question), now)
    )
      return { ...question, state: 'expired' };
    for (const each of open) await write(db, { ...each, expiresAt: now });
    const granted = { state: 'approved', channel: 'grant', answeredAt: now } as const;
    const row: ApprovalRow = {
      ...question,
      ...(grantId === undefined ? { state: 'pending' } : granted),
      createdAt: now,
    };
    await write(db, row);
    return row;
  });
}

/** Answers a pending question. A denial of an approval with a grant revokes the grant. */
export async function answerApproval(db: Database, id: string, answer: Answer): Promise<ApprovalRow> {
  return db.write(async (db, now) => {
    const [row] = await readApprovals(db, { id });
    if (row === undefined) throw new LedgerError('NOT_FOUND', 'No approval has this id.');
    if (row.grant !== undefined && row.revokedAt === undefined && answer.state === 'denied') {
      const revoked = { ...row, revokedAt: now };
      await write(db, revoked);
      return revoked;
    }
    if (row.state !== 'pending') {
      throw new LedgerError('STATE_CONFLICT', `This approval is already ${row.state}.`);
    }
    const grantId = answer.grant === undefined ? {} : { grantId: id };
    const answered: ApprovalRow = { ...row, ...answer, ...grantId, answeredAt: now };
    await write(db, answered);
    await db.notify(answerOf(row.planId));
    return answered;
  });
}

/**
 * Returns whether an approval covers a run with the reserved stage: granted, not expired, for this wallet, and `covers` holds
 * with all other stages of the run in the ledger. Inside the write that reserves.
 */
export async function isCovered(
  db: Database,
  { id, run }: NonNullable<ReserveRequest['approval']>,
  {
    reservation,
    wallet,
    planId,
  }: { readonly reservation: number; readonly wallet: string; readonly planId: string },
  now: number,
): Promise<boolean> {
  const [row] = await readApprovals(db, { id });
  if (row?.wallet !== wallet || row.planId !== planId || row.state !== 'approved') return false;
  if ((row.run?.until ?? row.expiresAt) <= now) return false;
  // A run begun under a grant may finish after the grant expires, but not after its revocation.
  if (row.channel === 'grant' && !(await grantHolds(db, row, row.run?.firstSigned ?? now))) return false;
  const held = await readSignedStages(db, { planId }, reservation);
  return covers(approvalOfRow(row), runOf(run, held, now)).covered;
}

/** Returns the approvals by a grant that were or may be used. */
export const usesOfGrant = (rows: readonly ApprovalRow[], grantId: string): ApprovalRow[] =>
  rows.filter(({ id, state, run }) => id !== grantId && (state === 'approved' || run !== undefined));

/** Returns whether a valid grant allows an approval beside those that were or may be used. */
export function grantAllows(
  rows: readonly ApprovalRow[],
  grantId: string,
  one: Approval,
  now: number,
  ofId?: string,
): boolean {
  const granted = rows.find(({ id }) => id === grantId);
  if (granted?.grant === undefined || granted.revokedAt !== undefined || granted.grant.until <= now)
    return false;
  const others = usesOfGrant(rows, grantId).filter(({ id }) => id !== ofId);
  return isWithin(approvalOfRow(granted), granted.grant, others.map(approvalOfRow), one);
}

const grantHolds = async (db: Database, row: ApprovalRow, now: number): Promise<boolean> =>
  grantAllows(
    await readApprovals(db, { grantId: row.grantId ?? '' }),
    row.grantId ?? '',
    approvalOfRow(row),
    now,
    row.id,
  );

/**
 * Parses the approval an owner was asked for. The owner key signs its digest: text with another digest was inserted by
 * another writer of the database (T133).
 * @throws LedgerError LEDGER_CORRUPT
 */
export function approvalOfRow({
  scopeText,
  approvalDigest,
}: Pick<ApprovalRow, 'scopeText' | 'approvalDigest'>): Approval {
  if (sha256Text(scopeText) !== approvalDigest)
    throw corrupt('The text of an approval does not match its digest.');
  return approvalFrom(scopeText);
}

/** Newest first. Past its time, an unanswered question and an unused approval read as `expired`. */
export async function readApprovals(db: Database, filter: ApprovalFilter): Promise<ApprovalRow[]> {
  const { id, planId, approvalDigest, grantId, principal } = filter;
  const { where, values } = whereOf(
    ['id = ?', id],
    ['plan_id = ?', planId],
    ['approval_digest = ?', approvalDigest],
    ['grant_id = ?', grantId === 'any' ? undefined : grantId],
    [`plan_id IN (${OWN_PLANS})`, principal],
  );
  const granting = grantId === 'any' ? 'AND grant_id = id' : '';
  const now = await db.time();
  const found: ApprovalRow[] = [];
  const rows = await db.all(
    `SELECT * FROM approvals WHERE ${where} ${granting} ORDER BY rowid DESC`,
    ...values,
  );
  for (const row of rows) found.push(await rowOf(db, row, now));
  return found.filter((row) => filter.state === undefined || row.state === filter.state);
}

async function rowOf(db: Database, row: Row, now: number): Promise<ApprovalRow> {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('id'), row.text('plan_id'), row.text('approval_digest'), body);
  const stored: ApprovalRow = JSON.parse(body);
  if ((stored.state !== 'pending' && stored.state !== 'approved') || stored.expiresAt > now) return stored;
  const run = stored.state === 'approved' ? await begunRun(db, stored) : undefined;
  if (run === undefined) return { ...stored, state: 'expired' };
  return { ...stored, run, ...(run.until > now ? {} : { state: 'expired' }) };
}

/** Maximum duration of a run after its first signature, so that a partly landed plan can finish. */
const RUN_MS = 24 * 60 * 60 * 1000;

/** Returns the run of an approval, which may continue if it began in time; `undefined` without a signature. */
async function begunRun(db: Database, { id, expiresAt }: ApprovalRow): Promise<ApprovalRow['run']> {
  const firstSigned = (
    await db.get('SELECT MIN(time) AS time FROM reservations WHERE approval_id = ?', id)
  )?.maybeNumber('time');
  if (firstSigned === undefined) return undefined;
  return { firstSigned, until: firstSigned < expiresAt ? firstSigned + RUN_MS : expiresAt };
}

async function write(db: Database, row: ApprovalRow): Promise<void> {
  const body = JSON.stringify(row);
  await db.run(
    `INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body, seal = excluded.seal, grant_id = excluded.grant_id`,
    row.id,
    row.planId,
    row.approvalDigest,
    row.state,
    body,
    seal(row.id, row.planId, row.approvalDigest, body),
    row.grantId ?? null,
  );
}
