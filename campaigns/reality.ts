/**
 * `npm run reality -- --programs DIR`: plays every scenario on the stand-ins and on the programs in DIR (`ADDRESS.so`),
 * compares terms in arguments and accounts of curves, rehearses and executes plans of every kind, and prints the
 * original programs used and all differences. With `--attacks` it plays the attack table of `countersign demo
 * --attacks` on the programs in DIR instead, as JSON lines; the server under attack is dist/.
 *
 * `npm run reality -- --corpus PATH`: reads recorded transactions (JSON Lines, `.br` for Brotli) and counts supported
 * instructions.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { runAttacks } from '../sandbox/attacks/play.ts';
import { readProgramFolder } from '../sandbox/programs/folder.ts';
import { STAND_INS, standInPrograms } from '../sandbox/programs/standIns.ts';
import type { Address } from '../src/transaction/types.ts';
import { countLines, readRecorded, recordings } from '../test/reality/corpus.ts';
import { differences, play } from '../test/reality/play.ts';
import { scenarios } from '../test/reality/scenarios.ts';
import { compareTerms } from '../test/reality/terms.ts';
import { KINDS } from '../test/rehearsal/kinds.ts';
import { executed } from '../test/rehearsal/scene.ts';

const given = (option: string): string | undefined => {
  const at = process.argv.indexOf(option);
  return at < 0 ? undefined : process.argv[at + 1];
};
const [folder, corpus] = [given('--programs'), given('--corpus')];
if (corpus !== undefined) {
  const reads = recordings(corpus).map(readRecorded);
  for (const read of reads)
    if ('refused' in read) process.stdout.write(`${read.id}: refused, ${read.refused}\n`);
  for (const line of countLines(reads)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${reads.length} transactions\n`);
  process.exit();
}
if (folder === undefined) {
  process.stderr.write('Which? npm run reality -- --programs DIR, or --corpus PATH\n');
  process.exit(1);
}
const originals = readProgramFolder(folder);
if (process.argv.includes('--attacks')) {
  const { stdout: out } = process;
  const options = {
    json: true,
    command: 'dist/countersign.js',
    out,
    now: () => Date.now(),
    programs: originals,
  };
  process.exit(await runAttacks(options));
}
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
for (const { name, err, asked, made } of await compareTerms(theirs)) {
  const isSame = isDeepStrictEqual(asked, made);
  if (!isSame) total += 1;
  const ending = isSame
    ? 'the same terms in arguments and account'
    : `other terms, or none: ${JSON.stringify(err)}`;
  process.stdout.write(`config with ${name}: ${ending}\n`);
}
for (const [kind, request] of Object.entries(KINDS)) {
  const { status, isWhole, rehearsed, moved } = await executed(request, theirs);
  const isSame = status === 'complete' && isWhole && isDeepStrictEqual(rehearsed, moved);
  if (!isSame) total += 1;
  const ending = isSame
    ? 'moved what was rehearsed'
    : `${status}: rehearsed ${JSON.stringify(rehearsed)}, moved ${JSON.stringify(moved)}`;
  process.stdout.write(`${kind}: ${Object.keys(rehearsed).length} transactions, ${ending}\n`);
}
for (const { address, source } of STAND_INS) {
  const code = originals.get(address);
  const hash = code === undefined ? 'stand-in' : createHash('sha256').update(code).digest('hex');
  process.stdout.write(`${source} ${address}: ${hash}\n`);
}
process.exitCode = total > 0 ? 1 : 0;
