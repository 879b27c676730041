/** Entries of a lookup table set up before its transactions are built, on public networks (T175). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extendTable } from '../../sandbox/service/build/lookupTable.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { keyNamed, load, NOTHING_USED } from './people.ts';
import { instructionOf } from './recorded/edits.ts';
import { rewritten } from './recorded/stages.ts';
import { World } from './world.ts';

const network = GENESIS['mainnet-beta'] ?? '';
let world: World;
let live: (inputs: DecisionInputs) => DecisionInputs;
beforeAll(async () => {
  world = await World.start('table entries');
  const serviceAddresses = [{ label: 'treasury', address: world.sandbox.service.keys.treasury.address }];
  live = (inputs) => ({
    ...inputs,
    ...{ mode: 'live', network, serviceAddresses },
    plan: { ...inputs.plan, mode: 'live', network },
  });
});
afterAll(() => world.close());

const askCodes = (inputs: DecisionInputs) => {
  const policy = load(policyTemplate('creator', { wallet: world.wallet, network }));
  return evaluate(live(inputs), policy, NOTHING_USED).checks.filter(({ code }) => code === 'RUN_OVER_BUDGET');
};

describe.each(['dbc', 'damm_v2_direct'])('the table of a config with many claimers, flow %s', (flow) => {
  /** The inputs of its first stage, before any other is built. */
  const setup = async () => {
    const { mint } = await world.token();
    const request = world.configRequest(mint, Array(40).fill(250), { flow, admin: world.wallet });
    const plan = await world.plan('feeShareConfig', request);
    expect(plan.readiness?.status).toBe('setup_required');
    return world.inputs(plan, plan.stages[0]?.id ?? '');
  };

  it('asks nothing if its entries follow from the request', async () => {
    expect(askCodes(await setup())).toEqual([]);
  });

  it('asks with the addresses that do not', async () => {
    const inputs = await setup();
    const { table } = instructionOf(inputs, 'lookupTable.extend').accounts;
    const strangers = [keyNamed('stranger').address, keyNamed('another stranger').address];
    const more = rewritten(inputs, (list) => [
      ...list.slice(0, -1),
      extendTable(table.address, world.wallet, strangers),
    ]);
    const [tableCheck] = askCodes(more);
    for (const address of strangers) expect(tableCheck?.observed).toContain(address);
    expect(tableCheck?.ok).toBe(false);
  });
});
