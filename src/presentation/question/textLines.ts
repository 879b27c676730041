/** Formats a question as plain lines of limited width, for terminals and client dialogs. */
import { fitted } from '../../base/fitted.ts';
import { capital, duration, shortAddress } from '../../base/format.ts';
import { briefWords } from './brief.ts';
import { shareWords, together } from './claimers.ts';
import { UNVERIFIED } from './marks.ts';
import {
  BOUND,
  type ClaimersFact,
  HEADINGS,
  type Line,
  type Marked,
  type MoneyFact,
  NAMED_BY,
  NO_AMOUNT,
  type QuestionFact,
  type ShownClaimer,
  tokenWords,
  type WhatFact,
} from './questionFacts.ts';
import type { ApprovalView } from './view.ts';

/** Default width in columns, for narrow terminals and dialogs. */
const COLUMNS = 60;

/** Returns everything the page shows, as text. `now` in milliseconds. */
export function approvalLines(view: ApprovalView, now: number, columns = COLUMNS): string[] {
  const lay = (text: string, first = '  ', rest = ' '.repeat(first.length)) =>
    fitted(text, columns, first, rest);
  const { wallet } = view;
  const unsupported = view.read ? '' : ` (${UNVERIFIED})`;
  return [
    ...lay(`${view.title} (${view.mode})${unsupported}`, ''),
    ...factsLines(view.facts, columns),
    '',
    'Answer',
    ...lay(deadlineWords(view, now)),
    ...(view.principal === undefined ? [] : lay(`Asked by the principal ${view.principal}`)),
    ...lay(`Wallet ${wallet.label === undefined ? '' : `${wallet.label} `}${wallet.address}`),
    '',
    'Details',
    ...(view.rule === undefined ? [] : lay(`Rule ${view.rule.id}: ${view.rule.why}`)),
    ...view.limits.flatMap(({ id, before, after, max }) =>
      lay(`Limit ${id}: ${before} → ${after} of ${max}`),
    ),
    ...view.stages.flatMap(({ words, covered, optional, mark, messageSha256, id, simulated }, index) => [
      ...lay(
        `${words}${marked({ mark })}${covered && !simulated ? ' (not simulated yet: its amounts are upper bounds)' : ''}${covered ? '' : optional ? ' (optional, not part of this approval)' : ' (not part of this approval)'}`,
        `  ${index + 1}. `,
      ),
      ...(messageSha256 === undefined
        ? []
        : [
            ...lay(`hash ${shortId(id)} ${messageSha256.base58}`, '     '),
            ...lay(messageSha256.hex, '     '),
          ]),
    ]),
    ...(view.asked.length === 0 ? [] : [view.read ? 'Asked for' : capital(UNVERIFIED)]),
    ...view.asked.flatMap(({ name, value }) => lay(`${name} = ${value}`)),
  ];
}

/** Returns the main amounts and the unusual terms again, for the end of a long question. */
export const summaryLines = (view: ApprovalView, columns = COLUMNS): string[] => [
  ...fitted(`In short: ${briefWords(view)}.`, columns, '', '  '),
  ...factsLines(
    view.facts.filter(({ kind }) => kind === 'unusual'),
    columns,
  ),
];

/** Formats facts as text. */
export const factsLines = (facts: readonly QuestionFact[], columns = COLUMNS): string[] =>
  facts.flatMap((fact) =>
    factLines(fact, (text, first = '  ', rest = ' '.repeat(first.length)) =>
      fitted(text, columns, first, rest),
    ),
  );

type Lay = (text: string, first?: string, rest?: string) => string[];

function factLines(fact: QuestionFact, lay: Lay): string[] {
  const lines = 'lines' in fact ? fact.lines.flatMap((line) => lineOf(line, lay)) : [];
  switch (fact.kind) {
    case 'what':
      return [...whatLines(fact, lay), ...lines];
    case 'leaves':
    case 'arrives':
      return ['', HEADINGS[fact.kind], ...amountLines(fact, lay)];
    case 'claimers':
      return ['', HEADINGS.claimers, ...claimerLines(fact, lay), ...lines];
    default:
      return lines.length === 0 ? [] : ['', HEADINGS[fact.kind], ...lines];
  }
}

/** Severe lines have a sign in front, since a terminal may have no colour. */
const lineOf = ({ text, tone, mark }: Line, lay: Lay): string[] =>
  lay(`${text}${marked({ mark })}`, tone === 'plain' ? '  ' : '! ', '  ');

const whatLines = ({ tokens }: WhatFact, lay: Lay): string[] =>
  tokens.flatMap((token) => {
    const words = tokenWords(token);
    return [
      ...(words === undefined || token.by === undefined ? [] : lay(`${words}, ${NAMED_BY[token.by]}`)),
      ...lay(`token ${token.mint}${marked(token)}`),
    ];
  });

const amountLines = ({ kind, amounts, mark }: MoneyFact, lay: Lay): string[] =>
  amounts.length === 0
    ? lay(`${NO_AMOUNT[kind]}${marked({ mark })}`)
    : amounts.flatMap((each) => lay(`${BOUND[kind]} ${each.words}${marked(each)}`));

function claimerLines({ rows, more, folded }: ClaimersFact, lay: Lay): string[] {
  const row = (each: ShownClaimer) => {
    const who = each.label ?? 'not in your address book';
    const share = shareWords(each) ?? '';
    return [
      ...lay(`${share === '' ? '' : `${share}  `}${who}${marked(each)}`),
      ...lay(each.address, '     '),
    ];
  };
  const short = (each: ShownClaimer) => lay(each.address, `  ${(shareWords(each) ?? '').padStart(5)}  `);
  return [
    ...rows.flatMap(row),
    ...(more.length === 0 ? [] : lay('Also not in your address book:')),
    ...more.flatMap(short),
    ...(folded.length === 0 ? [] : lay(`${folded.length} more, ${together(folded)} together.`)),
  ];
}

/** Returns the deadlines of a question, the earliest first. */
export function deadlineWords(
  { state, expiresAt, quoteUntil }: Pick<ApprovalView, 'state' | 'expiresAt' | 'quoteUntil'>,
  now: number,
): string {
  if (state !== 'pending') return `This question is ${state}.`;
  const end = `Expires in ${duration(expiresAt - now)}.`;
  if (quoteUntil === undefined) return end;
  const later = 'a new quote inside the same bounds is taken; outside them you are asked again.';
  return quoteUntil > now
    ? `This quote holds for ${duration(quoteUntil - now)}. After that ${later} ${end}`
    : `The quote is too old: ${later} ${end}`;
}

const marked = ({ mark }: { readonly mark?: Marked['mark'] | undefined }): string =>
  mark === undefined ? '' : ` (${mark})`;

const shortId = (id: string): string => (id.length > 24 ? shortAddress(id) : id);
