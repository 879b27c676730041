/**
 * Exact binding (T54, T63): the instructions are compared with the request, field by field. No honest plan may match a
 * request that differs in one field.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { partnerConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { type Fields, keyNamed, NOTHING_USED, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('binding');
});
afterAll(() => world.close());

const other = keyNamed('another wallet').address;

/** Decides on the same bytes for another request or answer. */
function decideFor(inputs: DecisionInputs, request: Fields, answer: Fields = {}): Decision {
  const { plan } = inputs;
  const requestFields = Object.fromEntries(
    Object.entries({ ...plan.request, ...request }).filter(([, value]) => value !== undefined),
  );
  const changed = {
    ...inputs,
    plan: { ...plan, request: requestFields, answer: { ...plan.answer, ...answer } },
  };
  return evaluate(changed, world.listing, NOTHING_USED);
}

describe('every field of a config request is compared with the transaction', () => {
  let inputs: DecisionInputs;
  beforeAll(async () => {
    const { mint } = await world.token();
    const request = world.configRequest(mint, [6000, 4000], {
      admin: keyNamed('admin').address,
      partner: keyNamed('partner').address,
      partnerConfig: partnerConfigAddress(keyNamed('partner').address),
      flow: 'dbc',
      serviceConfigType: 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
      enableFirstSwapWithMinFee: true,
      tipWallet: keyNamed('tip').address,
      tipLamports: 1_000_000,
      transactionFormat: 'v1',
    });
    inputs = await world.inputs(await world.plan('feeShareConfig', request), 'config-1');
  });

  it('allows an honest config plan with every field', () => {
    expect(decideFor(inputs, {})).toMatchObject({ effect: 'allow', binding: 'exact' });
  });

  const cases: readonly [string, () => Fields][] = [
    ['baseMint', () => ({ baseMint: other })],
    ['flow', () => ({ flow: 'damm_v2_direct' })],
    ['quoteMint', () => ({ quoteMint: other })],
    ['claimersArray, one replaced', () => ({ claimersArray: [world.wallet, other] })],
    ['claimersArray, swapped', () => ({ claimersArray: [keyNamed('claimer 1').address, world.wallet] })],
    [
      'claimersArray, one more',
      () => ({
        claimersArray: [world.wallet, keyNamed('claimer 1').address, other],
        basisPointsArray: [5000, 4000, 1000],
      }),
    ],
    ['claimersArray, one fewer', () => ({ claimersArray: [world.wallet], basisPointsArray: [10_000] })],
    ['basisPointsArray', () => ({ basisPointsArray: [4000, 6000] })],
    ['admin', () => ({ admin: other })],
    ['admin, not asked for', () => ({ admin: undefined })],
    ['partner', () => ({ partner: other })],
    ['partner, not asked for', () => ({ partner: undefined, partnerConfig: undefined })],
    ['serviceConfigType', () => ({ serviceConfigType: '48e26d2f-0a9d-4625-a3cc-c3987d874b9e' })],
    ['serviceConfigType, left to the default', () => ({ serviceConfigType: undefined })],
    ['enableFirstSwapWithMinFee', () => ({ enableFirstSwapWithMinFee: false })],
    ['tipWallet', () => ({ tipWallet: other })],
    ['tipLamports', () => ({ tipLamports: 999_999 })],
    ['no tip at all', () => ({ tipWallet: undefined, tipLamports: undefined })],
  ];
  it.each(cases)('%s', (_name, change) => {
    const decision = decideFor(inputs, change());
    expect(decision.effect).toBe('deny');
    expect(['REQUEST_MISMATCH', 'UNEXPECTED_INSTRUCTION']).toContain(decision.reasonCodes[0]);
  });

  it("names the difference in a refusal, without the check's prefix", () => {
    expect(explain(decideFor(inputs, { tipLamports: 999_999 }))).toBe(
      'The transaction does not match the request: tip (0.001 SOL; allowed: 0.000999999 SOL).',
    );
  });

  it('refuses a payer other than the requested one', () => {
    const changed = { ...inputs, plan: { ...inputs.plan, wallet: other } };
    expect(evaluate(changed, world.policy, NOTHING_USED).reasonCodes).toEqual(
      expect.arrayContaining(['FEE_PAYER_MISMATCH', 'SIGNERS_MISMATCH']),
    );
  });

  it('refuses a transactionFormat other than the requested one', () => {
    expect(decideFor(inputs, { transactionFormat: undefined }).reasonCodes[0]).toBe('FORMAT_MISMATCH');
  });
});
