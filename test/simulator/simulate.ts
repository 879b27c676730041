/** `npm run simulate -- --seeds 20000 --from 0`: plays seeds and reports what they broke. `--show` tells one in words. */
import { parseArgs } from 'node:util';
import { simulate } from './simulation.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, show: { type: 'boolean' } },
});
const from = Number(values.from ?? 0);
const seeds = values.show === true ? 1 : Number(values.seeds ?? 1_000);
const say = (line: string) => process.stdout.write(`${line}\n`);

const started = Date.now();
const totals = { seeds: 0, failed: 0, signatures: 0, processes: 0, events: 0 };
const kinds: Record<string, number> = {};
const statuses: Record<string, number> = {};
for (let seed = from; seed < from + seeds; seed++) {
  const outcome = await simulate(seed, values.show === true);
  if (values.show === true) for (const line of outcome.log) say(line);
  totals.seeds += 1;
  totals.signatures += outcome.signatures;
  totals.processes += outcome.processes;
  totals.events += outcome.events;
  for (const kind of outcome.kinds) kinds[kind] = (kinds[kind] ?? 0) + 1;
  for (const status of outcome.statuses) statuses[status] = (statuses[status] ?? 0) + 1;
  if (outcome.violations.length > 0) {
    totals.failed += 1;
    say(`seed ${seed} (${outcome.kinds.join(', ')}): ${outcome.violations.join('; ')}`);
  }
  if (totals.seeds % 500 === 0)
    say(`${totals.seeds} seeds, ${totals.failed} failed, ${Date.now() - started} ms`);
}
say(JSON.stringify({ from, ...totals, kinds, statuses, milliseconds: Date.now() - started }));
if (totals.failed > 0) process.exitCode = 1;
