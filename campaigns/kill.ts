/**
 * `npm run kill -- --random 300`: kills the built server at every ledger write, before and after the commit, and at the
 * given number of random instants, and reports violations. `--seed` repeats the same instants.
 */
import { parseArgs } from 'node:util';
import { type Instant, type Killed, KillScene } from '../test/e2e/killing.ts';
import { Random } from '../test/simulator/random.ts';

const { values } = parseArgs({
  options: { random: { type: 'string' }, seed: { type: 'string' }, boundaries: { type: 'string' } },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const random = new Random(`kill ${values.seed ?? 0}`);
const started = Date.now();
const done: Killed[] = [];

/** Hourly request quotas are per home, so each batch has a home of its own. */
async function batch(instants: Iterable<Instant>, until: (killed: Killed) => boolean): Promise<void> {
  const scene = await KillScene.start();
  try {
    for (const instant of instants) {
      const killed = await scene.kill(instant);
      done.push(killed);
      const { died, problems, workMs } = killed;
      print(
        `${instant}: ${died ? 'died' : 'was done'}, ${workMs} ms of work, ${problems.join('; ') || 'once'}`,
      );
      if (until(killed)) return;
    }
  } finally {
    await scene.close();
  }
}

const most = Number(values.boundaries ?? 200);
for (const side of ['before', 'after'] as const) {
  function* boundaries(): Generator<Instant> {
    for (let n = 1; n <= most; n++) yield `${side}:${n}`;
  }
  await batch(boundaries(), ({ died }) => !died);
}
const boundaries = done.filter(({ died }) => died).length;
for (let left = Number(values.random ?? 300); left > 0; left -= 50) {
  const instants = Array.from({ length: Math.min(50, left) }, () => random.whole(0, 1_500));
  await batch(instants, () => false);
}
const failed = done.filter(({ problems }) => problems.length > 0).length;
const work = done.map(({ workMs }) => workMs).sort((a, b) => a - b);
print(
  JSON.stringify({
    kills: done.filter(({ died }) => died).length,
    boundaries,
    instants: done.filter(({ instant }) => typeof instant === 'number').length,
    failed,
    medianWorkMs: work[Math.floor(work.length / 2)],
    mostWorkMs: work.at(-1),
    milliseconds: Date.now() - started,
  }),
);
if (failed > 0) process.exitCode = 1;
