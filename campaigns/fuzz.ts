/**
 * Long fuzz runs in resumable batches: `npm run fuzz -- reader 1000000` reads damaged transactions, `npm run fuzz --
 * policy 20000` decides on changed stages, and `npm run fuzz -- silent` searches every recorded stage for undisclosed
 * changes, one stage a batch; with `--programs DIR` on the original programs. A batch is identified by its seed and can
 * be repeated alone (`--seed N --batches 1`). Progress is stored in reports/fuzz-NAME.json; delete the file to start
 * over.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readProgramFolder } from '../sandbox/programs/folder.ts';
import { fuzzPolicy } from '../test/policy/fuzz.ts';
import { SEARCHED, search } from '../test/policy/silent/campaign.ts';
import { fuzzReader } from '../test/transaction/fuzz.ts';

/** Counts and counterexamples of a batch; any counterexample fails the run. */
interface Batch {
  readonly counts: Readonly<Record<string, number>>;
  readonly examples: readonly unknown[];
}
interface Progress {
  nextSeed: number;
  readonly counts: Record<string, number>;
  readonly examples: unknown[];
}

const READER_BATCH = 10_000;
const POLICY_BATCH = 1_000;

const TARGETS: Readonly<Record<string, { size: number; run: (seed: number) => Promise<Batch> }>> = {
  reader: {
    size: READER_BATCH,
    run: async (seed) => {
      const { examples, ...counts } = fuzzReader({ seed, count: READER_BATCH });
      return { counts, examples };
    },
  },
  policy: { size: POLICY_BATCH, run: (seed) => fuzzPolicy({ seed, count: POLICY_BATCH }) },
  silent: {
    size: 1,
    run: async (seed) => {
      const { counts, silent } = search(SEARCHED[(seed - 1) % SEARCHED.length] ?? '', programs());
      return { counts, examples: silent };
    },
  },
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, batches: { type: 'string' }, programs: { type: 'string' } },
});
const programs = () => (values.programs === undefined ? undefined : readProgramFolder(values.programs));
const [name = 'reader', given] = positionals;
const wanted = given ?? (name === 'silent' ? SEARCHED.length : 1_000_000);
const target = TARGETS[name];
if (target === undefined) throw new Error(`What to fuzz? ${Object.keys(TARGETS).join(' or ')}`);

const file = `reports/fuzz-${name}.json`;
const once = values.seed !== undefined;
const fresh = (): Progress => ({ nextSeed: Number(values.seed ?? 1), counts: {}, examples: [] });
const progress: Progress = once || !existsSync(file) ? fresh() : JSON.parse(readFileSync(file, 'utf8'));
const batches = once ? Number(values.batches ?? 1) : Math.ceil(Number(wanted) / target.size);
const last = once ? progress.nextSeed + batches - 1 : batches;

while (progress.nextSeed <= last) {
  const { counts, examples } = await target.run(progress.nextSeed);
  for (const [key, count] of Object.entries(counts)) {
    progress.counts[key] = (progress.counts[key] ?? 0) + count;
  }
  progress.examples.push(...examples.map((example) => ({ seed: progress.nextSeed, example })));
  progress.nextSeed++;
  if (!once) {
    mkdirSync('reports', { recursive: true });
    writeFileSync(file, `${JSON.stringify(progress, null, 2)}\n`);
  }
  console.error(`seed ${progress.nextSeed - 1} of ${last}: ${JSON.stringify(progress.counts)}`);
}
console.log(JSON.stringify({ target: name, ...progress }, null, 2));
if (progress.examples.length > 0) process.exitCode = 1;
