/**
 * Reservations of limits. One transaction checks the lease, freeze, replay, limits and approval of a signature, reserves
 * its amounts and records its decision, so that concurrent processes never exceed a limit (T41). Amounts in doubt stay
 * reserved.
 */

import { quoteIdOf } from '../../plan/intent.ts';
import { keepWindowTime, metaText, setMeta } from '../books.ts';
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';
import { cancelledNote } from '../notes.ts';
import { readPlan } from '../plans/plans.ts';
import { earlierSignature, isSuperseded } from '../plans/runs.ts';
import type {
  ActualUse,
  Lease,
  Ledger,
  LimitSpec,
  Overtaken,
  ReserveOutcome,
  ReserveRequest,
} from '../types.ts';
import { isCovered } from './approvals.ts';
import { appendDecision, listDecisions } from './decisions.ts';
import { isHeld, lease } from './leases.ts';
import { frozen, readNote } from './state.ts';
import { checkNumber, ensureScope, join, scopeId, split, usedOf } from './windows.ts';

type Refusal = Extract<ReserveOutcome, { ok: false }>;

/** Checks and reserves in one transaction. A refusal writes nothing. */
export async function reserve(db: Database, request: ReserveRequest): Promise<ReserveOutcome> {
  return db.write(async (db, now): Promise<ReserveOutcome> => {
    const time = await db.windowTime();
    const refusal = await refuse(db, request, time);
    if (refusal !== undefined) return refusal;
    const { lease, decision, approval } = request;
    const { planId, stageId, intentKey, wallet, inputs } = decision;
    await db.run(
      `INSERT INTO reservations (wallet, network, plan_id, stage_id, intent_key, fence, state, time)
       VALUES (?, ?, ?, ?, ?, ?, 'held', ?)`,
      wallet,
      inputs.network,
      planId,
      stageId,
      intentKey,
      lease.fence,
      time,
    );
    // The id is generated. An earlier reservation of the stage would have been refused.
    const id = (await heldOf(db, request)) ?? 0;
    const about = { reservation: id, wallet, planId };
    if (approval !== undefined && !(await isCovered(db, approval, about, now))) {
      // The transaction still commits, so the rows written above are undone here.
      await db.run('DELETE FROM reservations WHERE id = ?', id);
      return { ok: false, code: 'APPROVAL_EXPIRED' };
    }
    await writeUses(db, request, id, time);
    await keepWindowTime(db, time);
    const { id: decisionId, sequence } = await appendDecision(db, decision);
    await db.run(
      'UPDATE reservations SET decision = ?, approval_id = ? WHERE id = ?',
      sequence,
      approval?.id ?? null,
      id,
    );
    return { ok: true, reservationId: `reservation-${id}`, decisionId };
  });
}

/** Returns the id of a lease's unsigned reservation for a stage. */
async function heldOf(db: Database, { lease, decision }: ReserveRequest): Promise<number | undefined> {
  const { intentKey, stageId } = decision;
  const row = await db.get(
    `SELECT id FROM reservations WHERE wallet = ? AND state = 'held' AND intent_key = ? AND stage_id = ? AND fence = ?`,
    lease.wallet,
    intentKey,
    stageId,
    lease.fence,
  );
  return row?.number('id');
}

async function refuse(db: Database, request: ReserveRequest, time: number): Promise<Refusal | undefined> {
  const { lease, decision, limits, uses } = request;
  if (!(await isHeld(db, lease)) || lease.wallet !== decision.wallet)
    return { ok: false, code: 'LEASE_LOST' };
  const conflict = (await overtaken(db, decision.planId, request.revision)) ?? (await earlier(db, request));
  if (conflict !== undefined) return { ok: false, code: conflict };
  for (const limit of limits) {
    const { wallet, planId, inputs } = decision;
    const stated = statedFor(limit, uses);
    const amount = stated > 0n || !(await isFirstCount(db, limit, decision)) ? stated : 1n;
    const used = await usedOf(db, limit, wallet, inputs.network, time, planId);
    if (amount > 0n && used + amount > limit.max) {
      return { ok: false, code: 'LIMIT_EXCEEDED', limitId: limit.id };
    }
  }
  return undefined;
}

/** Returns why a decided revision of a plan must not be signed any more. Inside the write that depends on it. */
export async function overtaken(
  db: Database,
  planId: string,
  revision: number | undefined,
): Promise<Overtaken | undefined> {
  if ((await frozen(db, (await readPlan(db, planId))?.principal)) !== undefined) return 'FROZEN';
  if ((await readNote(db, cancelledNote(planId))) !== undefined) return 'CANCELLED';
  if (await isSuperseded(db, planId)) return 'SUPERSEDED';
  const stored = await db.get('SELECT MAX(revision) AS n FROM revisions WHERE plan_id = ?', planId);
  return revision !== undefined && revision < (stored?.maybeNumber('n') ?? 0) ? 'REBUILT' : undefined;
}

/** Returns the amount a request uses of a limit, summed over tokens. */
const statedFor = ({ id }: LimitSpec, uses: ReserveRequest['uses']): bigint =>
  uses.reduce((sum, use) => (use.limitId === id ? sum + use.amount : sum), 0n);

/** Returns whether the same bytes, or a signature that excludes another one for this stage, already exist (T37, T38). */
async function earlier(db: Database, request: ReserveRequest): Promise<'REPLAY' | 'IN_DOUBT' | undefined> {
  const { decision } = request;
  const same = await db.get(
    "SELECT 1 FROM journal WHERE message_sha256 = ? AND state NOT IN ('expired', 'chain_gone')",
    decision.decision.messageSha256,
  );
  if (same !== undefined) return 'REPLAY';
  const signed = await earlierSignature(db, { ...decision, quoteId: quoteIdOf(decision.inputs.plan) });
  if (signed !== undefined) return signed.status === 'unknown' ? 'IN_DOUBT' : 'REPLAY';
  return (await heldOf(db, request)) === undefined ? undefined : 'IN_DOUBT';
}

/** Writes the uses of a reservation: amounts of its limits, all outgoing assets, and the plan's counts. */
async function writeUses(
  db: Database,
  request: ReserveRequest,
  reservation: number,
  time: number,
): Promise<void> {
  const { decision, limits, uses } = request;
  const { wallet, planId, inputs } = decision;
  const { network, plan } = inputs;
  const amounts = new Map<string, bigint>();
  const atLeast = (asset: string, amount: bigint) => {
    if (amount > (amounts.get(asset) ?? 0n)) amounts.set(asset, amount);
  };
  for (const limit of limits) if (limit.kind === 'asset') atLeast(limit.of, statedFor(limit, uses));
  for (const change of decision.decision.changes) atLeast(change.asset, BigInt(change.out));
  const taker: Taker = { reservation, planId, network, wallet, time };
  await takeAmounts(db, taker, amounts);
  await takeCounts(db, taker, plan.operation);
}

/** The reservation that uses belong to. */
interface Taker {
  readonly reservation: number;
  readonly planId: string;
  readonly network: string;
  readonly wallet: string;
  readonly time: number;
}

async function takeAmounts(
  db: Database,
  { network, wallet, ...use }: Taker,
  amounts: ReadonlyMap<string, bigint>,
): Promise<void> {
  for (const [of, amount] of amounts) {
    const scope = await ensureScope(db, { network, wallet, kind: 'asset', of });
    await take(db, { ...use, scope, counted: 0 }, amount);
  }
}

/** Counts are kept for all operations, so that a limit added later includes earlier plans. */
async function takeCounts(
  db: Database,
  { network, wallet, ...use }: Taker,
  operation: string,
): Promise<void> {
  for (const of of [operation, 'any']) {
    const scope = await ensureScope(db, { network, wallet, kind: 'count', of });
    const known = await db.get(
      'SELECT 1 FROM uses WHERE counted = 1 AND plan_id = ? AND scope = ?',
      use.planId,
      scope,
    );
    if (known === undefined) await take(db, { ...use, scope, counted: 1 }, 1n);
  }
}

/**
 * Restores the released uses of a signature that landed after all, at the time of the reservation, until it is settled
 * with actual amounts. Inside a write.
 */
export async function renewReservation(db: Database, reservation: number, decisionId: string): Promise<void> {
  const row = await db.get('SELECT * FROM reservations WHERE id = ?', reservation);
  if (row?.text('state') !== 'released') return;
  const taker: Taker = {
    reservation,
    planId: row.text('plan_id'),
    network: row.text('network'),
    wallet: row.text('wallet'),
    time: row.number('time'),
  };
  const key = givenBackKey(reservation);
  const kept = await metaText(db, key);
  if (kept === undefined) throw corrupt('The amounts of a released reservation are missing.');
  const given: [scope: number, time: number, amount: string][] = JSON.parse(kept);
  const { planId } = taker;
  for (const [scope, time, amount] of given)
    await take(db, { reservation, planId, scope, counted: 0, time }, BigInt(amount));
  await db.run('DELETE FROM meta WHERE key = ?', key);
  // A stage of a joined plan counts as the kind of claim it was decided as.
  const [decided] = await listDecisions(db, { id: decisionId, inputs: true });
  const judged = decided?.made?.inputs.plan ?? (await readPlan(db, taker.planId));
  const operation = judged?.operation;
  if (operation !== undefined) await takeCounts(db, taker, operation);
  await db.run("UPDATE reservations SET state = 'signed' WHERE id = ?", reservation);
}

/** The meta key of a signature's released uses, which are restored if it lands after all. */
const givenBackKey = (reservation: number): string => `given back ${reservation}`;

interface UseRow {
  readonly reservation: number;
  readonly planId: string;
  readonly scope: number;
  readonly counted: 0 | 1;
  readonly time: number;
}

/** Adds one use to a reservation. Inside a write. */
export async function take(db: Database, use: UseRow, amount: bigint): Promise<void> {
  const { hi, lo } = split(amount);
  await db.run(
    'INSERT INTO uses (reservation, plan_id, scope, counted, time, hi, lo, check_number) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    use.reservation,
    use.planId,
    use.scope,
    use.counted,
    use.time,
    hi,
    lo,
    checkNumber(use.scope, use.time, hi, lo),
  );
}

/** Returns whether the plan is not yet counted by a limit, whatever its decision states (T69). */
async function isFirstCount(
  db: Database,
  limit: LimitSpec,
  { planId, wallet, inputs }: ReserveRequest['decision'],
): Promise<boolean> {
  const { operation } = inputs.plan;
  if (limit.kind !== 'count' || (limit.of !== 'any' && limit.of !== operation)) return false;
  const scope = await scopeId(db, { network: inputs.network, wallet, kind: 'count', of: limit.of });
  return (
    scope === undefined ||
    (await db.get('SELECT 1 FROM uses WHERE counted = 1 AND plan_id = ? AND scope = ?', planId, scope)) ===
      undefined
  );
}

/** Replaces the reserved amounts of a landed transaction by the actual ones, at the time of the reservation. */
export async function settleReservation(
  db: Database,
  reservation: number,
  actual: readonly ActualUse[],
): Promise<void> {
  await db.write(async (db) => {
    const row = await db.get('SELECT * FROM reservations WHERE id = ?', reservation);
    if (row === undefined) throw corrupt('A reservation is missing.');
    const [wallet, network] = [row.text('wallet'), row.text('network')];
    for (const { asset, amount } of actual) {
      const scope = await ensureScope(db, { network, wallet, kind: 'asset', of: asset });
      const use = await db.get(
        'SELECT id, time FROM uses WHERE reservation = ? AND scope = ?',
        reservation,
        scope,
      );
      if (use === undefined) {
        const planId = row.text('plan_id');
        await take(db, { reservation, planId, scope, counted: 0, time: row.number('time') }, amount);
        continue;
      }
      const { hi, lo } = split(amount);
      const check = checkNumber(scope, use.number('time'), hi, lo);
      await db.run(
        'UPDATE uses SET hi = ?, lo = ?, check_number = ? WHERE id = ?',
        hi,
        lo,
        check,
        use.number('id'),
      );
    }
    await db.run("UPDATE reservations SET state = 'settled' WHERE id = ?", reservation);
  });
}

/** Releases a reservation. Its plan stays counted while another reservation of the plan is not released. */
export async function releaseReservation(db: Database, reservation: number): Promise<void> {
  await db.write(async (db) => {
    const row = await db.get('SELECT plan_id, state FROM reservations WHERE id = ?', reservation);
    if (row === undefined || row.text('state') === 'released') return;
    // Without a signature the approval was not used.
    if (row.text('state') === 'held')
      await db.run('UPDATE reservations SET approval_id = NULL WHERE id = ?', reservation);
    await db.run("UPDATE reservations SET state = 'released' WHERE id = ?", reservation);
    const heir = (
      await db.get(
        "SELECT MIN(id) AS id FROM reservations WHERE plan_id = ? AND state != 'released'",
        row.text('plan_id'),
      )
    )?.maybeNumber('id');
    const given: [scope: number, time: number, amount: string][] = [];
    for (const use of await db.all('SELECT * FROM uses WHERE reservation = ?', reservation)) {
      if (use.number('counted') === 1 && heir !== undefined) {
        await db.run('UPDATE uses SET reservation = ? WHERE id = ?', heir, use.number('id'));
        continue;
      }
      const [scope, time, hi, lo] = [
        use.number('scope'),
        use.number('time'),
        use.number('hi'),
        use.number('lo'),
      ];
      if (use.number('counted') === 0) given.push([scope, time, `${join(hi, lo)}`]);
      await db.run('DELETE FROM uses WHERE id = ?', use.number('id'));
    }
    if (row.text('state') !== 'held') {
      await setMeta(db, givenBackKey(reservation), JSON.stringify(given));
    }
  });
}

/**
 * Releases a reservation whose signature was never journaled. A journaled one may land even if its write was reported as
 * failed, so it stays reserved.
 */
export async function releaseHeld(db: Database, reservation: number): Promise<void> {
  await db.write(async (db) => {
    const row = await db.get('SELECT state FROM reservations WHERE id = ?', reservation);
    if (row?.text('state') === 'held') await releaseReservation(db, reservation);
  });
}

/** Leases a wallet; see `Ledger.lease`. A new lease releases reservations under older fences: they cannot be signed any more. */
export async function leaseWallet(
  db: Database,
  of: Parameters<Ledger['lease']>[0],
  ttlMs: number,
): Promise<Lease | undefined> {
  return db.write(async (db) => {
    const held = await lease(db, of, ttlMs);
    if (held === undefined || of.fence !== undefined) return held;
    const orphans = await db.all(
      "SELECT id FROM reservations WHERE wallet = ? AND state = 'held' AND fence < ?",
      held.wallet,
      held.fence,
    );
    for (const row of orphans) await releaseReservation(db, row.number('id'));
    return held;
  });
}

/** Parses the id of a reservation. */
export function reservationNumber(id: string): number {
  const number = Number(/^reservation-(\d+)$/.exec(id)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(number)) throw corrupt('A reservation has no readable id.');
  return number;
}
