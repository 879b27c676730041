/** Puts the lists of messages into the page on troubleshooting: what doctor misses, what commands say, every code. */
import { errorRows, reasonRows } from './errorCodes.ts';
import { doctorMessages, errorMessages, type Message } from './messages.ts';

const START = '<!-- messages:start -->';
const END = '<!-- messages:end -->';

/** The parts of the program that messages come from, in the order a person meets them. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ['Options and commands', /^src\/cli\/(?!keys|records)/],
  ['Setting up a server', /^(src\/runtime|tools)\//],
  ['Secrets, wallet and owner key', /^src\/(cli\/keys|secrets)\//],
  ['The ledger and its records', /^src\/(cli\/records|ledger)\//],
  ['Signing and landing', /^src\/(presentation|landing|builders)\//],
  ['Your RPC', /^src\/rpc\//],
];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim();

const table = (head: string, rows: readonly (readonly string[])[]): string[] => [
  `| ${head} | do |`,
  `|${'---|'.repeat(head.split('|').length + 1)}`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  '',
];

function messages(root: string): string[] {
  const coded = new Map(errorRows().flatMap(({ rows }) => rows.map((row) => [row.code, row.next])));
  const all = errorMessages(root);
  const next = ({ hint, code }: Message): string =>
    hint ?? coded.get(code ?? '') ?? 'The message says it; `countersign help` lists the commands.';
  const parts = PARTS.map(([title, files]) => ({ title, found: all.filter(({ file }) => files.test(file)) }));
  const placed = parts.flatMap(({ found }) => found);
  const lost = all.filter((each) => !placed.includes(each));
  if (lost.length > 0) throw new Error(`messages without a part: ${lost.map(({ file }) => file).join(', ')}`);
  return parts.flatMap(({ title, found }) => [
    `### ${title}`,
    '',
    ...table(
      'message',
      found.map((each) => [each.text, next(each)]),
    ),
  ]);
}

/** The page with its lists made anew. */
export function troubleshootingPage(written: string, root: string): string {
  const start = written.indexOf(START);
  const end = written.indexOf(END);
  if (start === -1 || end < start) throw new Error('the page on troubleshooting lost its markers');
  const codes = [{ title: 'Reasons of the policy', rows: reasonRows() }, ...errorRows()].flatMap(
    ({ title, rows }) => [
      `### ${title}`,
      '',
      ...table(
        'code | means',
        rows.map((row) => [`\`${row.code}\``, row.cause, row.next]),
      ),
    ],
  );
  const lists = [
    '',
    '## What `countersign doctor` marks as missing',
    '',
    ...table(
      'line',
      doctorMessages(root).map(({ text, hint }) => [text, hint ?? 'See the message.']),
    ),
    '## What a command or the server says',
    '',
    ...messages(root),
    '## What a code means',
    '',
    'Codes stand in results of tools, in decisions and in `countersign audit show`. The next step is what the agent is told;',
    '*tell the person* means you. Where it says *stop*, something is not what it claims to be: nothing was signed, and nothing',
    'should be approved before you know why.',
    '',
    ...codes,
  ];
  return `${written.slice(0, start + START.length)}\n${lists.join('\n')}${written.slice(end)}`;
}
