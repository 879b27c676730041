/**
 * Money and limits over time, for charts: what left and arrived on each day, and how much of a limit was used at each
 * moment. From what the ledger recorded alone. Pure but for the reading of what was taken.
 */
import { endOf, startOf } from '../../ledger/calendar.ts';
import type { TakenOfLimit } from '../../ledger/limits.ts';
import type { RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import type { Ledger } from '../../ledger/types.ts';
import type { WindowLimit } from '../../policy/decide/checks/limits.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** SOL of one day, in lamports, native and wrapped together. Each transaction counts by what it changed on the whole. */
export interface DayOfSol {
  /** The first moment of the day, milliseconds since the epoch. */
  readonly day: number;
  readonly left: bigint;
  readonly arrived: bigint;
  readonly fees: bigint;
}

/** The last `days` days of a time zone up to now, oldest first; days on which nothing moved are among them. */
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

/** How much of a limit was used from a moment on, until the next one. */
export interface UsedFrom {
  readonly at: number;
  readonly used: bigint;
}

const CALENDAR_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS } as const;
/** Windows a chart reaches back, and the shortest and longest time it shows. */
const WINDOWS = 7;
const SHORTEST_MS = HOUR_MS;
const LONGEST_MS = 92 * DAY_MS;

const lengthOf = ({ window }: Pick<WindowLimit, 'window'>): number =>
  'rollingMs' in window ? window.rollingMs : CALENDAR_MS[window.calendar];

/** How far back a chart of a limit looks, in milliseconds. */
export const spanOf = (limit: Pick<WindowLimit, 'window'>): number =>
  Math.min(LONGEST_MS, Math.max(SHORTEST_MS, WINDOWS * lengthOf(limit)));

/**
 * What was used of a limit over its span, as steps, oldest first; the first one is where the span begins. What was given
 * back is not among it.
 */
export async function usedOverTime(
  ledger: Pick<Ledger, 'taken'>,
  limit: WindowLimit,
  { wallet, network, now }: { readonly wallet: string; readonly network: string; readonly now: number },
): Promise<UsedFrom[]> {
  const begin = now - spanOf(limit);
  // Another window of the same scope: everything that was taken since the first window of the span began.
  const rollingMs = now - windowStart(limit, begin) + DAY_MS;
  const taken = await ledger.taken({ ...limit, window: { rollingMs } }, wallet, network);
  return stepsOf(limit, taken, begin, now);
}

/** When the window that holds a moment began. */
const windowStart = ({ window }: Pick<WindowLimit, 'window'>, at: number): number =>
  'rollingMs' in window ? at - window.rollingMs : startOf(window.calendar, window.timeZone, at);

/** Steps of what is used: it rises when something is taken, and falls when that leaves the window. */
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
