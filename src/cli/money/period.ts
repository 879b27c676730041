/** The period of a command: `--since` and `--until`, as a date, an instant, or a duration ago. */
import { parseInstant } from '../../base/instant.ts';
import type { Period } from '../../presentation/history/activity.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { type CommandInput, textOption } from '../command.ts';

const EXAMPLES = 'Use a date (2026-01-31), an instant (2026-01-31T12:00:00Z) or a length (24h, 7d, 4w).';

/** Returns the period of a command line, unlimited without options. Dates are UTC; `now` is milliseconds. */
export function periodOption({ options }: CommandInput, now: number): Period {
  const at = (name: string): number | undefined => {
    const text = textOption(options, name);
    return text === undefined ? undefined : instant(name, text, now);
  };
  const from = at('since') ?? 0;
  const until = at('until') ?? Number.MAX_SAFE_INTEGER;
  if (from < until) return { from, until };
  throw new SetupError('--since must be before --until.', EXAMPLES);
}

function instant(name: string, text: string, now: number): number {
  const time = parseInstant(text, now, 'before');
  if (time === undefined) throw new SetupError(`--${name} "${text}" is no time.`, EXAMPLES);
  return time;
}
