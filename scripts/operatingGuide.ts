/**
 * Puts the table of reason codes into the operating guide, and the guide into the form the server serves: one resource,
 * and the same text as a skill of two files.
 */
import { classOf } from '../src/policy/decide/reasons.ts';
import { REASON_CODES } from '../src/policy/decide/types.ts';
import { REASONS } from '../src/presentation/decisions/reasons.ts';

const START = '<!-- codes:start -->';
const END = '<!-- codes:end -->';
const CODES_HEADING = '\n## Reason codes\n';

const codes = (): string =>
  [
    '',
    '| code | class | cause | next step |',
    '|---|---|---|---|',
    ...REASON_CODES.map((code) => {
      const { cause, next } = REASONS[code];
      return `| \`${code}\` | ${classOf(code)} | ${cause} | ${next} |`;
    }),
    '',
  ].join('\n');

/** The guide with its table made anew. */
export function operatingGuide(written: string): string {
  const start = written.indexOf(START);
  const end = written.indexOf(END);
  if (start === -1 || end < start) throw new Error('the operating guide lost its markers');
  return `${written.slice(0, start + START.length)}\n${codes()}${written.slice(end)}`;
}

/** What the server serves, as JSON: the whole guide, and the skill's two files without markers. */
export function servedGuide(guide: string): { guide: string; skill: string; codes: string } {
  const clean = guide
    .replace(`${START}\n`, '')
    .replace(`${END}\n`, '')
    .replace(/ Made from the\ncode's own lists[^\n]*\n/, '\n');
  const at = clean.indexOf(CODES_HEADING);
  if (at === -1) throw new Error('the operating guide lost its list of codes');
  const withoutTitle = clean.slice(0, at).replace(/^# Operating guide\n/, '# Using Countersign\n');
  return {
    guide: clean,
    skill: `${withoutTitle}\nThe meaning of each [reason code](references/codes.md).\n`,
    codes: clean.slice(at + 1).replace(/^## /, '# '),
  };
}
