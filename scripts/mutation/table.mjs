/**
 * Writes what mutation testing found into docs/mutation.md, from Stryker's report: a row for every file that was run,
 * and the names of the files of src/programs and src/policy/decide that were not. Rows of files that this report does not
 * hold stay as they are. `node scripts/mutation/table.mjs [reports/mutation/mutation.json] [files...]` after
 * `npm run mutation`; with files, only those are taken from the report.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/mutation.md';
const [START, END] = ['<!-- What was run: written by scripts/mutation/table.mjs -->', '<!-- until here -->'];
const ASKED = ['src/programs', 'src/policy/decide'];
/** The lowest score a file of these folders should have, in percent. */
const GOAL = 90;

const [report = 'reports/mutation/mutation.json', ...only] = process.argv.slice(2);
const { files } = JSON.parse(readFileSync(report, 'utf8'));
const page = readFileSync(PAGE, 'utf8');
const [before, rest] = page.split(START);
const [old = '', after] = rest?.split(END) ?? [];
if (after === undefined) throw new Error(`${PAGE} has no place for the table`);

const found = Object.entries(files)
  .filter(([path]) => existsSync(path) && (only.length === 0 || only.includes(path)))
  .map(([path, { mutants }]) => {
    const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
    const [killed, survived, uncovered] = [
      count('Killed', 'Timeout'),
      count('Survived'),
      count('NoCoverage'),
    ];
    return { path, killed, survived, uncovered, all: killed + survived + uncovered };
  });
const ROW = /^\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|/gm;
const kept = [...old.matchAll(ROW)]
  .map(([, name, ...numbers]) => [`src/${name}`, numbers.map(Number)])
  .filter(([path]) => existsSync(path) && !found.some((each) => each.path === path))
  .map(([path, [all, killed, survived, uncovered]]) => ({ path, all, killed, survived, uncovered }));
const rows = [...found, ...kept].sort((a, b) => (a.path < b.path ? -1 : 1));
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

writeFileSync(PAGE, `${before}${text}${after}`);
