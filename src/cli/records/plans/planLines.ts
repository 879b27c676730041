/** Plans as lines for a terminal: a list by urgency, or one plan whole. Pure. */

import { type ShownStatus, STAGE_STATUS_WORDS, STATUS_WORDS } from '../../../presentation/statusWords.ts';
import { table, underline, wrap } from '../../layout.ts';
import { timeWords } from '../history.ts';
import type { PlanSummary, Urgency } from './summary.ts';

/** What the page of approvals says of a plan, behind a colon. */
const statusWords = (status: ShownStatus): string => {
  const { words } = STATUS_WORDS[status].chip;
  return words.charAt(0).toLowerCase() + words.slice(1);
};

export interface PlanList {
  /** Newest first. */
  readonly plans: readonly PlanSummary[];
  /** Whether older plans are stored and not shown. */
  readonly more: boolean;
  readonly frozen?: { readonly since: number; readonly reason: string } | undefined;
}

const HEADINGS: readonly (readonly [Urgency, string])[] = [
  ['doubt', 'In doubt'],
  ['person', 'Waiting for you'],
  ['open', 'Not finished'],
];
const FINISHED = [
  ['live', 'Finished'],
  ['sandbox', 'Finished in a sandbox'],
] as const;

/** The list: what is in doubt first, finished plans one line each. */
export function planListLines({ plans, more, frozen }: PlanList, columns: number): string[] {
  const lines: string[] = [];
  if (frozen !== undefined) {
    lines.push(...wrap(`Signing is frozen since ${timeWords(frozen.since)}: ${frozen.reason}`, columns), '');
  }
  if (plans.length === 0) lines.push('No plans yet.');
  for (const [urgency, heading] of HEADINGS) {
    const some = plans.filter((plan) => plan.urgency === urgency);
    if (some.length === 0) continue;
    if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
    lines.push(heading, underline(heading));
    for (const plan of some) lines.push(...unfinished(plan, columns));
  }
  const done = plans.filter((plan) => plan.urgency === 'done');
  for (const [mode, heading] of FINISHED) {
    const some = done.filter((plan) => plan.mode === mode);
    if (some.length === 0) continue;
    if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
    lines.push(heading, underline(heading), ...finished(some, columns));
  }
  if (more) lines.push('', 'Older plans exist; use --limit N to see more.');
  return lines;
}

const finished = (plans: readonly PlanSummary[], columns: number): string[] =>
  table(
    plans.map(({ planId, title, status, createdAt }) => [
      planId,
      statusWords(status),
      timeWords(createdAt).slice(0, 10),
      title,
    ]),
    columns,
  );

function unfinished(
  { planId, title, status, mode, known, doubt, next }: PlanSummary,
  columns: number,
): string[] {
  return [
    ...wrap(`${planId}  ${title}: ${statusWords(status)}${mode === 'sandbox' ? ' (sandbox)' : ''}`, columns),
    ...labelled('known', known, columns),
    ...labelled(
      'doubt',
      doubt.flatMap(({ text, signature }) => [text, signature]),
      columns,
    ),
    ...labelled('next', [next], columns),
  ];
}

function labelled(label: string, texts: readonly string[], columns: number): string[] {
  return texts.flatMap((text, i) => wrap(text, columns, `  ${(i === 0 ? label : '').padEnd(7)}`));
}

/** One plan, with its stages. */
export function planLines(plan: PlanSummary, columns: number): string[] {
  const { planId, title, status, mode, network, wallet, createdAt, stages } = plan;
  const doubts = plan.doubt.flatMap(({ text, signature }) => [text, signature]);
  return [
    ...wrap(`${title}: ${statusWords(status)}`, columns),
    ...table(
      [
        ['  plan', planId],
        ['  made', `${timeWords(createdAt)}, ${mode}`],
        ['  wallet', wallet],
        ['  network', network],
      ],
      columns,
    ),
    '',
    'Stages',
    ...stages.flatMap(({ what, status: state, optional, signature, note }, i) => [
      ...wrap(
        `${what}${optional ? ' (optional)' : ''}: ${STAGE_STATUS_WORDS[state].chip.words}`,
        columns,
        `  ${`${i + 1}.`.padEnd(3)} `,
      ),
      ...(signature === undefined ? [] : [`      ${signature}`]),
      ...(note === undefined ? [] : wrap(note, columns, '      ')),
    ]),
    ...section('Known', plan.known, columns),
    ...section('In doubt', doubts.length === 0 ? ['Nothing.'] : doubts, columns),
    ...section('Next', [plan.next], columns),
  ];
}

const section = (heading: string, texts: readonly string[], columns: number): string[] => [
  '',
  heading,
  ...texts.flatMap((text) => wrap(text, columns, '  ')),
];
