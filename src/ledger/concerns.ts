/**
 * Which wallet a write concerns that names a signature, a reservation, an approval or a plan. None of these ever changes
 * its wallet, so it may be read before the write begins.
 */
import type { Concerns, Database } from './database.ts';
import { cancelledPlan } from './plans/cancelled.ts';

type Reads = Pick<Database, 'get'>;

/** The wallet that a statement finds for an id, as a list; an empty one where it finds none. */
const found =
  (sql: string) =>
  async (db: Reads, id: string | number): Promise<readonly string[]> => {
    const wallet = (await db.get(sql, id))?.text('wallet');
    return wallet === undefined ? [] : [wallet];
  };

export const walletOfSignature = found('SELECT wallet FROM journal WHERE signature = ?');
export const walletOfReservation = found('SELECT wallet FROM reservations WHERE id = ?');
export const walletOfPlan = found('SELECT wallet FROM plans WHERE plan_id = ?');
export const walletOfApproval = found(
  'SELECT p.wallet FROM approvals a JOIN plans p ON p.plan_id = a.plan_id WHERE a.id = ?',
);

/** What a note concerns: no wallet, unless it stops a plan, which signatures of the plan's wallet depend on. */
export async function concernsOfNote(db: Reads, key: string): Promise<Concerns> {
  const planId = cancelledPlan(key);
  return planId === undefined ? [] : walletOfPlan(db, planId);
}
