/**
 * How much of a limit is used within a window, in a time that does not grow with the number of rows. Every use is
 * added to one bucket of each level (64ⁿ milliseconds wide), and a window is the sum of a few dozen buckets: the
 * small ones at its old edge, the large ones behind them. Exact to the millisecond for every window length, and still
 * there after a restart (F48).
 */

import { startOf } from '../calendar.ts';
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';
import type { LimitSpec } from '../limits.ts';

const FANOUT = 64;
const LEVELS = 6;
const U64_MAX = 0xffff_ffff_ffff_ffffn;
const LOW = 0xffff_ffffn;

/** What uses are summed over: one asset or one kind of plan, for one wallet on one network. */
export interface Scope {
  readonly network: string;
  readonly wallet: string;
  readonly kind: 'asset' | 'count';
  /** `SOL`, a mint, an operation or `any`. */
  readonly of: string;
}

/** The scope's number in the ledger. `undefined` when nothing was ever used of it. */
export async function scopeId(db: Database, scope: Scope): Promise<number | undefined> {
  return (await db.get('SELECT id FROM scopes WHERE name = ?', scopeName(scope)))?.number('id');
}

/** The same, made when it is new. Inside a write. */
export async function ensureScope(db: Database, scope: Scope): Promise<number> {
  await db.run('INSERT INTO scopes (name) VALUES (?) ON CONFLICT (name) DO NOTHING', scopeName(scope));
  return (await scopeId(db, scope)) ?? 0;
}

const scopeName = ({ network, wallet, kind, of }: Scope): string => [network, wallet, kind, of].join(' ');

/** An amount in base units as two integers. Throws a `RangeError` for what is no u64. */
export function split(amount: bigint): { hi: number; lo: number } {
  if (amount < 0n || amount > U64_MAX) throw new RangeError('an amount that is no u64');
  return { hi: Number(amount >> 32n), lo: Number(amount & LOW) };
}

/** The inverse of `split`, also for sums of parts. */
export const join = (hi: bigint | number, lo: bigint | number): bigint => (BigInt(hi) << 32n) + BigInt(lo);

/** Adds the parts of an amount (or takes them away, when negative) at a time. Inside a write. */
export async function addToBuckets(
  db: Database,
  scope: number,
  time: number,
  hi: number,
  lo: number,
): Promise<void> {
  for (let level = 0, width = 1; level < LEVELS; level++, width *= FANOUT) {
    await db.run(
      `INSERT INTO buckets VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope, level, bucket)
       DO UPDATE SET hi = buckets.hi + excluded.hi, lo = buckets.lo + excluded.lo`,
      scope,
      level,
      Math.floor(time / width),
      hi,
      lo,
    );
  }
}

const SUM = `SELECT COALESCE(SUM(hi), 0) AS hi, COALESCE(SUM(lo), 0) AS lo FROM buckets
  WHERE scope = ? AND level = ? AND bucket BETWEEN ? AND ?`;
const WINDOW = `SELECT CAST(SUM(hi) AS TEXT) AS hi, CAST(SUM(lo) AS TEXT) AS lo
  FROM (${Array.from({ length: LEVELS }, () => SUM).join(' UNION ALL ')}) AS levels`;

/** Everything used at `from` or later. */
export async function usedSince(db: Database, scope: number, from: number): Promise<bigint> {
  const ranges: number[] = [];
  let first = Math.max(0, from);
  for (let level = 0; level < LEVELS; level++) {
    const parent = Math.floor(first / FANOUT);
    // The rest of this level's row of siblings, then go on one level up; the last level has no end.
    const last = level === LEVELS - 1 ? Number.MAX_SAFE_INTEGER : parent * FANOUT + FANOUT - 1;
    ranges.push(scope, level, first, last);
    first = parent + 1;
  }
  const row = await db.get(WINDOW, ...ranges);
  return row === undefined ? 0n : join(BigInt(row.text('hi')), BigInt(row.text('lo')));
}

/** The first millisecond inside a limit's window at `now`. */
export function windowStart(window: LimitSpec['window'], now: number): number {
  if ('rollingMs' in window) return now - window.rollingMs + 1;
  return startOf(window.calendar, window.timeZone, now);
}

/** Refuses when the sums that limits are checked against are not the sums of the uses they were made of. */
export async function checkSums(db: Database): Promise<void> {
  const totals = async (sql: string) =>
    new Map(
      (await db.all(sql)).map((row) => [
        `${row.number('scope')} ${row.number('level')}`,
        join(BigInt(row.text('hi')), BigInt(row.text('lo'))),
      ]),
    );
  const sums = 'CAST(SUM(hi) AS TEXT) AS hi, CAST(SUM(lo) AS TEXT) AS lo';
  const uses = await totals(`SELECT scope, 0 AS level, ${sums} FROM uses GROUP BY scope`);
  const buckets = await totals(`SELECT scope, level, ${sums} FROM buckets GROUP BY scope, level`);
  for (const [key, sum] of buckets) {
    const used = uses.get(`${key.split(' ')[0]} 0`) ?? 0n;
    if (used !== sum) throw corrupt('The sums of the limits are damaged.');
  }
  for (const [key, used] of uses) {
    if (used !== 0n && buckets.get(key) !== used) throw corrupt('The sums of the limits are damaged.');
  }
}
