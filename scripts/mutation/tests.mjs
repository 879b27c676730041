/**
 * Lists the tests that are run against each mutant: they take milliseconds. Excluded are tests that start a sandbox
 * or a chain, directly or through imports, and tests that search random inputs for seconds.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const FOLDERS = [
  'test/transaction',
  'test/programs',
  'test/policy',
  'test/policy/recorded',
  'test/statement',
  'test/approval',
];

/** Helper files that start a sandbox or a chain, or search random inputs for seconds. */
const STARTS_SOMETHING =
  /test\/(policy\/(world|scenes|legitimate|benign|fuzz)|transaction\/fuzz|approval\/owner|execution\/homes?|execution\/real|sandbox\/programs\/(worlds|scene))\.ts$|src\/(attacks\/sandbox|sandbox\/(sandbox|hostile\/index))\.ts$/;

/** Whether a test file imports one of these helpers, directly or through test files. */
function startsSomething(path, seen = new Set()) {
  seen.add(path);
  return [...readFileSync(path, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)]
    .map(([, name]) => resolve(dirname(path), name))
    .some(
      (file) =>
        STARTS_SOMETHING.test(file) ||
        (file.startsWith(resolve('test')) &&
          !seen.has(file) &&
          existsSync(file) &&
          startsSomething(file, seen)),
    );
}

/** Whether a file uses top-level await or module mocks, neither of which works in a bundle that is evaluated for each mutant. */
const needsModules = (path) => /^(export )?(const [^\n]*= )?await |\bvi\./m.test(readFileSync(path, 'utf8'));

/** Returns the test files' paths, relative to the project's root. */
export const testFiles = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
).filter((path) => !startsSomething(resolve(path)) && !needsModules(path));
