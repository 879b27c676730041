/** `npm run bench`: every ratio of the performance budget, with its spread. `npm run bench -- start reads` runs some. */
import { benchDecision } from './decision.ts';
import { line, type Ratio } from './measure.ts';
import { benchStart } from './start.ts';
import { benchReads } from './tools.ts';

const BENCHMARKS: Readonly<Record<string, () => Promise<Ratio[]>>> = {
  start: benchStart,
  decision: benchDecision,
  reads: benchReads,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0)
  throw new Error(
    `no benchmark is called ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}`,
  );
const over: string[] = [];
console.log(
  `Node ${process.version}, ${process.platform} ${process.arch}. Ratios of one run on a shared machine.`,
);
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const result of await run()) {
    console.log(line(result));
    if (!(result.median <= result.budget)) over.push(result.name);
  }
}
if (over.length > 0) {
  console.log(`over budget: ${over.join(', ')}`);
  process.exitCode = 1;
}
