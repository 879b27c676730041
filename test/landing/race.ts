/**
 * `npm run race -- --races 100`: two landings over one ledger file build and submit the same intent at once, so many
 * times for configs and as often for swaps. Every race must end with one plan and each stage signed and landed once.
 */
import { parseArgs } from 'node:util';
import { Home, type HomeOptions } from './home.ts';
import { buildAtOnce, type Raced } from './racing.ts';

const { values } = parseArgs({ options: { races: { type: 'string' }, only: { type: 'string' } } });
const races = Number(values.races ?? 100);
const say = (line: string) => process.stdout.write(`${line}\n`);
const totals = { races: 0, twoPlans: 0, landedTwice: 0, unfinished: 0, signatures: 0 };
/** So many races share a home, then the next begins. */
const BATCH = 25;

/** How much of it a day is not what is raced. */
const unlimited: HomeOptions = {
  policy: (file) => ({
    ...file,
    limits: file.limits.map((limit) =>
      'asset' in limit ? { ...limit, max: '999999999999999' } : { ...limit, max: 1_000_000 },
    ),
  }),
};

async function batch(endpoint: Raced, from: number, to: number): Promise<void> {
  const home = await Home.start(unlimited);
  const other = home.again(unlimited);
  try {
    for (let race = from; race < to; race++) {
      const { plans, complete, twice, signatures } = await buildAtOnce(home, other, endpoint, race);
      totals.races += 1;
      totals.signatures += signatures;
      if (plans !== 1) totals.twoPlans += 1;
      if (twice.length > 0) totals.landedTwice += 1;
      if (!complete) totals.unfinished += 1;
      if (plans !== 1 || twice.length > 0 || !complete) say(`${endpoint} ${race}: ${plans} plans, ${twice}`);
    }
  } finally {
    await home.landing.idle();
    await other.close();
    await home.close();
    await home.sandbox.close();
  }
  say(`${endpoint}: ${to} raced`);
}

for (const endpoint of ['feeShareConfig', 'tradeSwap'] as const) {
  if (values.only !== undefined && values.only !== endpoint) continue;
  for (let at = 0; at < races; at += BATCH) await batch(endpoint, at, Math.min(races, at + BATCH));
}
say(JSON.stringify(totals));
if (totals.twoPlans + totals.landedTwice + totals.unfinished > 0) process.exitCode = 1;
