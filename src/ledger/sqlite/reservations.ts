/**
 * Taking from limits. Everything that must hold for a signature is checked again and taken in one transaction:
 * the lease, the freeze, replay, every limit, the approval, and the decision's own row. Two processes can
 * therefore never overspend together (T41), and what is in doubt stays taken.
 */

import { corrupt } from '../errors.ts';
import type { ActualUse, LimitSpec, TakenOfLimit } from '../limits.ts';
import { CANCELLED_NOTE, cancelledNote } from '../plans/cancelled.ts';
import { readPlan } from '../plans/plans.ts';
import { earlierSignature, isSuperseded } from '../plans/runs.ts';
import type { Lease, Overtaken, ReserveOutcome, ReserveRequest } from '../types.ts';
import { consumeApproval, restoreApproval } from './approvals.ts';
import type { Database } from './database.ts';
import { appendDecision, readDecision } from './decisions.ts';
import { isHeld } from './leases.ts';
import { frozen, readNote } from './state.ts';
import { addToBuckets, ensureScope, join, scopeId, split, usedSince, windowStart } from './windows.ts';

type Refusal = Extract<ReserveOutcome, { ok: false }>;

/** Checks and takes in one transaction. A refusal takes nothing and writes nothing. */
export function reserve(db: Database, request: ReserveRequest): ReserveOutcome {
  return db.write((now): ReserveOutcome => {
    const time = db.windowTime();
    const refusal = refuse(db, request, time);
    if (refusal !== undefined) return refusal;
    const { lease, decision, approval } = request;
    const { planId, stageId, intentKey, wallet, facts } = decision;
    const id = (db.get('SELECT MAX(id) AS id FROM reservations')?.maybeNumber('id') ?? 0) + 1;
    db.run(
      "INSERT INTO reservations VALUES (?, ?, ?, ?, ?, ?, ?, 'held', ?)",
      id,
      wallet,
      facts.network,
      planId,
      stageId,
      intentKey,
      lease.fence,
      time,
    );
    if (approval !== undefined && !consumeApproval(db, approval, id, now)) {
      // The transaction goes on to commit, so what was written above is taken back by hand.
      db.run('DELETE FROM reservations WHERE id = ?', id);
      return { ok: false, code: 'APPROVAL_EXPIRED' };
    }
    takeAll(db, request, id, time);
    db.run(
      "INSERT INTO meta VALUES ('window time', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      `${time}`,
    );
    return { ok: true, reservationId: `reservation-${id}`, decisionId: appendDecision(db, decision).id };
  });
}

function refuse(db: Database, request: ReserveRequest, time: number): Refusal | undefined {
  const { lease, decision, limits, uses } = request;
  if (!isHeld(db, lease) || lease.wallet !== decision.wallet) return { ok: false, code: 'LEASE_LOST' };
  const conflict = overtaken(db, decision.planId, request.revision) ?? earlier(db, request);
  if (conflict !== undefined) return { ok: false, code: conflict };
  for (const limit of limits) {
    const { wallet, planId, facts } = decision;
    const stated = statedFor(limit, uses);
    const amount = stated > 0n || !countsNow(db, limit, decision) ? stated : 1n;
    const used = usedOf(db, limit, wallet, facts.network, time, planId);
    if (amount > 0n && used + amount > limit.max) {
      return { ok: false, code: 'LIMIT_EXCEEDED', limitId: limit.id };
    }
  }
  return undefined;
}

/** What came in between since a revision of a plan was decided on. Inside the write that depends on it. */
export function overtaken(db: Database, planId: string, revision: number | undefined): Overtaken | undefined {
  if (frozen(db) !== undefined) return 'FROZEN';
  if (readNote(db, cancelledNote(planId)) === CANCELLED_NOTE) return 'CANCELLED';
  if (isSuperseded(db, planId)) return 'SUPERSEDED';
  const stored = db.get('SELECT MAX(revision) AS n FROM revisions WHERE plan_id = ?', planId);
  return revision !== undefined && revision < (stored?.maybeNumber('n') ?? 0) ? 'REBUILT' : undefined;
}

/** What a request takes of one limit: the sum, since several tokens may fall under one limit. */
const statedFor = ({ id }: LimitSpec, uses: ReserveRequest['uses']): bigint =>
  uses.reduce((sum, use) => (use.limitId === id ? sum + use.amount : sum), 0n);

/** A signature of the same bytes, or an earlier one of this stage that forbids another (T37, T38). */
function earlier(db: Database, { lease, decision }: ReserveRequest): 'REPLAY' | 'IN_DOUBT' | undefined {
  const { stageId, intentKey } = decision;
  const same = db.get(
    "SELECT 1 FROM journal WHERE message_sha256 = ? AND state NOT IN ('expired', 'chain_gone')",
    decision.decision.messageSha256,
  );
  if (same !== undefined) return 'REPLAY';
  const signed = earlierSignature(db, decision);
  if (signed !== undefined) return signed.status === 'unknown' ? 'IN_DOUBT' : 'REPLAY';
  const held = db.get(
    `SELECT 1 FROM reservations WHERE wallet = ? AND state = 'held' AND intent_key = ? AND stage_id = ? AND fence = ?`,
    lease.wallet,
    intentKey,
    stageId,
    lease.fence,
  );
  return held === undefined ? undefined : 'IN_DOUBT';
}

/** What is used of one limit now. A count limit leaves the plan itself out. */
export function usedOf(
  db: Database,
  limit: LimitSpec,
  wallet: string,
  network: string,
  now: number,
  planId?: string,
): bigint {
  const scope = scopeId(db, { network, wallet, kind: limit.kind, of: limit.of });
  if (scope === undefined) return 0n;
  const from = windowStart(limit.window, now);
  const used = usedSince(db, scope, from);
  if (limit.kind === 'asset' || planId === undefined) return used;
  const own = db.get(
    'SELECT COUNT(*) AS n FROM uses WHERE counted = 1 AND plan_id = ? AND scope = ? AND time >= ?',
    planId,
    scope,
    from,
  );
  return used - BigInt(own?.number('n') ?? 0);
}

/** What is counted in a limit's window at `now`, oldest first, one entry for each time. */
export function takenOf(
  db: Database,
  limit: LimitSpec,
  wallet: string,
  network: string,
  now: number,
): TakenOfLimit[] {
  const scope = scopeId(db, { network, wallet, kind: limit.kind, of: limit.of });
  if (scope === undefined) return [];
  return db
    .all(
      `SELECT time, CAST(SUM(hi) AS TEXT) AS hi, CAST(SUM(lo) AS TEXT) AS lo FROM uses
       WHERE scope = ? AND time >= ? GROUP BY time ORDER BY time`,
      scope,
      windowStart(limit.window, now),
    )
    .map((row) => ({
      time: row.number('time'),
      amount: join(BigInt(row.text('hi')), BigInt(row.text('lo'))),
    }))
    .filter(({ amount }) => amount > 0n);
}

/** Writes what a reservation takes: the amounts of its limits, every asset that may leave, and the plan's counts. */
function takeAll(db: Database, request: ReserveRequest, reservation: number, time: number): void {
  const { decision, limits, uses } = request;
  const { wallet, planId, facts } = decision;
  const { network, plan } = facts;
  const amounts = new Map<string, bigint>();
  const atLeast = (asset: string, amount: bigint) => {
    if (amount > (amounts.get(asset) ?? 0n)) amounts.set(asset, amount);
  };
  for (const limit of limits) if (limit.kind === 'asset') atLeast(limit.of, statedFor(limit, uses));
  for (const change of decision.decision.changes) atLeast(change.asset, BigInt(change.out));
  const taker: Taker = { reservation, planId, network, wallet, time };
  takeAmounts(db, taker, amounts);
  takeCounts(db, taker, plan.operation);
}

/** What uses are taken for. */
interface Taker {
  readonly reservation: number;
  readonly planId: string;
  readonly network: string;
  readonly wallet: string;
  readonly time: number;
}

function takeAmounts(
  db: Database,
  { network, wallet, ...use }: Taker,
  amounts: ReadonlyMap<string, bigint>,
): void {
  for (const [of, amount] of amounts) {
    const scope = ensureScope(db, { network, wallet, kind: 'asset', of });
    take(db, { ...use, scope, counted: 0 }, amount);
  }
}

/** Counts are kept whether a limit names them or not, so that a limit added later knows what was. */
function takeCounts(db: Database, { network, wallet, ...use }: Taker, operation: string): void {
  for (const of of [operation, 'any']) {
    const scope = ensureScope(db, { network, wallet, kind: 'count', of });
    const known = db.get(
      'SELECT 1 FROM uses WHERE counted = 1 AND plan_id = ? AND scope = ?',
      use.planId,
      scope,
    );
    if (known === undefined) take(db, { ...use, scope, counted: 1 }, 1n);
  }
}

/**
 * Takes again what was given back for a signature that landed after all, of every limit it was taken from and at the
 * time it was reserved, until it is settled with what really left. Inside a write.
 */
export function retakeReservation(db: Database, reservation: number, decisionId: string): void {
  const row = db.get('SELECT * FROM reservations WHERE id = ?', reservation);
  if (row?.text('state') !== 'released') return;
  const taker: Taker = {
    reservation,
    planId: row.text('plan_id'),
    network: row.text('network'),
    wallet: row.text('wallet'),
    time: row.number('time'),
  };
  const key = givenBackKey(reservation);
  const kept = db.get('SELECT value FROM meta WHERE key = ?', key)?.text('value');
  if (kept === undefined) {
    // Given back by a version that did not keep what it gave back.
    const changes = readDecision(db, decisionId)?.decision.changes ?? [];
    takeAmounts(db, taker, new Map(changes.map(({ asset, out }) => [asset, BigInt(out)])));
  } else {
    const given: [scope: number, time: number, amount: string][] = JSON.parse(kept);
    const { planId } = taker;
    for (const [scope, time, amount] of given)
      take(db, { reservation, planId, scope, counted: 0, time }, BigInt(amount));
    db.run('DELETE FROM meta WHERE key = ?', key);
  }
  const operation = readPlan(db, taker.planId)?.operation;
  if (operation !== undefined) takeCounts(db, taker, operation);
  db.run("UPDATE reservations SET state = 'signed' WHERE id = ?", reservation);
}

/** Where a ledger keeps what it gave back for a signature: the chain may still show that it landed. */
const givenBackKey = (reservation: number): string => `given back ${reservation}`;

interface UseRow {
  readonly reservation: number;
  readonly planId: string;
  readonly scope: number;
  readonly counted: 0 | 1;
  readonly time: number;
}

/** Adds one use to a reservation and to the sums of its scope. Inside a write. */
export function take(db: Database, use: UseRow, amount: bigint): void {
  const { hi, lo } = split(amount);
  db.run(
    'INSERT INTO uses (reservation, plan_id, scope, counted, time, hi, lo) VALUES (?, ?, ?, ?, ?, ?, ?)',
    use.reservation,
    use.planId,
    use.scope,
    use.counted,
    use.time,
    hi,
    lo,
  );
  addToBuckets(db, use.scope, use.time, hi, lo);
}

/** Whether this reservation is the one with which a plan begins to count, whatever its decision took it for (T69). */
function countsNow(
  db: Database,
  limit: LimitSpec,
  { planId, wallet, facts }: ReserveRequest['decision'],
): boolean {
  const { operation } = facts.plan;
  if (limit.kind !== 'count' || (limit.of !== 'any' && limit.of !== operation)) return false;
  const scope = scopeId(db, { network: facts.network, wallet, kind: 'count', of: limit.of });
  return (
    scope === undefined ||
    db.get('SELECT 1 FROM uses WHERE counted = 1 AND plan_id = ? AND scope = ?', planId, scope) === undefined
  );
}

/** Replaces the reserved amounts of a landed transaction by what really left, at the time they were reserved. */
export function settleReservation(db: Database, reservation: number, actual: readonly ActualUse[]): void {
  db.write(() => {
    const row = db.get('SELECT * FROM reservations WHERE id = ?', reservation);
    if (row === undefined) throw corrupt('A reservation is missing.');
    const [wallet, network] = [row.text('wallet'), row.text('network')];
    for (const { asset, amount } of actual) {
      const scope = ensureScope(db, { network, wallet, kind: 'asset', of: asset });
      const use = db.get(
        'SELECT id, time, hi, lo FROM uses WHERE reservation = ? AND scope = ?',
        reservation,
        scope,
      );
      if (use === undefined) {
        const planId = row.text('plan_id');
        take(db, { reservation, planId, scope, counted: 0, time: row.number('time') }, amount);
        continue;
      }
      const { hi, lo } = split(amount);
      db.run('UPDATE uses SET hi = ?, lo = ? WHERE id = ?', hi, lo, use.number('id'));
      addToBuckets(db, scope, use.number('time'), hi - use.number('hi'), lo - use.number('lo'));
    }
    db.run("UPDATE reservations SET state = 'settled' WHERE id = ?", reservation);
  });
}

/** Gives a reservation back. Its plan stays counted while any other reservation of the plan is not given back. */
export function releaseReservation(db: Database, reservation: number): void {
  db.write(() => {
    const row = db.get('SELECT plan_id, state FROM reservations WHERE id = ?', reservation);
    if (row === undefined || row.text('state') === 'released') return;
    if (row.text('state') === 'held') restoreApproval(db, reservation);
    db.run("UPDATE reservations SET state = 'released' WHERE id = ?", reservation);
    const heir = db
      .get(
        "SELECT MIN(id) AS id FROM reservations WHERE plan_id = ? AND state != 'released'",
        row.text('plan_id'),
      )
      ?.maybeNumber('id');
    const given: [scope: number, time: number, amount: string][] = [];
    for (const use of db.all('SELECT * FROM uses WHERE reservation = ?', reservation)) {
      if (use.number('counted') === 1 && heir !== undefined) {
        db.run('UPDATE uses SET reservation = ? WHERE id = ?', heir, use.number('id'));
        continue;
      }
      const [scope, time, hi, lo] = [
        use.number('scope'),
        use.number('time'),
        use.number('hi'),
        use.number('lo'),
      ];
      if (use.number('counted') === 0) given.push([scope, time, `${join(hi, lo)}`]);
      db.run('DELETE FROM uses WHERE id = ?', use.number('id'));
      addToBuckets(db, scope, time, -hi, -lo);
    }
    if (row.text('state') !== 'held') {
      db.run(
        'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
        givenBackKey(reservation),
        JSON.stringify(given),
      );
    }
  });
}

/**
 * Gives back what was reserved for a signature that was never journaled. One that is in the journal may land even
 * though its writer was told that the write failed: it stays taken.
 */
export function releaseHeld(db: Database, reservation: number): void {
  db.write(() => {
    const row = db.get('SELECT state FROM reservations WHERE id = ?', reservation);
    if (row?.text('state') === 'held') releaseReservation(db, reservation);
  });
}

/** Releases what older holders of the wallet reserved and never signed: they cannot sign for it any more. */
export function releaseOrphans(db: Database, lease: Lease): number {
  return db.write(() => {
    if (!isHeld(db, lease)) return 0;
    const orphans = db.all(
      "SELECT id FROM reservations WHERE wallet = ? AND state = 'held' AND fence < ?",
      lease.wallet,
      lease.fence,
    );
    for (const row of orphans) releaseReservation(db, row.number('id'));
    return orphans.length;
  });
}

/** The number in a reservation's id. */
export function reservationNumber(id: string): number {
  const number = Number(/^reservation-(\d+)$/.exec(id)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(number)) throw corrupt('A reservation has no readable id.');
  return number;
}
