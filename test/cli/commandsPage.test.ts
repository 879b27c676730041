import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandHelp, usage } from '../../src/cli/help.ts';
import { OPTIONS } from '../../src/cli/options.ts';
import { parseCases } from '../../src/review/cases.ts';

const page = readFileSync('docs/commands.md', 'utf8');

it('names every subcommand and every option', () => {
  const main = readFileSync('src/cli/main.ts', 'utf8');
  const commands = [...main.matchAll(/^ {2}(\w+): \{\n {4}what:/gm)].map(([, name]) => name);
  expect(commands.length).toBeGreaterThan(15);
  const missing = [
    ...commands.filter((name) => !new RegExp(`\`${name}\\b`).test(page)),
    ...Object.keys(OPTIONS).filter((name) => !new RegExp(`--${name}\\b`).test(page) && name !== 'help'),
  ];
  expect(missing).toEqual([]);
});

it('shows a case file that is one', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const parsed = parseCases(example);
  expect(parsed).not.toHaveProperty('errors');
  expect('cases' in parsed && parsed.cases).toHaveLength(3);
});

const NAMES = [...readFileSync('src/cli/main.ts', 'utf8').matchAll(/^ {2}(\w+): \{\n {4}what:/gm)].map(
  ([, name = '']) => name,
);
const commands = Object.fromEntries(NAMES.map((name) => [name, { what: `does what ${name} does` }]));
const optionsIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name = '']) => name);

it.each([['serve'], ...NAMES.map((name) => [name])])(
  'the help of %s names the options its row of the page names, and no other command',
  (name) => {
    const help = commandHelp(name, commands, 60);
    expect(help).toMatch(new RegExp(`^countersign ${name} `));
    const known = optionsIn(help);
    expect(known.length).toBeGreaterThan(0);
    const rows = page
      .split('\n')
      .filter((line) => new RegExp(`\`${name}\\b`).test(line.split(' | ')[0] ?? ''))
      .filter((line) => line.startsWith('|'));
    expect(rows.length).toBeGreaterThan(0);
    const named = rows.flatMap((row) =>
      [...(row.split(' | ').at(-1) ?? '').matchAll(/--([a-z-]+)/g)].map(([, option = '']) => option),
    );
    expect(named.filter((option) => !known.includes(option))).toEqual([]);
  },
);

it.each([60, 100])('the usage breaks no word at %i columns', (columns) => {
  const text = usage('1.0.0', commands, columns);
  expect(optionsIn(text).length).toBe(Object.keys(OPTIONS).length);
  expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
});
