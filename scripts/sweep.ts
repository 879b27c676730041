/**
 * The whole sweep: every instruction of every public interface × placement × honest stage, and each account of the
 * wallet's in each place. `npm run sweep` compares with test/sweep/open.txt and fails on any difference; `-- --write`
 * writes that list anew; `-- --aimed` adds the shots that put each account of the wallet's in each place, to what
 * would be denied otherwise (about ten minutes).
 */
import { parseArgs } from 'node:util';
import { entryOf, fire, type Result, readOpenList, writeOpenList } from '../test/sweep/openList.ts';
import { Running } from '../test/sweep/running.ts';
import { aimedShotsOf, type Shot, SWEPT_STAGES, shotsOf } from '../test/sweep/sweep.ts';

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, aimed: { type: 'boolean' }, stage: { type: 'string' } },
});
/** Stages in which each account is put in each place: one that pays out, one that trades, one that says who earns. */
const AIMED = ['position claim', 'swap of SOL', 'config v1'];

const stages = values.stage === undefined ? SWEPT_STAGES : [values.stage];
const found = new Set<string>();
const counts: Record<string, number> = {};
const add = (key: string) => {
  counts[key] = (counts[key] ?? 0) + 1;
};
const started = Date.now();

function count(shot: Shot, { effect, kinds, ran, harms }: Result): void {
  add('shots');
  add(effect ?? 'does not fit');
  if (ran) add('ran');
  if (harms.length > 0) add(`harm, ${effect}`);
  for (const kind of kinds) {
    add(kind);
    found.add(entryOf(kind, shot));
  }
}

for (const name of stages) {
  const running = new Running(name);
  const open = new Set<string>();
  for (const shot of shotsOf([name])) {
    const result = fire(shot, running, true);
    if (result.kinds.length > 0) open.add(`${shot.candidate.name} ${shot.placement}`);
    count(shot, result);
  }
  if (values.aimed && AIMED.includes(name))
    for (const shot of aimedShotsOf([name], ['appended', 'relayed'])) {
      // What is listed as it is meant need not be listed again for each account.
      if (open.has(`${shot.candidate.name} ${shot.placement}`)) continue;
      count(shot, fire(shot, running));
    }
  console.error(`${name}: ${JSON.stringify(counts)}`);
}

const listed = readOpenList();
const isSwept = (entry: string) =>
  stages.some((name) => entry.includes(` | ${name} | `)) && (values.aimed || !entry.includes('['));
const appeared = [...found].filter((entry) => !listed.has(entry));
const vanished = [...listed].filter((entry) => isSwept(entry) && !found.has(entry));
const seconds = Math.round((Date.now() - started) / 1000);
console.log(
  JSON.stringify({ seconds, counts, appeared: appeared.length, vanished: vanished.length }, null, 2),
);
if (values.write) writeOpenList([...[...listed].filter((entry) => !isSwept(entry)), ...found]);
else {
  for (const entry of [...appeared.map((each) => `+ ${each}`), ...vanished.map((each) => `- ${each}`)])
    console.log(entry);
  if (appeared.length + vanished.length > 0) process.exitCode = 1;
}
