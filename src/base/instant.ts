/** Instants as a person types them. */

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * Parses a date (UTC), an instant, or a length such as `24h`, `7d` or `4w` counted from `now`, forward or back.
 * Returns milliseconds since the epoch, `undefined` for any other text.
 */
export function parseInstant(text: string, now: number, direction: 'after' | 'before'): number | undefined {
  const [, count, unit = ''] = /^([1-9][0-9]{0,4})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) {
    const length = Number(count) * (UNIT_MS[unit] ?? 0);
    return direction === 'after' ? now + length : now - length;
  }
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
