/**
 * What a request could cost or leave beyond its needs: entries of a lookup table, rent and gifts (T175).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extendTable } from '../../sandbox/service/build/lookupTable.ts';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
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

it('a changed split pays for the growth of its accounts only (T14, T23)', async () => {
  const { mint } = await world.landedConfig();
  const claimersArray = [world.wallet, ...['a', 'b', 'c'].map((name) => keyNamed(name).address)];
  const basisPointsArray = [2500, 2500, 2500, 2500];
  const fields = { baseMint: mint, payer: world.wallet, claimersArray, basisPointsArray };
  const decided = async (...more: readonly EncodedInstruction[]) => {
    const plan = await world.plan('updateFeeShareConfig', fields, (draft) => ({
      ...draft,
      instructions: [...draft.instructions, ...more],
    }));
    return world.decide(plan, plan.stages[0]?.id ?? '');
  };
  expect((await decided()).effect).toBe('allow');
  const decision = await decided(systemTransfer(world.wallet, feeShareConfigAddress(mint), 1n));
  expect(decision).toMatchObject({ effect: 'deny' });
  expect(decision.reasonCodes).toContain('UNEXPECTED_INSTRUCTION');
});

const SOL = 1_000_000_000;
describe('simulated outflows (T14, T15, T20)', () => {
  it('are compared with the request and with the transaction', async () => {
    // A visible payment that was not requested.
    const gift = systemTransfer(world.wallet, keyNamed('attacker').address, 5_000_000n);
    const { mint, uri } = await world.token();
    const config = await world.plan('feeShareConfig', world.configRequest(mint, [10_000], { flow: 'dbc' }));
    await world.run(config);
    const fields = { ipfs: uri, tokenMint: mint, wallet: world.wallet, initialBuyLamports: SOL };
    const curve = { ...fields, configKey: String(config.answer.venueConfigKey) };
    const plan = await world.plan('curveLaunch', curve, (draft) => ({
      ...draft,
      instructions: [...draft.instructions, gift],
    }));
    const inputs = await world.inputs(plan, plan.stages[0]?.id ?? '');
    const { checks, effect } = evaluate(inputs, world.policy, NOTHING_USED);
    expect(effect).toBe('deny');
    const inSol = (text = '') => Number(/^([\d,.]+) SOL$/.exec(text)?.[1]?.replaceAll(',', ''));
    const losses = checks.filter(({ id }) => id === 'leavesByBytes' || id === 'leavesAsAsked');
    expect(losses.filter(({ ok }) => !ok)).toMatchObject([{ id: 'leavesAsAsked', code: 'UNDECLARED_LOSS' }]);
    const { observed, allowed } = losses.find(({ ok }) => !ok) ?? {};
    // The stranger had no account, so its rent would be a deposit.
    expect(inSol(observed) - inSol(allowed)).toBeGreaterThan(0.004);
  });
});
