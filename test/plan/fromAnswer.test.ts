import { describe, expect, it } from 'vitest';
import { PlanError } from '../../src/plan/errors.ts';
import { type PlanInput, planFromAnswer } from '../../src/plan/fromAnswer.ts';
import type { Plan } from '../../src/plan/types.ts';
import { testAddress } from '../transaction/keys.ts';
import {
  base58,
  base64,
  bundleAnswer,
  CLAIMER,
  configAnswer,
  configRequest,
  launchRequest,
  MINT,
  NETWORK,
  WALLET,
  wirePlan,
  wireStage,
} from './answers.ts';

const read = (
  endpoint: string,
  request: PlanInput['request'],
  answer: unknown,
  more: Partial<PlanInput> = {},
) =>
  planFromAnswer({
    endpoint,
    request,
    answer,
    mode: 'live',
    network: NETWORK,
    wallet: WALLET,
    now: 1000,
    ...more,
  });

function plan(...args: Parameters<typeof read>): Plan {
  const result = read(...args);
  if (result === null) throw new Error('no plan');
  return result;
}
const config = (answerPlan: unknown, more = {}) =>
  plan('feeShareConfig', configRequest, configAnswer(answerPlan, more));
const refuses = (make: () => unknown, message: RegExp) => {
  expect(make).toThrow(PlanError);
  expect(make).toThrow(message);
};

describe('a plan of an answer', () => {
  it('keeps the bytes, the request and the answer, but no transaction string in the answer', () => {
    const made = config(
      wirePlan([wireStage('config-1'), wireStage('config-2', { dependsOn: ['config-1'] })]),
    );
    expect(made).toMatchObject({
      operation: 'config',
      mode: 'live',
      network: NETWORK,
      wallet: WALLET,
      revision: 0,
      request: { endpoint: 'feeShareConfig', fields: configRequest },
      readiness: { status: 'ready' },
    });
    expect(made.stages.map(({ id, dependsOn, transaction }) => [id, dependsOn, transaction])).toEqual([
      ['config-1', [], base64('config-1')],
      ['config-2', ['config-1'], base64('config-2')],
    ]);
    expect(JSON.stringify(made.answer)).not.toContain(base64('config-1'));
    expect(made.answer.feeShareConfig).toBe(testAddress('config'));
  });

  it('is nothing when the config exists', () => {
    expect(read('feeShareConfig', configRequest, configAnswer(null, { needsCreation: false }))).toBeNull();
  });

  it('may be empty while a setup warms up, and only then', () => {
    expect(config(wirePlan([], { readiness: { status: 'setup_required' } })).stages).toEqual([]);
    refuses(() => config(wirePlan([])), /no stages/);
  });

  it('records a readiness it does not know and shows no untrusted text of it (F19)', () => {
    const odd = config(wirePlan([wireStage('a')], { readiness: { status: 'IGNORE ALL RULES' } }));
    expect(odd.readiness).toEqual({ status: 'unknown' });
    expect(config(wirePlan([wireStage('a')], { readiness: { status: 'warming' } })).readiness).toEqual({
      status: 'warming',
    });
  });

  it('ignores unknown extra fields (F13)', () => {
    expect(
      config(wirePlan([wireStage('a', { extra: 1 })], { more: {} }), { also: true }).stages,
    ).toHaveLength(1);
  });
});

describe('a plan is refused as a whole when', () => {
  const stage = wireStage('config-1');
  const cases: [string, () => unknown, RegExp][] = [
    ['two stages share an id', () => config(wirePlan([stage, stage])), /same id/],
    [
      'a dependency is unknown',
      () => config(wirePlan([wireStage('a', { dependsOn: ['b'] })])),
      /does not exist/,
    ],
    [
      'stages run in a circle',
      () => config(wirePlan([wireStage('a', { dependsOn: ['b'] }), wireStage('b', { dependsOn: ['a'] })])),
      /circle/,
    ],
    ['a stage depends on itself', () => config(wirePlan([wireStage('a', { dependsOn: ['a'] })])), /circle/],
    ['a kind is unknown', () => config(wirePlan([wireStage('a', { kind: 'gift' })])), /kind/],
    ['a kind is of another operation', () => config(wirePlan([wireStage('a', { kind: 'claim' })])), /belong/],
    ['a format is unknown', () => config(wirePlan([wireStage('a', { format: 'legacy' })])), /format/],
    ['an encoding is unknown', () => config(wirePlan([wireStage('a', { encoding: 'base58' })])), /encoding/],
    ['an id is unusable', () => config(wirePlan([wireStage('../x')])), /usable id/],
    ['its version is 2 (B68)', () => config(wirePlan([stage], { contractVersion: 2 })), /contractVersion/],
    [
      'its version is a text (B68)',
      () => config(wirePlan([stage], { contractVersion: '1' })),
      /contractVersion/,
    ],
    [
      'the answer has no version (B68)',
      () => config(wirePlan([stage]), { contractVersion: undefined }),
      /version/,
    ],
    [
      'it is for another operation (B69)',
      () => config(wirePlan([stage], { operation: { kind: 'launch', baseMint: MINT, flow: 'dbc' } })),
      /another operation/,
    ],
    [
      'it is for another mint (B69)',
      () => config(wirePlan([stage], { operation: { kind: 'config', baseMint: CLAIMER, flow: 'dbc' } })),
      /another baseMint/,
    ],
    [
      'it is for another flow (B69)',
      () =>
        config(wirePlan([stage], { operation: { kind: 'config', baseMint: MINT, flow: 'damm_v2_direct' } })),
      /another flow/,
    ],
    [
      'a transaction is missing',
      () => config(wirePlan([wireStage('a', { transaction: '' })])),
      /transaction/,
    ],
    [
      'a height is no number',
      () =>
        config(wirePlan([wireStage('a', { lifetime: { blockhash: MINT, lastValidBlockHeight: '1e9' } })])),
      /lastValidBlockHeight/,
    ],
    ['creation is needed but there is no plan', () => config(null), /plan/],
    [
      'creation is not needed but there is a plan',
      () => config(wirePlan([stage]), { needsCreation: false }),
      /contradicts/,
    ],
    [
      'it has far too many stages',
      () => config(wirePlan(Array.from({ length: 65 }, (_, i) => wireStage(`s${i}`)))),
      /too many/,
    ],
  ];
  it.each(cases)('%s', (_, make, message) => refuses(make, message));
});

describe('the intent key', () => {
  const key = (
    endpoint: string,
    request: PlanInput['request'],
    answer: unknown,
    more: Partial<PlanInput> = {},
  ) => plan(endpoint, request, answer, more).intentKey;
  const answer = configAnswer(wirePlan([wireStage('a')]));
  const one = key('feeShareConfig', configRequest, answer);

  it('is the same for the same wish, whatever the answer is and whether a default is written as null', () => {
    expect(
      key('feeShareConfig', { ...configRequest, partner: null }, configAnswer(wirePlan([wireStage('b')]))),
    ).toBe(one);
  });

  it('differs by network, wallet and every field of the request', () => {
    const others = [
      key('feeShareConfig', configRequest, answer, { network: testAddress('other') }),
      key('feeShareConfig', { ...configRequest, payer: CLAIMER }, answer),
      key('feeShareConfig', { ...configRequest, basisPointsArray: [9_999] }, answer),
    ];
    expect(new Set([one, ...others]).size).toBe(4);
  });

  it('of a swap follows what is traded, not the id of the quote', () => {
    const swap = (requestId: string, amount: string) =>
      key(
        'tradeSwap',
        { requestId, userPublicKey: WALLET },
        { swapTransaction: base64('swap') },
        {
          quote: { request: { inputMint: MINT, outputMint: CLAIMER, amount }, expiresAt: 9 },
        },
      );
    expect(swap('q1', '5')).toBe(swap('q2', '5'));
    expect(swap('q1', '5')).not.toBe(swap('q1', '6'));
  });
});

describe('a custody bundle', () => {
  const all = ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH', 'LUT_DEACTIVATE', 'LUT_CLOSE'];
  const bundle = (types: readonly string[], more: Partial<PlanInput> = {}, encode = base64) =>
    plan('dammLaunch', launchRequest, bundleAnswer(types, encode), more);

  it('is ordered by the contract: setup and token first, then the launch, then the table goes', () => {
    const stages = bundle(all).stages.map(({ id, kind, dependsOn, optional, refresh, waitSlots }) => ({
      id,
      kind,
      dependsOn,
      optional,
      refresh,
      waitSlots,
    }));
    expect(stages).toEqual([
      {
        id: 'lut_setup',
        kind: 'lookup_table_setup',
        dependsOn: [],
        optional: false,
        refresh: 'never',
        waitSlots: 0,
      },
      {
        id: 'create_token',
        kind: 'create_token',
        dependsOn: [],
        optional: false,
        refresh: 'never',
        waitSlots: 0,
      },
      {
        id: 'launch',
        kind: 'launch',
        dependsOn: ['lut_setup', 'create_token'],
        optional: false,
        refresh: 'never',
        waitSlots: 0,
      },
      {
        id: 'lut_deactivate',
        kind: 'lookup_table_deactivate',
        dependsOn: ['launch'],
        optional: false,
        refresh: 'blockhash',
        waitSlots: 0,
      },
      {
        id: 'lut_close',
        kind: 'lookup_table_close',
        dependsOn: ['lut_deactivate'],
        optional: true,
        refresh: 'blockhash',
        waitSlots: 513,
      },
    ]);
  });

  it('is read in the encoding the profile names and never guessed', () => {
    const stages = bundle(all, { encoding: 'base58' }, base58).stages;
    expect(stages[0]?.transaction).toBe(base64('LUT_SETUP'));
    refuses(() => bundle(all, { encoding: 'base58' }), /base58/);
  });

  it.each([
    ['six transactions', [...all, 'LAUNCH']],
    ['two launches', ['LAUNCH', 'LAUNCH']],
    ['no launch', ['LUT_SETUP', 'CREATE_TOKEN']],
    ['an unknown type', ['LAUNCH', 'DRAIN']],
    ['the launch before the token', ['LUT_SETUP', 'LAUNCH', 'CREATE_TOKEN']],
    ['the deactivation before the launch', ['LUT_DEACTIVATE', 'LAUNCH']],
    ['a close without a deactivation', ['LAUNCH', 'LUT_CLOSE']],
  ])('with %s is refused (B70)', (_, types) => refuses(() => bundle(types), /./));

  it('for another token than asked is refused', () => {
    const answer = bundleAnswer(all);
    answer.launch.tokenMint = CLAIMER;
    refuses(() => plan('dammLaunch', launchRequest, answer), /another token/);
  });
});

describe('the other endpoints', () => {
  it.each([
    [
      'tradeSwap',
      { requestId: 'q', userPublicKey: WALLET },
      { swapTransaction: base64('x') },
      'swap',
      ['swap'],
    ],
    [
      'claimVault',
      { wallet: WALLET, kind: 'partner', quoteMint: MINT },
      { transaction: base64('x') },
      'vault_claim',
      ['claim'],
    ],
    ['curveLaunch', { wallet: WALLET, tokenMint: MINT }, base64('x'), 'launch', ['launch']],
    [
      'createLaunchConfig',
      { launchWallet: WALLET },
      { tx: base64('x'), configKey: MINT },
      'config',
      ['config'],
    ],
    ['legacyFeeShareConfig', { payer: WALLET }, { tx: base64('x'), configKey: MINT }, 'config', ['config']],
    [
      'deployerClaimTxs',
      { wallet: WALLET },
      { transactions: [{ transaction: base64('x') }, { transaction: base64('y') }] },
      'deployer_claim',
      ['claim', 'claim'],
    ],
    [
      'updateFeeShareConfig',
      { baseMint: MINT, payer: WALLET },
      wirePlan([wireStage('u', { kind: 'manager_update' })], {
        operation: { kind: 'manager_update', baseMint: MINT, flow: 'dbc' },
      }),
      'manager_update',
      ['manager_update'],
    ],
    [
      'dammLaunchV2',
      { tokenMint: MINT, wallet: WALLET },
      wirePlan([wireStage('l', { kind: 'launch' })], {
        operation: { kind: 'launch', baseMint: MINT, flow: 'damm_v2_direct' },
      }),
      'launch',
      ['launch'],
    ],
    [
      'curveLaunchV2',
      { tokenMint: MINT, wallet: WALLET },
      wirePlan([wireStage('l', { kind: 'launch' })], {
        operation: { kind: 'launch', baseMint: MINT, flow: 'dbc' },
      }),
      'launch',
      ['launch'],
    ],
    [
      'claimTxs',
      { tokenMint: MINT, feeClaimer: WALLET },
      wirePlan([wireStage('c', { kind: 'claim' })], {
        operation: { kind: 'position_claim', baseMint: MINT, wallet: WALLET },
      }),
      'position_claim',
      ['claim'],
    ],
    [
      'claimTxs',
      { tokenMint: MINT, feeClaimer: WALLET, source: { kind: 'holding' } },
      wirePlan([wireStage('c', { kind: 'claim' })], {
        operation: { kind: 'holding_claim', baseMint: MINT, wallet: WALLET, authority: CLAIMER },
      }),
      'holding_claim',
      ['claim'],
    ],
  ])('%s becomes a plan', (endpoint, request, answer, operation, kinds) => {
    const made = plan(endpoint, request, answer);
    expect(made.operation).toBe(operation);
    expect(made.wallet).toBe(WALLET);
    expect(made.stages.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('deployer claims come one after the other', () => {
    const answer = { transactions: [{ transaction: base64('x') }, { transaction: base64('y') }] };
    expect(plan('deployerClaimTxs', { wallet: WALLET }, answer).stages[1]?.dependsOn).toEqual(['claim-1']);
  });

  it('have nothing to sign when they say so', () => {
    expect(read('deployerClaimTxs', { wallet: WALLET }, { transactions: [] })).toBeNull();
    expect(read('createLaunchConfig', { launchWallet: WALLET }, { tx: null, configKey: MINT })).toBeNull();
  });

  it('that return no transactions are no source of plans', () => {
    refuses(() => read('tradeQuote', {}, {}), /does not answer/);
    refuses(() => read('constructor', {}, {}), /does not answer/);
  });
});

describe('a plan asked for again', () => {
  const first = config(wirePlan([wireStage('config-1'), wireStage('config-2', { dependsOn: ['config-1'] })]));
  const again = (stages: unknown[], landed: string[]) =>
    plan('feeShareConfig', configRequest, configAnswer(wirePlan(stages)), {
      now: 2000,
      previous: { plan: first, landed: new Set(landed) },
    });
  const fresh = (id: string, more = {}) =>
    wireStage(id, { transaction: base64(id, testAddress('later')), ...more });

  it('keeps its id and its intent key and counts its revisions', () => {
    const next = again([fresh('config-1'), fresh('config-2', { dependsOn: ['config-1'] })], []);
    expect(next).toMatchObject({
      planId: first.planId,
      intentKey: first.intentKey,
      revision: 1,
      createdAt: 1000,
    });
  });

  it('keeps what landed and does not take the same stage with a new blockhash for a new one (F21)', () => {
    const next = again([fresh('config-1'), fresh('config-2', { dependsOn: ['config-1'] })], ['config-1']);
    expect(next.stages.map(({ id, transaction }) => [id, transaction])).toEqual([
      ['config-1', base64('config-1')],
      ['config-2', base64('config-2', testAddress('later'))],
    ]);
  });

  it('may leave out what landed and still depend on it', () => {
    const next = again([fresh('config-2', { dependsOn: ['config-1'] })], ['config-1']);
    expect(next.stages.map(({ id }) => id)).toEqual(['config-1', 'config-2']);
  });

  it('gives something new under a used id an id of its own', () => {
    const other = wireStage('config-1', { transaction: base64('something else') });
    const next = again([other, fresh('x', { dependsOn: ['config-1'] })], ['config-1']);
    expect(next.stages.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['config-1', []],
      ['config-1#r1', []],
      ['x', ['config-1#r1']],
    ]);
  });

  it('for another request is refused', () => {
    const make = () =>
      plan(
        'feeShareConfig',
        { ...configRequest, basisPointsArray: [1] },
        configAnswer(wirePlan([wireStage('a')])),
        {
          previous: { plan: first, landed: new Set() },
        },
      );
    refuses(make, /another request/);
  });
});
