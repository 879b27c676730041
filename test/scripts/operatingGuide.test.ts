import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const guide = readFileSync('docs/operating.md', 'utf8');
/** Everything in capitals with the look of a code that an error class or the policy can name. */
function codesIn(path: string): string[] {
  const source = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  return [...source.matchAll(/'([A-Z]{2,}(?:_[A-Z0-9]+)*)'|^ {2}([A-Z]{2,}(?:_[A-Z0-9]+)*):/gm)].map(
    ([, quoted, key]) => quoted ?? key ?? '',
  );
}

describe('the operating guide', () => {
  it.each([
    'src/policy/decide/types.ts',
    'src/service/errors.ts',
    'src/landing/errors.ts',
    'src/secrets/errors.ts',
    'src/plan/errors.ts',
    'src/ledger/errors.ts',
    'src/rpc/errors.ts',
    'src/transaction/errors.ts',
    'src/server/errors.ts',
    'src/base/inputError.ts',
    'src/runtime/backends/backend.ts',
  ])('explains every code of %s', (path) => {
    const codes = codesIn(path).filter((code) => code !== 'SOL');
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter((code) => !guide.includes(`| \`${code}\` |`))).toEqual([]);
  });

  it('explains the code of every error class that has just one', () => {
    const files = readdirSync('src', { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && each.name.endsWith('.ts') && !each.parentPath.includes('sandbox'))
      .map((each) => `${each.parentPath}/${each.name}`);
    const thrown = files.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/readonly code = '([A-Z0-9_]+)'/g)].map(([, code]) => code),
    );
    expect(thrown.length).toBeGreaterThanOrEqual(3);
    expect(thrown.filter((code) => !guide.includes(`| \`${code}\` |`))).toEqual([]);
  });
});
