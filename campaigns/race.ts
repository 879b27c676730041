/**
 * `npm run race -- --races 100`: two servers of the built command on one home race for one intent, with equal numbers
 * of config and swap races; the number of signatures per stage is read from the ledger and the chain. With `--kills`
 * (`npm run two-servers`) the two also execute different plans of one wallet at once, and one of them is killed in
 * every race, up to two seconds after submission; `--seed` repeats the instants.
 */
import { parseArgs } from 'node:util';
import { type Raced, type RaceOutcome, RaceScene } from '../test/e2e/racing.ts';
import { Random } from '../test/simulator/random.ts';

const { values } = parseArgs({
  options: {
    races: { type: 'string' },
    only: { type: 'string' },
    kills: { type: 'boolean' },
    seed: { type: 'string' },
  },
});
const random = new Random(`two servers ${values.seed ?? 0}`);
const KINDS: readonly Raced[] = [
  'configs',
  'swaps',
  ...(values.kills === true ? ['different' as const] : []),
];
const races = Number(values.races ?? 100);
const print = (line: string) => process.stdout.write(`${line}\n`);
const started = Date.now();
const done: RaceOutcome[] = [];
/** Hourly request quotas are per home, so each batch has its own home and two servers. */
const BATCH = 25;

async function batch(kind: Raced, from: number, to: number): Promise<void> {
  const scene = await RaceScene.start();
  try {
    for (let race = from; race < to; race++) {
      const killAfterMs = values.kills === true ? random.whole(0, 2_000) : undefined;
      const outcome = await scene.race(kind, race, killAfterMs);
      done.push(outcome);
      const { stages, signed, landed, problems } = outcome;
      print(
        `${kind} ${race}${killAfterMs === undefined ? '' : `, one killed after ${killAfterMs} ms`}: ${stages} stages, ${signed} signed, ${landed} landed: ${problems.join('; ') || 'once'}`,
      );
    }
  } finally {
    await scene.close();
  }
}

for (const kind of KINDS) {
  if (values.only !== undefined && values.only !== kind) continue;
  for (let at = 0; at < races; at += BATCH) await batch(kind, at, Math.min(races, at + BATCH));
}
const sum = (count: (outcome: RaceOutcome) => number) => done.reduce((all, each) => all + count(each), 0);
const failed = sum(({ problems }) => (problems.length > 0 ? 1 : 0));
print(
  JSON.stringify({
    races: done.length,
    killed: values.kills === true ? done.length : 0,
    failed,
    stages: sum(({ stages }) => stages),
    signed: sum(({ signed }) => signed),
    landed: sum(({ landed }) => landed),
    milliseconds: Date.now() - started,
  }),
);
if (failed > 0 || done.length === 0) process.exitCode = 1;
