/**
 * The tests a mutant has to survive. They start nothing and take milliseconds; left out are those that start a sandbox
 * or a chain, by themselves or through what they import, or try random inputs for seconds.
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

/** Files of helpers that start a sandbox or a chain, or try random inputs for seconds. */
const STARTS_SOMETHING =
  /test\/(policy\/(world|scenes|legitimate|benign|fuzz)|transaction\/fuzz|approval\/owner|execution\/homes?|execution\/real|sandbox\/programs\/(worlds|scene))\.ts$|src\/(attacks\/sandbox|sandbox\/(sandbox|hostile\/index))\.ts$/;

/** Whether a test file reaches one of them through files of tests. */
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

/** Whether a file awaits at its top level or replaces modules, which a bundle that is evaluated anew for each mutant cannot. */
const needsModules = (path) => /^(export )?(const [^\n]*= )?await |\bvi\./m.test(readFileSync(path, 'utf8'));

/** Their paths, from the project's root. */
export const testFiles = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
).filter((path) => !startsSomething(resolve(path)) && !needsModules(path));
