import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { documentRows, ROW_DOCUMENTS, trace, traceTable, unknownRows } from '../../scripts/traceability.ts';

function project(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'trace-'));
  for (const [path, text] of Object.entries({
    'src/a.ts': '',
    'tools/a.ts': '',
    'test/a.ts': '',
    ...files,
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

it('reads rows from the tables of a document, and nothing else', () => {
  const root = project({
    'docs/rows.md':
      '# C-A-01\n\n| id | rule |\n|---|---|\n| `C-A-01` | a \\| b | c |\n| other | x | y |\nC-A-02 | no |\n',
  });
  expect(documentRows(join(root, 'docs/rows.md'), /^C-[A-Z]+-\d+$/)).toEqual([
    { id: 'C-A-01', rule: 'a \\| b' },
  ]);
});

it('finds citations of one row and of a range, and names the tests that show it', () => {
  const rows = ['C-A-01', 'C-A-02', 'C-A-03', 'B01', 'F07', 'T1'].map((id) => ({ id, rule: id }));
  const root = project({
    'src/rule.ts': '/** C-A-01 … 03 */',
    'tools/tool.ts': '// B01',
    'test/one.test.ts': [
      "it('C-A-01 holds', () => {});",
      "it.each([1, 2])('%s is refused (F07)', () => {});",
      "const cases = [['B01 an unknown argument', 1]];",
      "// T1 is only spoken of; const code = 'C-A-02';",
    ].join('\n'),
  });
  const found = new Map(trace(root, rows).map((row) => [row.id, row]));
  expect(found.get('C-A-03')?.done).toEqual(['src/rule.ts']);
  expect(found.get('C-A-01')?.shown).toEqual(['test/one.test.ts: C-A-01 holds']);
  expect(found.get('F07')?.shown).toEqual(['test/one.test.ts: %s is refused (F07)']);
  expect(found.get('B01')).toMatchObject({
    done: ['tools/tool.ts'],
    shown: ['test/one.test.ts: B01 an unknown argument'],
  });
  // Spoken of, but no test has its name: the file is all there is to show.
  expect(found.get('T1')).toMatchObject({ done: [], shown: ['test/one.test.ts'] });
  expect(found.get('C-A-03')?.shown).toEqual([]);
});

it('writes a table whose cells cannot break it', () => {
  const table = traceTable([{ id: 'B01', rule: 'a', done: ['x|y', '2', '3', '4'], shown: ['`quoted`'] }]);
  expect(table.split('\n')[2]).toBe("| B01 | a | `x\\|y`<br>`2`<br>`3`<br>and 1 more | `'quoted'` |");
});

it('names each citation of a row that no document has', () => {
  const root = project({
    'src/rule.ts': '/** T1, T2, C-A-01 … 03 and S10. */',
    'tools/tool.ts': '// T2, B02',
  });
  expect(unknownRows(root, new Set(['T1', 'C-A-01', 'C-A-03', 'B02']))).toEqual([
    'T2 (src/rule.ts)',
    'C-A-02 (src/rule.ts)',
    'S10 (src/rule.ts)',
  ]);
});

it('finds every row that the sources cite in the contract, the faults or the threat model', () => {
  const known = Object.entries(ROW_DOCUMENTS).flatMap(([path, pattern]) =>
    documentRows(path, pattern).map(({ id }) => id),
  );
  expect(known.length).toBeGreaterThan(300);
  expect(unknownRows('.', new Set(known))).toEqual([]);
});
