/**
 * Use of a limit within its window: the sum of its uses, indexed by scope and time. Exact to the millisecond for every
 * window length (F48).
 */
import { acceptedAt } from '../accept/exhausted.ts';
import { startOf } from '../calendar.ts';
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';
import type { LimitSpec, Tables, TakenOfLimit } from '../types.ts';

const U64_MAX = 0xffff_ffff_ffff_ffffn;
const LOW = 0xffff_ffffn;

/** The scope of a sum: one asset or one kind of plan, for one wallet on one network. */
export interface Scope {
  readonly network: string;
  readonly wallet: string;
  readonly kind: 'asset' | 'count';
  /** `SOL`, a mint, an operation or `any`. */
  readonly of: string;
}

/** Returns the id of a scope; `undefined` if it was never used. */
export async function scopeId(db: Database, scope: Scope): Promise<number | undefined> {
  return (await db.get('SELECT id FROM scopes WHERE name = ?', scopeName(scope)))?.number('id');
}

/** Returns the id of a scope; creates a new one. Inside a write. */
export async function ensureScope(db: Database, scope: Scope): Promise<number> {
  await db.run('INSERT INTO scopes (name) VALUES (?) ON CONFLICT (name) DO NOTHING', scopeName(scope));
  return (await scopeId(db, scope)) ?? 0;
}

const scopeName = ({ network, wallet, kind, of }: Scope): string => [network, wallet, kind, of].join(' ');

/** Splits an amount in base units into two integers. Throws a `RangeError` unless it is a u64. */
export function split(amount: bigint): { hi: number; lo: number } {
  if (amount < 0n || amount > U64_MAX) throw new RangeError('an amount outside u64');
  return { hi: Number(amount >> 32n), lo: Number(amount & LOW) };
}

/** The inverse of `split`, also for sums of parts. */
export const join = (hi: bigint | number, lo: bigint | number): bigint => (BigInt(hi) << 32n) + BigInt(lo);

/** Signatures of a wallet that may still land: they count however old, since a chain that halts may outlast a window. */
const OPEN = "SELECT id FROM reservations WHERE state = 'signed' AND wallet = ?3";
/** Uses of a scope since a time, and older ones of open signatures, which count as made now. */
const IN_WINDOW = `SELECT time, hi, lo FROM uses WHERE scope = ?1 AND time >= ?2 UNION ALL
  SELECT ?4 AS time, hi, lo FROM uses WHERE reservation IN (${OPEN}) AND scope = ?1 AND time < ?2`;

/** Returns the first millisecond inside a limit's window at `now`. */
export function windowStart(window: LimitSpec['window'], now: number): number {
  if ('rollingMs' in window) return now - window.rollingMs + 1;
  return startOf(window.calendar, window.timeZone, now);
}

/** Returns the use of one limit now. A count limit excludes the plan itself. */
export async function usedOf(
  db: Database,
  limit: LimitSpec,
  wallet: string,
  network: string,
  now: number,
  planId?: string,
): Promise<bigint> {
  const from = windowStart(limit.window, now);
  const exhausted = ((await acceptedAt(db)) ?? -1) >= from ? limit.max : 0n;
  const scope = await scopeId(db, { network, wallet, kind: limit.kind, of: limit.of });
  if (scope === undefined) return exhausted;
  const sum = await db.get(
    `SELECT CAST(COALESCE(SUM(hi), 0) AS TEXT) AS hi, CAST(COALESCE(SUM(lo), 0) AS TEXT) AS lo FROM (${IN_WINDOW}) AS used`,
    ...[scope, from, wallet, now],
  );
  const used = exhausted + (sum === undefined ? 0n : join(BigInt(sum.text('hi')), BigInt(sum.text('lo'))));
  if (limit.kind === 'asset' || planId === undefined) return used;
  const own = await db.get(
    `SELECT COUNT(*) AS n FROM uses
     WHERE counted = 1 AND plan_id = ?4 AND scope = ?1 AND (time >= ?2 OR reservation IN (${OPEN}))`,
    ...[scope, from, wallet, planId],
  );
  return used - BigInt(own?.number('n') ?? 0);
}

/** Returns the use of every limit now, by id. */
export async function usedOfAll(
  db: Database,
  limits: readonly LimitSpec[],
  wallet: string,
  network: string,
  planId?: string,
): Promise<Record<string, bigint>> {
  const time = await db.windowTime();
  const all: Record<string, bigint> = {};
  for (const limit of limits) all[limit.id] = await usedOf(db, limit, wallet, network, time, planId);
  return all;
}

/** Returns the uses in a limit's window now, oldest first, one entry per time. */
export async function takenOf(
  db: Database,
  { limit, wallet, network }: Tables['uses']['filter'],
): Promise<TakenOfLimit[]> {
  const now = await db.windowTime();
  const from = windowStart(limit.window, now);
  const accepted = (await acceptedAt(db)) ?? -1;
  const exhausted = accepted >= from ? [{ time: accepted, amount: limit.max }] : [];
  const scope = await scopeId(db, { network, wallet, kind: limit.kind, of: limit.of });
  if (scope === undefined) return exhausted;
  const taken = (
    await db.all(
      `SELECT time, CAST(SUM(hi) AS TEXT) AS hi, CAST(SUM(lo) AS TEXT) AS lo FROM (${IN_WINDOW}) AS used
       GROUP BY time ORDER BY time`,
      ...[scope, from, wallet, now],
    )
  )
    .map((row) => ({
      time: row.number('time'),
      amount: join(BigInt(row.text('hi')), BigInt(row.text('lo'))),
    }))
    .filter(({ amount }) => amount > 0n);
  return [...exhausted, ...taken];
}

/** Returns the check number stored with a use: SQLite does not detect a flipped byte inside a value (F46). */
export const checkNumber = (scope: number, time: number, hi: number, lo: number): number =>
  scope + time + hi + lo;

/** Throws `LEDGER_CORRUPT` if a use does not match its check number. */
export async function checkUses(db: Database): Promise<void> {
  const wrong = await db.get('SELECT 1 FROM uses WHERE check_number <> scope + time + hi + lo LIMIT 1');
  if (wrong !== undefined) throw corrupt('The uses of the limits are damaged.');
}
