/**
 * Writes the table of reason codes into the operating guide, and the guide into the form the server serves: one resource
 * and the same text as a skill with two files.
 */
import { classOf } from '../src/policy/decide/reasons.ts';
import { REASON_CODES, type ReasonCode } from '../src/policy/decide/types.ts';
import { REASONS } from '../src/presentation/decisions/reasons.ts';
import { replaceSection } from './section.ts';

const CODES_HEADING = '\n## Reason codes\n';

const row = (code: ReasonCode, ...more: string[]): string =>
  `| ${[`\`${code}\``, classOf(code), REASONS[code].cause, ...more].join(' | ')} |`;

/** Groups codes with a common next step; the other codes have a column for theirs. */
function codes(): string {
  const byStep = new Map<string, ReasonCode[]>();
  for (const code of REASON_CODES) {
    const { next } = REASONS[code];
    byStep.set(next, [...(byStep.get(next) ?? []), code]);
  }
  const shared = [...byStep].filter(([, group]) => group.length > 1);
  const single = [...byStep].filter(([, group]) => group.length === 1);
  return [
    ...shared.flatMap(([next, group]) => [
      `**${next}**`,
      '',
      '| code | class | cause |',
      '|---|---|---|',
      ...group.map((code) => row(code)),
      '',
    ]),
    '**As the table says:**',
    '',
    '| code | class | cause | next step |',
    '|---|---|---|---|',
    ...single.flatMap(([next, group]) => group.map((code) => row(code, next))),
  ].join('\n');
}

/** Returns the guide with its table of reason codes written anew. */
export const operatingGuide = (written: string): string => replaceSection(written, 'codes', codes());

/** Returns the served texts as JSON: the guide, and the two files of the skill without markers. */
export function servedGuide(guide: string): { guide: string; skill: string; codes: string } {
  const clean = guide.replace(/<!-- codes:\w+ -->\n\n?/g, '');
  const at = clean.indexOf(CODES_HEADING);
  if (at === -1) throw new Error('the operating guide lost its list of codes');
  const withoutTitle = clean.slice(0, at).replace(/^# Operating guide\n/, '# Using Countersign\n');
  return {
    guide: clean,
    skill: `${withoutTitle}\nThe meaning of each [reason code](references/codes.md).\n`,
    codes: clean.slice(at + 1).replace(/^## /, '# '),
  };
}
