/**
 * Writes what mutation testing found into docs/mutation.md, from Stryker's report: a row for every file that was run,
 * and the names of the files of src/programs and src/policy/decide that were not.
 * `node scripts/mutation/table.mjs [reports/mutation/mutation.json]` after `npm run mutation`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/mutation.md';
const [START, END] = ['<!-- What was run: written by scripts/mutation/table.mjs -->', '<!-- until here -->'];
const ASKED = ['src/programs', 'src/policy/decide'];
/** The lowest score a file of these folders should have, in percent. */
const GOAL = 90;

const { files } = JSON.parse(readFileSync(process.argv[2] ?? 'reports/mutation/mutation.json', 'utf8'));

const rows = Object.entries(files)
  .filter(([path]) => existsSync(path))
  .map(([path, { mutants }]) => {
    const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
    const [killed, survived, uncovered] = [
      count('Killed', 'Timeout'),
      count('Survived'),
      count('NoCoverage'),
    ];
    return { path, killed, survived, uncovered, all: killed + survived + uncovered };
  })
  .sort((a, b) => (a.path < b.path ? -1 : 1));
const run = rows.filter(({ all }) => all > 0);
const scoreOf = ({ killed, all }) => (100 * killed) / all;
const row = (name, each) =>
  `| ${name} | ${each.all} | ${each.killed} | ${each.survived} | ${each.uncovered} | ${scoreOf(each).toFixed(1)} % |`;
const sum = (name, some) =>
  some.length === 0
    ? []
    : [
        row(
          name,
          some.reduce((total, each) =>
            Object.fromEntries(
              ['all', 'killed', 'survived', 'uncovered'].map((key) => [key, total[key] + each[key]]),
            ),
          ),
        ),
      ];

const seen = new Set(rows.map(({ path }) => path));
const git = (...words) => execFileSync('git', words, { encoding: 'utf8' }).trim();
const asked = git('ls-files', ...ASKED)
  .split('\n')
  .filter((path) => path.endsWith('.ts'));
const missing = asked.filter((path) => !seen.has(path));
const low = run.filter((each) => asked.includes(each.path) && scoreOf(each) < GOAL);
const list = (paths) => paths.map((path) => `\`${path.replace('src/', '')}\``).join(', ');

const text = [
  START,
  '',
  '| File | Mutants | Killed or timed out | Survived | Not covered | Score |',
  '| --- | --- | --- | --- | --- | --- |',
  ...run.map((each) => row(`\`${each.path.replace('src/', '')}\``, each)),
  ...ASKED.flatMap((folder) =>
    sum(
      `**\`${folder}\`, as far as it was run**`,
      run.filter(({ path }) => path.startsWith(`${folder}/`)),
    ),
  ),
  '',
  `Below ${GOAL} %: ${low.length === 0 ? 'none' : list(low.map(({ path }) => path))}.`,
  '',
  `Not run: ${missing.length === 0 ? 'none' : list(missing)}.`,
  '',
  'Files of these folders without a row have nothing but types and values that are made once when they load.',
  '',
  END,
].join('\n');

const page = readFileSync(PAGE, 'utf8');
const [before, rest] = page.split(START);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error(`${PAGE} has no place for the table`);
writeFileSync(PAGE, `${before}${text}${after}`);
