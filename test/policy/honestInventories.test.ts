/**
 * The other side of the oracle: after honest requests of every kind the inventory of what the wallet controls differs
 * only by what the request itself says, written here as plain data from its fields.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { worse } from '../oracle/judge.ts';
import { randomSource } from '../transaction/fuzz.ts';
import { inventoriesOf } from './inventories.ts';
import { LEGITIMATE_KINDS, legitimate, walk } from './legitimate.ts';
import { type Fields, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('honest inventories');
});
afterAll(() => world.close());

const SEEDS = [1, 2];
/** Rent, fees and deposits of the largest config. */
const COSTS = 200_000_000n;
const AMOUNTS = [
  'initialBuyQuoteAmount',
  'initialBuyQuoteRaw',
  'initialBuyLamports',
  'tipLamports',
  'amount',
];

/** Every harm that neither the fields of the request nor the kind of its stage explain. */
function unexplained(inputs: DecisionInputs): string[] {
  const { request } = inputs.plan;
  const asked = { ...request, ...inputs.quote?.request };
  const amounts = AMOUNTS.flatMap((name) => (name in asked ? [BigInt(String(asked[name]))] : []));
  const most = amounts.reduce((sum, amount) => sum + amount, COSTS);
  const named = JSON.stringify(asked);
  const [before, after] = inventoriesOf(inputs);
  const service = world.sandbox.service.keys.feeShareAuthority.address;
  const isSaid = (harm: string): boolean => {
    const [, line = '', less = ''] = /^(\w+): (\d+) less than allowed$/.exec(harm) ?? [];
    if (less !== '') return (line === 'SOL' || named.includes(line)) && BigInt(less) <= most;
    const [, stranger, right] =
      /^stranger: (\w+) is (claimer|manager|partner|deployer|\w+ authority)/.exec(harm) ?? [];
    // A config belongs to the service, which writes what the request says into it.
    if (right?.endsWith('authority')) return stranger === service;
    if (stranger !== undefined) return named.includes(stranger);
    const [, config] = /^shares of (\w+): /.exec(harm) ?? [];
    if (config !== undefined)
      return after.amounts.get(`shares of ${config}`) === shareOf(request, inputs.plan.wallet);
    // What a trade brings is delegated to the wallet beforehand, and used up by it.
    if (inputs.plan.operation === 'swap') return / as delegate: |^lost: delegate of /.test(harm);
    // The wallet's own table is filled, retired and closed by plans that say so.
    return (
      /^lookup_table/.test(inputs.stage.kind) &&
      /^(lost: table authority|changed: (entries|in use)) of /.test(harm)
    );
  };
  return worse(before, after).filter((harm) => !isSaid(harm));
}

/** The wallet's own basis points as the request wants them. */
function shareOf({ claimersArray, basisPointsArray }: Fields, wallet: string): bigint | undefined {
  if (!Array.isArray(claimersArray) || !Array.isArray(basisPointsArray)) return undefined;
  return BigInt(String(basisPointsArray[claimersArray.indexOf(wallet)]));
}

it.each(LEGITIMATE_KINDS)(
  'an honest request leaves the wallet with what the request says: %s',
  async (kind) => {
    const found: string[] = [];
    for (const seed of SEEDS) {
      const request = await legitimate(world, kind, randomSource(seed));
      await walk(world, request, (inputs) => {
        if (inputs.simulation.status === 'done')
          found.push(...unexplained(inputs).map((harm) => `${inputs.stage.id}: ${harm}`));
      });
    }
    expect(found).toEqual([]);
  },
);
