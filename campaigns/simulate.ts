/**
 * `npm run simulate -- --seeds 20000 --from 0`: plays seeds and reports violations. `--show` prints the events of one.
 * `--slot-ms 200` shortens slots; `--person-ms 20000` approves everything after that delay. Batches run in separate
 * processes, `--jobs` at a time, because killed simulated processes leak memory.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { PAIRS } from '../test/execution/visited.ts';
import { type Profile, simulate } from '../test/simulator/simulation.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    jobs: { type: 'string' },
    show: { type: 'boolean' },
    'slot-ms': { type: 'string' },
    'person-ms': { type: 'string' },
  },
});
const BATCH = 500;
const from = Number(values.from ?? 0);
const seeds = values.show === true ? 1 : Number(values.seeds ?? 1_000);
const { 'slot-ms': slotMs, 'person-ms': personMs } = values;
const profile: Profile = {
  ...(slotMs === undefined ? {} : { slotMs: Number(slotMs) }),
  ...(personMs === undefined ? {} : { personMs: Number(personMs) }),
};
const print = (line: string) => process.stdout.write(`${line}\n`);

interface Totals {
  seeds: number;
  failed: number;
  signatures: number;
  processes: number;
  events: number;
  questions: number;
  /** Virtual milliseconds to completion, per intent. */
  readonly doneMs: number[];
  readonly kinds: Record<string, number>;
  readonly statuses: Record<string, number>;
  /** Pairs of situation and next action, by the seeds that reached them. */
  readonly visited: Record<string, number>;
}
const totals: Totals = {
  seeds: 0,
  failed: 0,
  signatures: 0,
  processes: 0,
  events: 0,
  questions: 0,
  doneMs: [],
  kinds: {},
  statuses: {},
  visited: {},
};
const count = (into: Record<string, number>, key: string, by: number) => {
  into[key] = (into[key] ?? 0) + by;
};

const started = Date.now();
await (seeds > BATCH ? playBatches() : play());
const unlisted = Object.keys(totals.visited).filter((pair) => !PAIRS.has(pair));
const { visited, doneMs, ...counted } = totals;
const sorted = doneMs.sort((a, b) => a - b);
const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))];
const milliseconds = Date.now() - started;
if (process.send === undefined) {
  for (const pair of unlisted.sort()) print(`not in the table of a run: ${pair}`);
  const situations = { met: Object.keys(visited).length, unlisted: unlisted.length };
  const done = { intents: sorted.length, median: at(0.5), most: at(1) };
  print(JSON.stringify({ from, ...counted, done, situations, milliseconds }));
} else process.send(totals);
if (totals.failed + unlisted.length > 0) process.exitCode = 1;

async function play(): Promise<void> {
  for (let seed = from; seed < from + seeds; seed++) {
    const outcome = await simulate(seed, values.show === true, profile);
    if (values.show === true) for (const line of outcome.log) print(line);
    totals.seeds += 1;
    for (const key of ['signatures', 'processes', 'events', 'questions'] as const)
      totals[key] += outcome[key];
    for (const kind of outcome.kinds) count(totals.kinds, kind, 1);
    for (const status of outcome.statuses) count(totals.statuses, status, 1);
    totals.doneMs.push(...outcome.doneMs);
    for (const pair of outcome.visited) count(totals.visited, pair, 1);
    if (outcome.violations.length === 0) continue;
    totals.failed += 1;
    print(`seed ${seed} (${outcome.kinds.join(', ')}): ${outcome.violations.join('; ')}`);
  }
}

async function playBatches(): Promise<void> {
  let next = from;
  const work = async () => {
    while (next < from + seeds) {
      const first = next;
      next += BATCH;
      await playBatch(first, Math.min(BATCH, from + seeds - first));
      print(`${totals.seeds} seeds, ${totals.failed} failed, ${Date.now() - started} ms`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs ?? 1) }, work));
}

/** Runs one batch in a child process, which sends its totals on exit. A batch without totals has failed. */
async function playBatch(first: number, size: number): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      'scripts/run.mjs',
      'campaigns/simulate.ts',
      ...['--from', `${first}`, '--seeds', `${size}`],
      ...(slotMs === undefined ? [] : ['--slot-ms', slotMs]),
      ...(personMs === undefined ? [] : ['--person-ms', personMs]),
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  let batch: Totals | undefined;
  child.on('message', (sent: Totals) => {
    batch = sent;
  });
  await once(child, 'close');
  if (batch === undefined) {
    totals.failed += 1;
    print(`the batch from ${first} ended without its totals`);
    return;
  }
  for (const key of ['seeds', 'failed', 'signatures', 'processes', 'events', 'questions'] as const)
    totals[key] += batch[key];
  totals.doneMs.push(...batch.doneMs);
  for (const key of ['kinds', 'statuses', 'visited'] as const) {
    for (const [name, number] of Object.entries(batch[key])) count(totals[key], name, number);
  }
}
