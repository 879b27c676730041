/** The cached acts of a plan's other stages are keyed by all their inputs, the content of planned tables included. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { keyNamed, NOTHING_USED, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('kept stages');
});
afterAll(() => world.close());

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
