/**
 * Pure tests start no process, server or sandbox, so they take seconds; determined from direct and transitive imports.
 * `npm run test:unit` runs them, `npm test` runs everything.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Modules that start processes, servers or sandboxes. */
const NOT_PURE =
  /^(node:(child_process|http|https|net|worker_threads|cluster)|litesvm|ws|playwright-core|libsql|@hono\/node-server)$/;

/** Pure tests of more than three seconds, which run in `npm test` only. */
const SLOW: readonly string[] = [
  'test/policy/misfits.test.ts',
  'test/policy/recorded/around.test.ts',
  'test/policy/recorded/expected.test.ts',
  'test/policy/recorded/operands.test.ts',
  'test/policy/recorded/sweep.test.ts',
  'test/programs/metaplexReadInFull.test.ts',
  'test/programs/readInFull.test.ts',
  'test/secrets/fileStore.test.ts',
  'test/server/flood.test.ts',
  'test/statement/runs.test.ts',
  'test/transaction/readFuzz.test.ts',
];

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g;

/** Returns whether a file imports none of these modules, directly or transitively. */
function isPure(file: string, seen: Set<string>): boolean {
  if (seen.has(file)) return true;
  seen.add(file);
  for (const [, a, b, c] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const name = a ?? b ?? c ?? '';
    if (NOT_PURE.test(name)) return false;
    if (!name.startsWith('.')) continue;
    const target = normalize(join(dirname(file), name));
    if (/\.(ts|mjs)$/.test(target) && existsSync(target) && !isPure(target, seen)) return false;
  }
  return true;
}

/** Returns the pure test files, sorted. */
export function pureTests(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !SLOW.includes(file) && isPure(file, new Set()))
    .sort();
}
