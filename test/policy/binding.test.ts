/**
 * Exact binding (T54, T63): the instructions are compared with the request, field by field. No honest plan may match a
 * request that differs in one field.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM, partnerConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { type Fields, keyNamed, NOTHING_USED, stageOf, World } from './world.ts';

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

function expectMismatch(decision: Decision) {
  expect(decision.effect).toBe('deny');
  expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
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

describe('a config is written completely', () => {
  it('over all its stages together, whichever of them is decided', async () => {
    const { mint } = await world.token();
    const request = world.configRequest(
      mint,
      Array.from({ length: 40 }, () => 250),
    );
    const plan = await world.plan('feeShareConfig', { ...request, transactionFormat: 'v1' });
    expect(plan.stages.length).toBeGreaterThan(1);
    expect((await world.decide(plan, 'config-1')).effect).toBe('allow');
    const withoutLast: Plan = { ...plan, stages: plan.stages.slice(0, -1) };
    expectMismatch(await world.decide(withoutLast, 'config-1'));
  });

  it('and later stages continue from the state on chain', async () => {
    const { mint } = await world.token();
    const request = world.configRequest(
      mint,
      Array.from({ length: 40 }, () => 250),
    );
    const first = await world.plan('feeShareConfig', { ...request, transactionFormat: 'v1' });
    await world.land(first, 'config-1');
    const rest = await world.plan('feeShareConfig', { ...request, transactionFormat: 'v1' });
    expect(rest.stages.some((stage) => stage.id === 'config-1')).toBe(false);
    expect((await world.decide(rest, rest.stages[0]?.id ?? '')).effect).toBe('allow');
  });
});

describe('every field of a launch request is compared with the transaction', () => {
  async function bundle() {
    const { mint, uri } = await world.token();
    const plan = await world.plan('dammLaunch', {
      tokenMint: mint,
      ipfs: uri,
      wallet: world.wallet,
      quoteMint: WSOL_MINT,
      feeClaimerWallet: keyNamed('fee claimer').address,
      initialBuyQuoteAmount: 100_000_000,
      partner: keyNamed('partner').address,
    });
    const created = await world.inputs(plan, 'create_token');
    for (const id of ['lut_setup', 'create_token']) await world.land(plan, id);
    return { plan, created, inputs: await world.inputs(plan, 'launch') };
  }

  it('as a custody bundle', async () => {
    const { plan, created, inputs } = await bundle();
    // An unsupported program stores the claimers, so the owner is asked about the requested ones.
    const earning = (request: Fields) => {
      const { effect, recipients } = decideFor(inputs, request);
      return [effect, ...recipients.map(({ address }) => address)];
    };
    const [feeClaimer, partner] = [keyNamed('fee claimer').address, keyNamed('partner').address];
    expect(earning({})).toEqual(['require_approval', partner, feeClaimer]);
    expect(earning({ feeClaimerWallet: other })).toEqual(['require_approval', partner, other]);
    expect(earning({ feeClaimerWallet: undefined })).toEqual(['require_approval', partner, world.wallet]);
    expectMismatch(decideFor(inputs, { initialBuyQuoteAmount: 99_999_999 }));
    expect(decideFor(inputs, { initialBuyQuoteAmount: 0 }).effect).toBe('deny');
    expect(decideFor(inputs, { quoteMint: other }).effect).toBe('deny');
    expect(decideFor(inputs, { tokenMint: other }).effect).toBe('deny');
    expectMismatch(decideFor(created, { ipfs: 'ipfs://another' }));
    expectMismatch(decideFor(created, { tokenMint: other }));
    const setup = await world.inputs(plan, 'lut_setup');
    expectMismatch(decideFor(setup, {}, { launch: { lookupTable: other } }));
  });

  it('as a direct pool', async () => {
    const { mint, uri, config } = await world.landedConfig();
    const plan = await world.plan('dammLaunchV2', {
      tokenMint: mint,
      wallet: world.wallet,
      feeShareConfig: config,
      quoteMint: WSOL_MINT,
      ipfs: uri,
      initialBuyQuoteRaw: '50000000',
      tipWallet: keyNamed('tip').address,
      tipLamports: 1_000_000,
    });
    await world.land(plan, 'launch-1');
    const inputs = await world.inputs(plan, 'launch-2');
    expect(decideFor(inputs, {}).effect).toBe('allow');
    expectMismatch(decideFor(inputs, { feeShareConfig: other }));
    expectMismatch(decideFor(inputs, { initialBuyQuoteRaw: '50000001' }));
    expectMismatch(decideFor(inputs, { tipLamports: 1 }));
    const another = await world.landedConfig();
    expectMismatch(
      decideFor(
        { ...inputs, accounts: (await world.inputs(plan, 'launch-2')).accounts },
        { feeShareConfig: another.config },
      ),
    );
  });
});

describe('a swap must match the stored quote', () => {
  let inputs: DecisionInputs;
  beforeAll(async () => {
    await world.sandbox.service.ready();
    const outputMint = [...world.sandbox.service.state.launches.keys()][0] ?? '';
    const request = await world.quoted({ inputMint: WSOL_MINT, outputMint, amount: '100000000' });
    inputs = await world.inputs(await world.plan('tradeSwap', request), 'swap');
  });
  const quoted = (quote: Fields, request: Fields = {}, expiresAt = inputs.quote?.expiresAt ?? 0) =>
    evaluate(
      {
        ...inputs,
        quote: {
          request: { ...inputs.quote?.request, ...request },
          quote: { ...inputs.quote?.quote, ...quote },
          expiresAt,
        },
      },
      world.policy,
      NOTHING_USED,
    );

  it('and is allowed if it does', () => {
    expect(quoted({})).toMatchObject({ effect: 'allow', binding: 'exact' });
  });

  it('and is refused for another amount, mint, taker, minimum or id', () => {
    expectMismatch(quoted({ inAmount: '99999999' }));
    expectMismatch(quoted({}, { amount: '99999999' }));
    expectMismatch(quoted({ outputMint: other }, { outputMint: other }));
    expectMismatch(quoted({ inputMint: other }, { inputMint: other }));
    expectMismatch(quoted({}, { taker: other }));
    expectMismatch(quoted({ minOutAmount: String(BigInt(String(inputs.quote?.quote.outAmount)) * 2n) }));
    expectMismatch(quoted({ requestId: 'another' }));
    expectMismatch(quoted({}, { slippageMode: 'manual', slippageBps: 0 }));
  });

  it('and an unknown or expired quote is refused', () => {
    const { quote: _gone, ...without } = inputs;
    expectMismatch(evaluate(without, world.policy, NOTHING_USED));
    const expired = quoted({}, {}, inputs.time);
    expect(expired).toMatchObject({ effect: 'deny', class: 'availability' });
    expect(expired.reasonCodes).toEqual(['LIFETIME_MISMATCH']);
  });

  it('and the stated fee and its side must match the transaction', () => {
    expectMismatch(decideFor(inputs, {}, { feeLamports: '1' }));
    expectMismatch(decideFor(inputs, {}, { feeSide: 'both' }));
    expectMismatch(decideFor(inputs, {}, { feeMint: other }));
    expectMismatch(decideFor(inputs, { userPublicKey: other }));
  });

  it('and the fee must go to a known treasury', () => {
    const known = { label: 'treasury', address: other };
    expectMismatch(evaluate({ ...inputs, serviceAddresses: [known] }, world.policy, NOTHING_USED));
    const real = { label: 'treasury', address: world.sandbox.service.keys.treasury.address };
    expect(evaluate({ ...inputs, serviceAddresses: [real] }, world.policy, NOTHING_USED).effect).toBe(
      'allow',
    );
  });
});

describe('a claim must pay the wallet', () => {
  it('a positive amount in the requested quote', async () => {
    const { mint } = await world.launched();
    const buy = await world.quoted({ inputMint: WSOL_MINT, outputMint: mint, amount: '500000000' });
    await world.run(await world.plan('tradeSwap', buy));
    const request = {
      feeClaimer: world.wallet,
      tokenMint: mint,
      quoteMint: WSOL_MINT,
      source: { kind: 'position' },
    };
    const plan = await world.plan('claimTxs', request);
    const inputs = await world.inputs(plan, 'claim-1');
    expect(decideFor(inputs, {})).toMatchObject({
      effect: 'allow',
      feeLamports: expect.stringMatching(/^[1-9]/),
    });
    expectMismatch(decideFor(inputs, { quoteMint: world.quote('USDC') }));

    const nothing = await world.plan('claimTxs', request, (draft) => ({
      ...draft,
      instructions: draft.instructions.filter(({ programAddress }) => programAddress !== FEE_SHARE_PROGRAM),
    }));
    expectMismatch(await world.decide(nothing, 'claim-1'));

    const memoOnly = await world.plan('claimTxs', request, (draft) => ({
      ...draft,
      instructions: [
        encodeInstruction('memo.memo', { accounts: {}, args: { text: 'I owe you' }, rest: [world.wallet] }),
      ],
    }));
    expectMismatch(await world.decide(memoOnly, 'claim-1'));
    expect(stageOf(plan, 'claim-1').kind).toBe('claim');
  });
});
