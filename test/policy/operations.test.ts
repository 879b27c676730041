/** Every operation of the service: honest requests, their inventories, expected outcomes and kept stages. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { ExpectedOutcome } from '../../src/policy/decide/operations/expectedOutcome.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { worse } from '../oracle/judge.ts';
import { randomSource } from '../transaction/fuzz.ts';
import { inventoriesOf } from './inventories.ts';
import { LEGITIMATE_KINDS, legitimate, walk } from './legitimate.ts';
import { type Fields, keyNamed, NOTHING_USED, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('operations');
  await world.sandbox.service.ready();
  world.sandbox.chain.airdrop(world.wallet, 50_000_000_000n);
  world.sandbox.advanceSlots(2);
});
afterAll(() => world.close());

/** Returns the expected outcome of a question about these inputs. */
function outcomeOf(seen: DecisionInputs): ExpectedOutcome | undefined {
  const policy = world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  }));
  return evaluate(seen, policy, NOTHING_USED).expectedOutcome;
}

const OTHER = keyNamed('said by the service').address;

/** Yields one changed answer for each of its fields, at any depth. */
function* changedAnswers(answer: unknown): Generator<unknown> {
  if (Array.isArray(answer)) {
    for (const [i, each] of answer.entries())
      for (const changed of changedAnswers(each)) yield answer.with(i, changed);
  } else if (typeof answer === 'object' && answer !== null) {
    for (const [name, value] of Object.entries(answer)) {
      yield { ...answer, [name]: undefined };
      for (const changed of changedAnswers(value)) yield { ...answer, [name]: changed };
    }
  } else {
    yield typeof answer === 'number' ? answer + 1 : typeof answer === 'boolean' ? !answer : OTHER;
  }
}

async function unchanged(plan: Plan, least: number): Promise<void> {
  world.sandbox.advanceSlots(2);
  for (const { id } of plan.stages) {
    const seen = await world.inputs(plan, id, { purpose: 'preview' });
    const expected = outcomeOf(seen);
    expect(expected, id).toBeDefined();
    let count = 0;
    for (const answer of changedAnswers(plan.answer)) {
      count += 1;
      const answered: DecisionInputs = { ...seen, plan: { ...seen.plan, answer: Object(answer) } };
      expect(JSON.stringify(outcomeOf(answered)), JSON.stringify(answer)).toBe(JSON.stringify(expected));
    }
    expect(count).toBeGreaterThanOrEqual(least);
  }
}

test('the expected outcome of a config in rounds does not depend on the answer', async () => {
  const { mint } = await world.token();
  const request = world.configRequest(mint, Array<number>(40).fill(250));
  await unchanged(await world.plan('feeShareConfig', request), 10);
});

test('the expected outcome of a curve launch, and of a swap, does not depend on the answer', async () => {
  const token = await world.token();
  const config = await world.plan(
    'feeShareConfig',
    world.configRequest(token.mint, [10_000], { flow: 'dbc' }),
  );
  for (const { id } of config.stages) await world.land(config, id);
  const launch = await world.plan('curveLaunchV2', {
    tokenMint: token.mint,
    ipfs: token.uri,
    wallet: world.wallet,
    quoteMint: WSOL_MINT,
    configKey: String(config.answer.venueConfigKey),
    feeShareConfig: String(config.answer.feeShareConfig),
    initialBuyQuoteRaw: '100000000',
  });
  await unchanged(launch, 10);
  for (const { id } of launch.stages) await world.land(launch, id);
  const quoted = await world.quoted({ inputMint: WSOL_MINT, outputMint: token.mint, amount: '50000000' });
  await unchanged(await world.plan('tradeSwap', quoted), 3);
});

describe('a stage beside the decided one', () => {
  it('is decoded again if a planned table has other addresses, with the same bytes and digest', async () => {
    const { mint } = await world.token();
    const request = world.configRequest(
      mint,
      Array.from({ length: 100 }, () => 100),
    );
    const setup = await world.plan('feeShareConfig', request);
    for (const { id } of setup.stages) await world.land(setup, id);
    const plan = await world.plan('feeShareConfig', request);
    const inputs = await world.inputs(plan, 'config-1');
    // A planned table has no content digest, since it is not on the chain yet.
    const planned = (change: (address: string, i: number) => string): DecisionInputs => ({
      ...inputs,
      purpose: 'preview',
      tables: inputs.tables.map((each) => ({
        ...each,
        source: 'setup',
        dataSha256: 'nothing yet',
        addresses: each.addresses.map(change),
      })),
    });
    const claimersFit = (given: DecisionInputs) =>
      evaluate(given, world.policy, NOTHING_USED).checks.find(({ id }) => id === 'claimersWritten')?.ok;
    const claimers = new Set(Array.isArray(request.claimersArray) ? request.claimersArray.slice(-20) : []);
    const swapped = planned((address, i) =>
      claimers.has(address) ? keyNamed(`thief ${i}`).address : address,
    );
    const honest = planned((address) => address);
    expect([honest, swapped, honest].map(claimersFit)).toEqual([true, false, true]);
  });
});

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
