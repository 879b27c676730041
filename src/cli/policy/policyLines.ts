/** The page about a policy as lines for a terminal. */
import type { Section } from '../../review/explainBounds.ts';
import type { PolicyPage } from '../../review/explainPolicy.ts';
import { underline, wrap } from '../layout.ts';

/** Lays a page out; no line is longer than `columns` unless one word is. */
export function policyPageLines({ title, lead, sections }: PolicyPage, columns: number): string[] {
  return [
    title,
    underline(title, '='),
    '',
    ...wrap(lead, columns),
    ...sections.flatMap((section) => sectionLines(section, columns)),
  ];
}

function sectionLines({ heading, lead, statements }: Section, columns: number): string[] {
  return [
    '',
    heading,
    underline(heading),
    ...(lead === undefined ? [] : wrap(lead, columns)),
    ...statements.flatMap(({ text, more = [] }) => [
      ...wrap(text, columns, '  * '),
      ...more.flatMap((line) => wrap(line, columns, '      - ')),
    ]),
  ];
}
