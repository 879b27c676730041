/** Starts of calendar units in a time zone, and ends of limit windows. */
import type { LimitSpec } from './types.ts';

/**
 * Milliseconds since the epoch of the first instant of the calendar unit that holds `now`. Weeks begin on Monday.
 * Where clocks change at midnight the earlier candidate is taken, so that a window is never too short.
 * Throws a `RangeError` for an unknown time zone.
 */
export function startOf(unit: 'day' | 'week' | 'month', timeZone: string, now: number): number {
  const { year, month, day } = localDate(now, timeZone);
  const midnight = new Date(Date.UTC(year, month - 1, day));
  if (unit === 'week') midnight.setUTCDate(midnight.getUTCDate() - ((midnight.getUTCDay() + 6) % 7));
  if (unit === 'month') midnight.setUTCDate(1);
  const wanted = midnight.getTime();
  // Local midnight is `wanted` minus the zone's offset; the offset can be the one before or after a change.
  const candidates = [wanted - 86_400_000, wanted, wanted + 86_400_000]
    .map((at) => wanted - offsetAt(at, timeZone))
    .filter((at) => at <= now && at + offsetAt(at, timeZone) >= wanted);
  return candidates.length === 0 ? wanted - offsetAt(wanted, timeZone) : Math.min(...candidates);
}

const HOUR_MS = 3_600_000;
/** Longest length of a unit, clock changes included. */
const LONGEST_UNIT_MS = { day: 26 * HOUR_MS, week: 170 * HOUR_MS, month: 746 * HOUR_MS };

/** Returns when a use at `time` leaves its window. */
export function endOf({ window }: Pick<LimitSpec, 'window'>, time: number): number {
  if ('rollingMs' in window) return time + window.rollingMs;
  const { calendar, timeZone } = window;
  return startOf(calendar, timeZone, startOf(calendar, timeZone, time) + LONGEST_UNIT_MS[calendar]);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function parts(at: number, timeZone: string): Map<string, number> {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
}

function localDate(at: number, timeZone: string): { year: number; month: number; day: number } {
  const local = parts(at, timeZone);
  return { year: local.get('year') ?? 0, month: local.get('month') ?? 0, day: local.get('day') ?? 0 };
}

/** Milliseconds by which local time is ahead of UTC at an instant. */
function offsetAt(at: number, timeZone: string): number {
  const local = parts(at, timeZone);
  const part = (name: string) => local.get(name) ?? 0;
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown - Math.floor(at / 1000) * 1000;
}
