import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ATTACKS } from '../../sandbox/attacks/service/index.ts';
import { OPERATIONS } from '../../src/plan/types.ts';
import { REASON_CODES } from '../../src/policy/decide/types.ts';
import { TEMPLATE_NAMES } from '../../src/review/templates/templates.ts';

const threats = readFileSync('docs/safety.md', 'utf8');
const guide = readFileSync('docs/policy.md', 'utf8');

/** Texts of the TypeScript files below a folder. */
const textsBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

/** The row of an attack in the threat model. */
const rowOf = (id: string) => threats.split('\n').find((line) => line.startsWith(`| ${id} |`)) ?? '';

describe('documents about the policy', () => {
  it('have a row for each attack with unique numbers', () => {
    const rows = [...threats.matchAll(/^\| T(\d+) \|/gm)].map((match) => Number(match[1]));
    expect(new Set(rows).size).toBe(rows.length);
    for (let n = 1; n <= 73; n++) expect(rows).toContain(n);
  });

  it.each([...ATTACKS].map(([name, attack]) => [name, attack.row, attack.code] as const))(
    'name the reason that hostile mode expects for %s (%s)',
    (_name, row, code) => {
      expect(rowOf(row)).toContain(code);
    },
  );

  it('name the tests of each attack, which cite its id or are rows of the attack table', () => {
    const played = new Set([...ATTACKS.values()].map(({ row }) => row));
    const attacks = textsBelow('sandbox/attacks');
    const tests = textsBelow('test');
    const uncited = [...threats.matchAll(/^\| (T\d+) \|.*\| ([^|]+) \|$/gm)].flatMap(
      ([, id = '', cell = '']) => {
        const cites = (texts: readonly { text: string }[]) =>
          texts.some(({ text }) => new RegExp(`\\b${id}\\b`).test(text));
        const names = [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
        const wrong = names.filter((name) =>
          name === 'attacks'
            ? !played.has(id) && !cites(attacks)
            : !cites(tests.filter(({ file }) => basename(file) === `${name}.test.ts`)),
        );
        return names.length === 0 ? [id] : wrong.map((name) => `${id} ${name}`);
      },
    );
    expect(uncited).toEqual([]);
  });

  it('explain every reason code, operation and template', () => {
    for (const code of REASON_CODES) expect(guide, code).toContain(`\`${code}\``);
    for (const operation of OPERATIONS) expect(guide, operation).toContain(`\`${operation}\``);
    for (const name of TEMPLATE_NAMES) expect(guide, name).toContain(`\`${name}\``);
  });
});
