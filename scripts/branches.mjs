/**
 * After `npm run coverage`: every branch of src/policy, src/review, src/programs and src/transaction that no test takes must have its reason in
 * docs/mutation.md, as a line "- `policy/file.ts` `function`: reason." Lists those that have none and fails.
 */
import { readFileSync } from 'node:fs';

const HEADING = '## Branches without a test';
const section = readFileSync('docs/mutation.md', 'utf8').split(HEADING)[1]?.split('\n## ')[0] ?? '';
const reasons = new Set(
  [...section.matchAll(/^- `([^`]+)` `([^`]+)`: ./gm)].map(([, file, name]) => `${file} ${name}`),
);
const coverage = JSON.parse(readFileSync('coverage/coverage-final.json', 'utf8'));

/** The innermost named function around a line. */
function functionAt({ fnMap }, line) {
  const around = Object.values(fnMap)
    .filter(({ name, loc }) => !name.startsWith('(') && loc.start.line <= line && loc.end.line >= line)
    .sort((a, b) => b.loc.start.line - a.loc.start.line);
  return around[0]?.name ?? 'module';
}

const missing = new Set();
const taken = { all: 0, covered: 0 };
const met = new Set();
for (const [path, file] of Object.entries(coverage)) {
  const name = path.split(/[/\\]src[/\\]/)[1]?.replaceAll('\\', '/') ?? path;
  for (const [id, counts] of Object.entries(file.b)) {
    const { loc, type } = file.branchMap[id];
    for (const count of counts) {
      taken.all++;
      if (count > 0) {
        taken.covered++;
        continue;
      }
      const key = `${name} ${functionAt(file, loc.start.line)}`;
      met.add(key);
      if (!reasons.has(key))
        missing.add(`${name}:${loc.start.line} ${functionAt(file, loc.start.line)} (${type})`);
    }
  }
}
const stale = [...reasons].filter((key) => !met.has(key));
process.stderr.write(`${taken.covered} of ${taken.all} branches are taken by a test.\n`);
for (const each of stale) process.stderr.write(`A reason that is no longer needed: ${each}\n`);
for (const each of missing) process.stderr.write(`No test and no reason: ${each}\n`);
if (missing.size > 0) process.exitCode = 1;
