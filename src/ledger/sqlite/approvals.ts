/** What a person was asked, what was answered, and which stages used the answer up. */

import { walletOfApproval } from '../concerns.ts';
import type { Database, Row } from '../database.ts';
import { LedgerError } from '../errors.ts';
import type { ApprovalRow, ApprovalState } from '../types.ts';
import { answerOf } from '../wakes.ts';
import { checkSeal, seal } from './seal.ts';

type Question = Omit<ApprovalRow, 'state' | 'answeredAt' | 'channel' | 'statement' | 'reason'>;
type Answer = {
  readonly state: 'approved' | 'denied';
  readonly channel: NonNullable<ApprovalRow['channel']>;
  readonly statement?: string;
  readonly reason?: string;
};

/** Stores a question. While the same question is open, or approved and not expired, that one is returned. */
export async function askApproval(db: Database, question: Question): Promise<ApprovalRow> {
  return db.write(
    async (db, now) => {
      const same = await readApprovals(db, {
        planId: question.planId,
        envelopeDigest: question.envelopeDigest,
      });
      for (const known of same) {
        if (known.state === 'pending') return known;
        if (known.state === 'approved' && !(await usedUp(db, known))) return known;
      }
      const row: ApprovalRow = { ...question, state: 'pending', createdAt: now };
      await write(db, row);
      return row;
    },
    [question.wallet],
  );
}

/** Every stage it covers has used it. An approval of a whole run is a budget: the question says when it is used up. */
async function usedUp(db: Database, row: ApprovalRow): Promise<boolean> {
  if (budgetOf(row) !== undefined) return false;
  for (const stageId of row.stages) if (!(await used(db, row.id, stageId))) return false;
  return true;
}

/** What an approval of a whole run lets leave, by asset; `undefined` for an approval of single stages. */
export function budgetOf(row: ApprovalRow): ReadonlyMap<string, bigint> | undefined {
  const envelope: { expectation?: unknown; assets?: { asset: string; mostOut: string }[] } = JSON.parse(
    row.envelope,
  );
  if (envelope.expectation === undefined) return undefined;
  return new Map((envelope.assets ?? []).map(({ asset, mostOut }) => [asset, BigInt(mostOut)]));
}

/** What stages that landed or may still land have drawn on an approval, by asset. */
export async function approvalDraws(db: Database, id: string): Promise<ReadonlyMap<string, bigint>> {
  const drawn = new Map<string, bigint>();
  const rows = await db.all(
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

const used = async (db: Database, id: string, stageId: string): Promise<boolean> =>
  (await db.get('SELECT 1 FROM approval_uses WHERE approval_id = ? AND stage_id = ?', id, stageId)) !==
  undefined;

/** Answers a question once. An answer to one that is answered or expired is refused. */
export async function answerApproval(db: Database, id: string, answer: Answer): Promise<ApprovalRow> {
  return db.write(
    async (db, now) => {
      const [row] = await readApprovals(db, { id });
      if (row === undefined) throw new LedgerError('NOT_FOUND', 'No approval has this id.');
      await db.write(() => undefined, [row.wallet]);
      if (row.state !== 'pending') {
        throw new LedgerError('STATE_CONFLICT', `This approval is already ${row.state}.`);
      }
      const answered: ApprovalRow = { ...row, ...answer, answeredAt: now };
      await write(db, answered);
      await db.tell(answerOf(row.planId));
      return answered;
    },
    await walletOfApproval(db, id),
  );
}

/** One stage's use of an approval, and what it takes out of the wallet, by asset. */
export interface ApprovalUse {
  readonly id: string;
  readonly stageId: string;
  readonly draws?: readonly { readonly asset: string; readonly amount: bigint }[];
}

/**
 * Uses an approval for one stage; `false` when it is not granted, expired, not for this wallet and stage or used already, or when
 * what is left of a whole run's approval does not suffice.
 */
export async function consumeApproval(
  db: Database,
  use: ApprovalUse,
  { reservation, wallet }: { readonly reservation: number; readonly wallet: string },
  now: number,
): Promise<boolean> {
  const [row] = await readApprovals(db, { id: use.id });
  if (row?.wallet !== wallet) return false;
  if (row.state !== 'approved' || (row.run?.until ?? row.expiresAt) <= now) return false;
  const budget = budgetOf(row);
  if (budget !== undefined) return await draw(db, use, budget, reservation);
  if (!row.stages.includes(use.stageId) || (await used(db, row.id, use.stageId))) return false;
  await db.run('INSERT INTO approval_uses VALUES (?, ?, ?)', row.id, use.stageId, reservation);
  return true;
}

async function draw(
  db: Database,
  { id, stageId, draws = [] }: ApprovalUse,
  budget: ReadonlyMap<string, bigint>,
  reservation: number,
): Promise<boolean> {
  const drawn = await approvalDraws(db, id);
  const fits = draws.every(
    ({ asset, amount }) => (drawn.get(asset) ?? 0n) + amount <= (budget.get(asset) ?? 0n),
  );
  if (!fits) return false;
  await db.run(
    `INSERT INTO approval_uses VALUES (?, ?, ?)
     ON CONFLICT (approval_id, stage_id) DO UPDATE SET reservation = excluded.reservation`,
    id,
    stageId,
    reservation,
  );
  for (const { asset, amount } of draws) {
    const sealed = seal(id, reservation, asset, `${amount}`);
    await db.run(
      'INSERT INTO approval_draws VALUES (?, ?, ?, ?, ?)',
      id,
      reservation,
      asset,
      `${amount}`,
      sealed,
    );
  }
  return true;
}

/** Makes an approval usable again for a stage that was never signed. */
export async function restoreApproval(db: Database, reservation: number): Promise<void> {
  await db.run('DELETE FROM approval_uses WHERE reservation = ?', reservation);
  await db.run('DELETE FROM approval_draws WHERE reservation = ?', reservation);
}

/** Stages that used an approval already. */
export async function approvalUses(db: Database, id: string): Promise<string[]> {
  return (await db.all('SELECT stage_id FROM approval_uses WHERE approval_id = ?', id)).map((row) =>
    row.text('stage_id'),
  );
}

/** Newest first. An unanswered question reads as `expired` past its time, and so does an approval under which nothing was signed in time. */
export async function readApprovals(
  db: Database,
  filter: { state?: ApprovalState; planId?: string; envelopeDigest?: string; id?: string },
): Promise<ApprovalRow[]> {
  const { id, planId, envelopeDigest } = filter;
  const now = await db.time();
  const all = 'SELECT * FROM approvals';
  const rows =
    id !== undefined
      ? await db.all(`${all} WHERE id = ?`, id)
      : planId !== undefined
        ? await db.all(`${all} WHERE plan_id = ? ORDER BY rowid DESC`, planId)
        : envelopeDigest !== undefined
          ? await db.all(`${all} WHERE envelope_digest = ? ORDER BY rowid DESC`, envelopeDigest)
          : await db.all(`${all} ORDER BY rowid DESC`);
  const found: ApprovalRow[] = [];
  for (const row of rows) found.push(await rowOf(db, row, now));
  return found
    .filter((row) => planId === undefined || row.planId === planId)
    .filter((row) => envelopeDigest === undefined || row.envelopeDigest === envelopeDigest)
    .filter((row) => filter.state === undefined || row.state === filter.state);
}

async function rowOf(db: Database, row: Row, now: number): Promise<ApprovalRow> {
  const body = row.text('body');
  checkSeal(row.text('seal'), row.text('id'), row.text('plan_id'), row.text('envelope_digest'), body);
  const stored: ApprovalRow = JSON.parse(body);
  if ((stored.state !== 'pending' && stored.state !== 'approved') || stored.expiresAt > now) return stored;
  const run = stored.state === 'approved' ? await begunRun(db, stored) : undefined;
  return run !== undefined && run.until > now ? { ...stored, run } : { ...stored, state: 'expired' };
}

/** How long a run that has begun may go on under its approval, so that a plan that landed in part is not stuck. */
const RUN_MS = 24 * 60 * 60 * 1000;

/** The run an approval was first used for, while it had not expired; `undefined` where nothing was signed in time. */
async function begunRun(db: Database, { id, expiresAt }: ApprovalRow): Promise<ApprovalRow['run']> {
  const firstSigned = (
    await db.get(
      `SELECT MIN(time) AS time FROM reservations WHERE id IN
       (SELECT reservation FROM approval_uses WHERE approval_id = ?1
        UNION SELECT reservation FROM approval_draws WHERE approval_id = ?1)`,
      id,
    )
  )?.maybeNumber('time');
  return firstSigned === undefined || firstSigned >= expiresAt
    ? undefined
    : { firstSigned, until: firstSigned + RUN_MS };
}

async function write(db: Database, row: ApprovalRow): Promise<void> {
  const body = JSON.stringify(row);
  await db.run(
    `INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body, seal = excluded.seal`,
    row.id,
    row.planId,
    row.envelopeDigest,
    row.state,
    body,
    seal(row.id, row.planId, row.envelopeDigest, body),
  );
}
