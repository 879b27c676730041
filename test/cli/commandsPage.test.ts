import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPTIONS } from '../../src/cli/options.ts';
import { parseCases } from '../../src/policy/review/cases.ts';

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
