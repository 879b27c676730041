/** The generated sections of `docs/contract.md`: supported instructions by program, and the decision on each kind of plan. */
import { readFileSync } from 'node:fs';
import type { AccountLayout } from '../src/programs/account.ts';
import { ACCOUNT_LAYOUTS } from '../src/programs/accountLayouts.ts';
import { PROGRAMS } from '../src/programs/index.ts';
import type { Layout } from '../src/programs/layout.ts';
import type { ProgramReader } from '../src/programs/program.ts';
import { JITO_TIP_ACCOUNTS } from '../src/programs/solana/system.ts';
import { replaceSection } from './section.ts';

/** A row of the table of kinds, as `test/policy/kinds/` records it. */
export interface KindRow {
  readonly kind: string;
  readonly binding: string;
  readonly sandbox: string;
  readonly template: string;
  readonly live: string;
  readonly bounds: string;
  readonly questions: string;
}

/** Returns the kinds as inline code, without their common prefix. */
function kindNames(layouts: readonly (Layout | AccountLayout)[]): string {
  const prefixes = new Set(layouts.map(({ kind }) => kind.split('.')[0]));
  const names = layouts.map(({ kind }) => (prefixes.size === 1 ? kind.replace(/^\w+\./, '') : kind));
  return names.map((name) => `\`${name}\``).join(' ');
}

/** Returns the account types of a program. */
const accountsOf = ({ addresses }: ProgramReader): readonly AccountLayout[] =>
  ACCOUNT_LAYOUTS.filter(({ program }) => addresses.includes(program));

function programRow(reader: ProgramReader): string {
  const { name, addresses, source, layouts, named } = reader;
  const accounts = accountsOf(reader);
  const supported = [
    kindNames(layouts),
    ...(accounts.length === 0 ? [] : [`accounts: ${kindNames(accounts)}`]),
  ];
  const where = addresses.map((address) => `\`${address}\``).join(' ');
  return `| **${name}** ${where} | ${source} | ${supported.join('; ')} | ${named.length} |`;
}

/** Returns one list item for each inferred layout, with its instructions and accounts. */
function inferences(readers: readonly ProgramReader[]): string[] {
  const about = new Map<string, string[]>();
  for (const reader of readers)
    for (const { kind, inferred } of [...reader.layouts, ...accountsOf(reader)])
      for (const sentence of inferred) about.set(sentence, [...(about.get(sentence) ?? []), `\`${kind}\``]);
  return [...about].map(([sentence, kinds]) => `- ${kinds.join(', ')}: ${sentence}`);
}

function programs(): string {
  const readers: readonly ProgramReader[] = PROGRAMS;
  const count = (of: (reader: ProgramReader) => number): number =>
    readers.reduce((sum, reader) => sum + of(reader), 0);
  return [
    `${readers.length} readers support ${count(({ layouts }) => layouts.length)} instructions and ` +
      `${ACCOUNT_LAYOUTS.length} account types, and know ${count(({ named }) => named.length)} more ` +
      `instructions by name. A transfer to one of ${JITO_TIP_ACCOUNTS.length} addresses of Jito is a tip.`,
    '',
    '| program | layouts from | supported | known by name only |',
    '|---|---|---|---|',
    ...readers.map(programRow),
    '',
    'Inferred:',
    '',
    ...inferences(readers),
  ].join('\n');
}

/** Groups the kinds of plans by decision. */
function kinds(): string {
  const rows: readonly KindRow[] = JSON.parse(readFileSync('test/policy/kinds/kinds.json', 'utf8'));
  const byDecision = new Map<string, string[]>();
  for (const { kind, binding, template, live, bounds } of rows) {
    const instructions = binding === 'exact' ? 'supported' : 'unsupported';
    const decision = `| ${live} | ${instructions} | ${bounds} | \`${template}\` |`;
    byDecision.set(decision, [...(byDecision.get(decision) ?? []), kind]);
  }
  return [
    '| decision | instructions | amounts | template | kinds of plans |',
    '|---|---|---|---|---|',
    ...[...byDecision].map(([decision, kinds]) => `${decision} ${kinds.join('; ')} |`),
  ].join('\n');
}

/** Returns the page with its generated sections written anew. */
export const contractPage = (page: string): string =>
  replaceSection(replaceSection(page, 'programs', programs()), 'kinds', kinds());
