/**
 * The tests a mutant of src/policy or src/transaction has to survive. They start nothing and take milliseconds; left
 * out are those that start a sandbox, or try random inputs for seconds.
 */
import { readdirSync, readFileSync } from 'node:fs';

const FOLDERS = ['test/transaction', 'test/programs', 'test/policy', 'test/policy/recorded'];
const STARTS_SOMETHING =
  /from '(.*sandbox\/hostile\/index|\.{1,2}\/(world|scenes|legitimate|benign|fuzz))\.ts'/;

/** Their paths, from the project's root. */
export const testFiles = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
)
  // More of the same, where it need not be tried once for every mutant.
  .filter((path) => !path.endsWith('/sweepMore.test.ts'))
  .filter((path) => !STARTS_SOMETHING.test(readFileSync(path, 'utf8')));
