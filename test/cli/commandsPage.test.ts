import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { GLOBAL, MORE_SETTINGS, OF_SERVE, OPTIONS } from '../../src/cli/options.ts';
import { parseCases } from '../../src/review/cases.ts';
import { helpOf } from './commandLine.ts';

const page = readFileSync('docs/commands.md', 'utf8');

it('names every subcommand and every option', () => {
  const missing = [
    ...[...Object.keys(COMMANDS), ...Object.keys(MORE_SETTINGS)].filter(
      (name) => !new RegExp(`\`${name}\\b`).test(page),
    ),
    ...Object.keys(OPTIONS).filter((name) => !new RegExp(`--${name}\\b`).test(page)),
  ];
  expect(missing).toEqual([]);
});

it('shows a valid case file', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const parsed = parseCases(example);
  expect(parsed).not.toHaveProperty('errors');
  expect('cases' in parsed && parsed.cases).toHaveLength(3);
});

const optionsIn = (text: string): string[] =>
  [...text.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name = '']) => name);

it.each([['serve'], ...Object.keys(COMMANDS).map((name) => [name])])(
  'lists in the help of %s exactly the options of its row on the page',
  (name) => {
    const help = helpOf(name, 60);
    expect(help).toMatch(new RegExp(`^Usage: countersign ${name} `));
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

it.each([60, 80, 100])(
  'lists every command in the usage, breaks no word at %i columns, and fits 24 rows',
  (columns) => {
    const lines = helpOf(undefined, columns).split('\n');
    for (const name of ['serve', ...Object.keys(COMMANDS)])
      expect(lines.join(' ')).toMatch(new RegExp(`\\b${name}\\b`));
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(columns < 80 ? 32 : 24);
  },
);

it('has at most thirty options, each used by a command', () => {
  const taken = new Set([...GLOBAL, ...OF_SERVE, ...Object.values(COMMANDS).flatMap(({ takes }) => takes)]);
  expect(Object.keys(OPTIONS).sort()).toEqual([...taken].sort());
  expect(taken.size).toBeLessThanOrEqual(30);
});
