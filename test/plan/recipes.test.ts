/** The stages of every endpoint that answers with transactions. */
import { describe, expect, it } from 'vitest';
import type { PlanInput } from '../../src/plan/fromAnswer.ts';
import {
  base58,
  base64,
  bundleAnswer,
  CLAIMER,
  launchRequest,
  MINT,
  WALLET,
  wirePlan,
  wireStage,
} from './answers.ts';
import { plan, read, refuses } from './made.ts';

describe('a custody bundle', () => {
  const all = ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH', 'LUT_DEACTIVATE', 'LUT_CLOSE'];
  const bundle = (types: readonly string[], more: Partial<PlanInput> = {}, encode = base64) =>
    plan('dammLaunch', launchRequest, bundleAnswer(types, encode), more);

  it('is ordered by the contract: setup and token first, then the launch, then the table deactivation', () => {
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

  it("is decoded in the profile's encoding, never guessed", () => {
    const stages = bundle(all, { encoding: 'base58' }, base58).stages;
    expect(stages[0]?.transaction.text).toBe(base64('LUT_SETUP'));
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

  it('for another token than requested is refused', () => {
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

  it('sequence deployer claims one after the other', () => {
    const answer = { transactions: [{ transaction: base64('x') }, { transaction: base64('y') }] };
    expect(plan('deployerClaimTxs', { wallet: WALLET }, answer).stages[1]?.dependsOn).toEqual(['claim-1']);
  });

  it('have nothing to sign if the answer states so', () => {
    expect(read('deployerClaimTxs', { wallet: WALLET }, { transactions: [] })).toBeNull();
  });

  it('without transactions produce no plans', () => {
    refuses(() => read('tradeQuote', {}, {}), /does not answer/);
    refuses(() => read('constructor', {}, {}), /does not answer/);
  });
});
