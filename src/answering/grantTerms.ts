/** The bounds of a grant as a person gives them with a yes, on the page or on the command line. */
import { unitsOfText } from '../base/words.ts';
import { type Grant, LONGEST_GRANT_MS, MOST_TIMES, MOST_WORSE_BPS } from '../statement/grant.ts';

/** Texts of a person; empty and absent ones take what is usual. */
export interface GrantTexts {
  /** Later plans, at most; empty: no grant. */
  readonly times?: string | undefined;
  /** Most of the asset in total, in its own unit; usual: so many times what this plan pays. */
  readonly total?: string | undefined;
  /** A date, an instant, or a length from now such as `7d`; usual: a week. */
  readonly until?: string | undefined;
  /** Percent that a price may be worse; usual: 1. */
  readonly worse?: string | undefined;
}

/** What the like of a question would be about. */
export interface Grantable {
  readonly asset: string;
  /** Absent where they are not known: amounts are base units. */
  readonly decimals?: number;
  /** Base units that the plan pays at most, fees and deposits included; decimal. */
  readonly each: string;
}

/** A bound that cannot be one. `message` says which and what it may be. */
export class GrantError extends Error {}

const LENGTHS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The grant that the texts mean; `undefined` where none was asked for. `now` in milliseconds since the epoch. @throws GrantError */
export function grantOf(
  { times, total, until, worse }: GrantTexts,
  of: Grantable,
  now: number,
): Grant | undefined {
  if (!times?.trim()) return undefined;
  const count = Number(times);
  if (!Number.isInteger(count) || count < 1 || count > MOST_TIMES)
    throw new GrantError(`How many times must be a number from 1 to ${MOST_TIMES}, not "${times}".`);
  const units = total?.trim() ? unitsOfText(total.trim(), of.decimals ?? 0) : BigInt(of.each) * BigInt(count);
  if (units === undefined || units < 1n)
    throw new GrantError(`The total must be an amount such as 2.5, not "${total}".`);
  const end = endOf(until?.trim() || '1w', now);
  if (!(end > now && end <= now + LONGEST_GRANT_MS))
    throw new GrantError(`The end must be a date within a year or a length such as 7d, not "${until}".`);
  const bps = Math.round(Number(worse?.trim() || '1') * 100);
  if (!(bps >= 0 && bps <= MOST_WORSE_BPS))
    throw new GrantError(`A price may be worse by 0 to ${MOST_WORSE_BPS / 100} percent, not "${worse}".`);
  return { times: count, asset: of.asset, total: `${units}`, until: end, worseBps: bps };
}

function endOf(text: string, now: number): number {
  const [, count, unit = ''] = /^([1-9][0-9]{0,3})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(count) * (LENGTHS[unit] ?? Number.NaN);
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}
