/**
 * Full sweep: every instruction of every public interface × placement × honest stage (`npm run sweep`). `-- --aimed`
 * adds each account of the wallet at each position of each stage. Prints accepted insertions and fails if there are
 * any.
 */
import { parseArgs } from 'node:util';
import { sweptStages, sweptWorld } from '../test/sweep/stages.ts';
import { aimedShots, entryOf, fire, SHOTS } from '../test/sweep/sweep.ts';

const { values } = parseArgs({ options: { aimed: { type: 'boolean' }, stage: { type: 'string' } } });

const counts: Record<string, number> = {};
const add = (key: string) => {
  counts[key] = (counts[key] ?? 0) + 1;
};
const open: string[] = [];
const started = Date.now();
const world = await sweptWorld();
for await (const stage of sweptStages(world)) {
  if (values.stage !== undefined && values.stage !== stage.name) continue;
  add('stages');
  for (const shot of [...SHOTS, ...(values.aimed ? aimedShots(stage) : [])]) {
    const { effect, open: why } = await fire(stage, shot);
    add('shots');
    add(effect ?? 'does not fit');
    if (why !== undefined) open.push(entryOf(stage, shot, why));
  }
  console.error(`${stage.name}: ${JSON.stringify(counts)}, ${open.length} open`);
}
await world.real.close();
const seconds = Math.round((Date.now() - started) / 1000);
console.log(JSON.stringify({ seconds, counts, open: open.length }, null, 2));
for (const entry of open) console.log(entry);
if (open.length > 0) process.exitCode = 1;
