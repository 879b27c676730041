/**
 * Chart data: SOL sent and received per day, and the use of a limit over time. Uses only ledger records. Pure except
 * for reading recorded use.
 */
import { endOf, startOf } from '../../ledger/calendar.ts';
import type { RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import type { Ledger, TakenOfLimit } from '../../ledger/types.ts';
import type { WindowLimit } from '../../policy/decide/checks/limits.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** SOL of one day in lamports, native and wrapped together. Each transaction counts by its net change. */
export interface DayOfSol {
  /** The start of the day, milliseconds since the epoch. */
  readonly day: number;
  readonly left: bigint;
  readonly arrived: bigint;
  readonly fees: bigint;
}

/** Returns the last `days` days of a time zone, oldest first, including days without changes. */
export function solByDay(
  moves: readonly RecordedMoves[],
  { days, now, timeZone }: { readonly days: number; readonly now: number; readonly timeZone: string },
): DayOfSol[] {
  const starts: number[] = [];
  for (let at = now; starts.length < days; at = (starts[0] ?? 0) - 1) {
    starts.unshift(startOf('day', timeZone, at));
  }
  const sums = starts.map((day) => ({ day, left: 0n, arrived: 0n, fees: 0n }));
  for (const { time, recordedAt, feeLamports, changes } of moves) {
    const at = time ?? recordedAt;
    const sum = sums.findLast(({ day }) => day <= at);
    if (sum === undefined || at > now) continue;
    const net = changes.reduce(
      (total, { asset, units }) => (asset === 'SOL' || asset === WSOL_MINT ? total + units : total),
      0n,
    );
    if (net < 0n) sum.left -= net;
    else sum.arrived += net;
    sum.fees += feeLamports;
  }
  return sums;
}

/** Use of a limit from a moment until the next entry. */
export interface UsedFrom {
  readonly at: number;
  readonly used: bigint;
}

const CALENDAR_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS } as const;
/** Number of windows a chart covers, and its minimum and maximum span. */
const WINDOWS = 7;
const SHORTEST_MS = HOUR_MS;
const LONGEST_MS = 92 * DAY_MS;

const lengthOf = ({ window }: Pick<WindowLimit, 'window'>): number =>
  'rollingMs' in window ? window.rollingMs : CALENDAR_MS[window.calendar];

/** Returns the span of a limit's chart in milliseconds. */
export const spanOf = (limit: Pick<WindowLimit, 'window'>): number =>
  Math.min(LONGEST_MS, Math.max(SHORTEST_MS, WINDOWS * lengthOf(limit)));

/**
 * Returns the use of a limit over its span as steps, oldest first; the first is at the start of the span. Released
 * amounts are not included.
 */
export async function usedOverTime(
  ledger: Pick<Ledger, 'rows'>,
  limit: WindowLimit,
  { wallet, network, now }: { readonly wallet: string; readonly network: string; readonly now: number },
): Promise<UsedFrom[]> {
  const begin = now - spanOf(limit);
  // A longer window of the same scope covers all use since the first window of the span began.
  const rollingMs = now - windowStart(limit, begin) + DAY_MS;
  const taken = await ledger.rows('uses', { limit: { ...limit, window: { rollingMs } }, wallet, network });
  return stepsOf(limit, taken, begin, now);
}

/** Returns the start of the window that contains a moment. */
const windowStart = ({ window }: Pick<WindowLimit, 'window'>, at: number): number =>
  'rollingMs' in window ? at - window.rollingMs : startOf(window.calendar, window.timeZone, at);

/** Returns steps of the use: up when an amount is used, down when it leaves the window. */
export function stepsOf(
  limit: Pick<WindowLimit, 'window'>,
  taken: readonly TakenOfLimit[],
  begin: number,
  now: number,
): UsedFrom[] {
  const turns = new Map([[begin, 0n]]);
  const add = (at: number, amount: bigint): void => {
    if (at > now) return;
    const turn = Math.max(at, begin);
    turns.set(turn, (turns.get(turn) ?? 0n) + amount);
  };
  for (const { time, amount } of taken) {
    add(time, amount);
    add(endOf(limit, time), -amount);
  }
  let used = 0n;
  return [...turns]
    .sort(([a], [b]) => a - b)
    .map(([at, change]) => {
      used += change;
      return { at, used };
    });
}
