/** Parses the bounds of a grant that an owner enters with an approval, on the page or on the command line. */

import { unitsOfText } from '../base/format.ts';
import { parseInstant } from '../base/instant.ts';
import { type Grant, MAX_GRANT_MS, MAX_TIMES, MAX_WORSE_BPS } from '../statement/grant.ts';

/** Entered bounds; an empty or absent one takes its default. */
export interface GrantTexts {
  /** Maximum number of later plans; empty: no grant. */
  readonly times?: string | undefined;
  /** Maximum total in units of the asset; default: that many times the amount of this plan. */
  readonly total?: string | undefined;
  /** A date, an instant, or a length from now such as `7d`; default: a week. */
  readonly until?: string | undefined;
  /** Maximum price deviation in percent; default: 1. */
  readonly worse?: string | undefined;
}

/** The asset and amount that a grant given with a question would limit. */
export interface Grantable {
  readonly asset: string;
  /** Absent where they are not known: amounts are base units. */
  readonly decimals?: number;
  /** Base units that the plan pays at most, fees and deposits included; decimal. */
  readonly each: string;
}

/** An invalid bound; `message` names it and its valid range. */
export class GrantError extends Error {}

/** Returns the entered grant, `undefined` without a number of plans. `now` in milliseconds since the epoch. @throws GrantError */
export function grantOf(
  { times, total, until, worse }: GrantTexts,
  of: Grantable,
  now: number,
): Grant | undefined {
  if (!times?.trim()) return undefined;
  const count = Number(times);
  if (!Number.isInteger(count) || count < 1 || count > MAX_TIMES)
    throw new GrantError(`The number of plans must be between 1 and ${MAX_TIMES}, not "${times}".`);
  const units = total?.trim() ? unitsOfText(total.trim(), of.decimals ?? 0) : BigInt(of.each) * BigInt(count);
  // A claim may cost nothing.
  if (units === undefined || (units < 1n && of.each !== '0'))
    throw new GrantError(`The total must be an amount such as 2.5, not "${total}".`);
  const end = parseInstant(until?.trim() || '1w', now, 'after');
  if (end === undefined || end <= now || end > now + MAX_GRANT_MS)
    throw new GrantError(`The end must be a date within a year or a length such as 7d, not "${until}".`);
  const bps = Math.round(Number(worse?.trim() || '1') * 100);
  if (!(bps >= 0 && bps <= MAX_WORSE_BPS))
    throw new GrantError(
      `The price deviation must be between 0 and ${MAX_WORSE_BPS / 100} percent, not "${worse}".`,
    );
  return { times: count, asset: of.asset, total: `${units}`, until: end, worseBps: bps };
}
