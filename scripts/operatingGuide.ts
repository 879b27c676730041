/** Writes the table of reason codes into the operating guide, and returns the guide as the server serves it. */
import { classOf } from '../src/policy/decide/reasons.ts';
import { REASON_CODES, type ReasonCode } from '../src/policy/decide/types.ts';
import { REASONS } from '../src/presentation/decisions/reasons.ts';
import { replaceSection } from './section.ts';

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

/** Returns the text the server serves: the guide without markers. */
export const servedGuide = (guide: string): { guide: string } => ({
  guide: guide.replace(/<!-- codes:\w+ -->\n\n?/g, ''),
});
