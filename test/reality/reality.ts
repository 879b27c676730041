/**
 * `npm run reality -- --programs DIR`: plays every scenario on the stand-ins and on the programs in DIR (`ADDRESS.so`),
 * and writes into docs/reality.md which programs were real and where the two differed. The programs stay where they are.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readProgramFolder } from '../../src/sandbox/programs/folder.ts';
import { STAND_INS, standInPrograms } from '../../src/sandbox/programs/standIns.ts';
import type { Address } from '../../src/transaction/types.ts';
import { page, type Result } from './page.ts';
import { differences, play } from './play.ts';
import { scenarios } from './scenarios.ts';

const at = process.argv.indexOf('--programs');
const folder = process.argv[at + 1];
if (at < 0 || folder === undefined) {
  process.stderr.write('Which programs? npm run reality -- --programs DIR\n');
  process.exit(1);
}
const originals = readProgramFolder(folder);
const ours = standInPrograms();
const theirs: ReadonlyMap<Address, Uint8Array> = new Map([...ours, ...originals]);
const results: Result[] = [];
for (const scenario of scenarios) {
  const [mine, real] = [await play(scenario, ours), await play(scenario, theirs)];
  const found = differences(mine, real);
  const landed = real.filter(({ err }) => err === 'null').length;
  const touched = scenario.programs.filter((address) => originals.has(address));
  results.push({ name: scenario.name, steps: real.length, landed, real: touched.length > 0, found });
  process.stdout.write(
    `${scenario.name}: ${real.length} steps, ${landed} landed, ${found.length} differences\n`,
  );
  for (const difference of found) process.stdout.write(`  ${difference}\n`);
}
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
writeFileSync(
  'docs/reality.md',
  page({
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short', 'HEAD'),
    programs: STAND_INS.map(({ address, source }) => {
      const code = originals.get(address);
      const hash = code && createHash('sha256').update(code).digest('hex');
      return { address, source, ...(hash === undefined ? {} : { hash }) };
    }),
    results,
  }),
);
process.exitCode = results.some(({ found }) => found.length > 0) ? 1 : 0;
