/**
 * After honest requests of every kind the wallet's inventory differs only as the request states, written here as plain
 * data from its fields.
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

/** Returns the harms explained neither by the request's fields nor by the kind of its stage. */
function unexplained(inputs: DecisionInputs): string[] {
  const { request } = inputs.plan;
  const fullRequest = { ...request, ...inputs.quote?.request };
  const amounts = AMOUNTS.flatMap((name) => (name in fullRequest ? [BigInt(String(fullRequest[name]))] : []));
  const most = amounts.reduce((sum, amount) => sum + amount, COSTS);
  const named = JSON.stringify(fullRequest);
  const [before, after] = inventoriesOf(inputs);
  const service = world.sandbox.service.keys.feeShareAuthority.address;
  const isStated = (harm: string): boolean => {
    const [, line = '', less = ''] = /^(\w+): (\d+) less than allowed$/.exec(harm) ?? [];
    if (less !== '') return (line === 'SOL' || named.includes(line)) && BigInt(less) <= most;
    const [, stranger, right] =
      /^stranger: (\w+) is (claimer|manager|partner|deployer|\w+ authority)/.exec(harm) ?? [];
    // The service is the authority of a config and writes the requested values into it.
    if (right?.endsWith('authority')) return stranger === service;
    if (stranger !== undefined) return named.includes(stranger);
    const [, config] = /^shares of (\w+): /.exec(harm) ?? [];
    if (config !== undefined)
      return after.amounts.get(`shares of ${config}`) === shareOf(request, inputs.plan.wallet);
    // The output of a trade is delegated to the wallet beforehand and used up by the trade.
    if (inputs.plan.operation === 'swap') return / as delegate: |^lost: delegate of /.test(harm);
    // Plans about the wallet's own table fill, deactivate and close it.
    return (
      /^lookup_table/.test(inputs.stage.kind) &&
      /^(lost: table authority|changed: (entries|in use)) of /.test(harm)
    );
  };
  return worse(before, after).filter((harm) => !isStated(harm));
}

/** The wallet's requested basis points. */
function shareOf({ claimersArray, basisPointsArray }: Fields, wallet: string): bigint | undefined {
  if (!Array.isArray(claimersArray) || !Array.isArray(basisPointsArray)) return undefined;
  return BigInt(String(basisPointsArray[claimersArray.indexOf(wallet)]));
}

it.each(LEGITIMATE_KINDS)(
  'an honest request leaves the wallet with the requested amounts: %s',
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
