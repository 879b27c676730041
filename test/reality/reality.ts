/**
 * `npm run reality -- --programs DIR`: plays every scenario on the stand-ins and on the programs in DIR (`ADDRESS.so`),
 * and prints which programs were real and where the two differed.
 */
import { createHash } from 'node:crypto';
import { readProgramFolder } from '../../src/sandbox/programs/folder.ts';
import { STAND_INS, standInPrograms } from '../../src/sandbox/programs/standIns.ts';
import type { Address } from '../../src/transaction/types.ts';
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
let total = 0;
for (const scenario of scenarios) {
  const [mine, real] = [await play(scenario, ours), await play(scenario, theirs)];
  const found = differences(mine, real);
  total += found.length;
  const landed = real.filter(({ err }) => err === 'null').length;
  process.stdout.write(
    `${scenario.name}: ${real.length} steps, ${landed} landed, ${found.length} differences\n`,
  );
  for (const difference of found) process.stdout.write(`  ${difference}\n`);
}
for (const { address, source } of STAND_INS) {
  const code = originals.get(address);
  const hash = code === undefined ? 'stand-in' : createHash('sha256').update(code).digest('hex');
  process.stdout.write(`${source} ${address}: ${hash}\n`);
}
process.exitCode = total > 0 ? 1 : 0;
