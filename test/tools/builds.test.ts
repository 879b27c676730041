/** Build tools: requests sent, plans opened, and fields shown. */
import { describe, expect, test } from 'vitest';
import { IPFS, MINT, QUOTE, validRequests, WALLET, walletNamed } from '../contract/validRequests.ts';
import { ONLY_WALLET, run, toolNamed, world } from './world.ts';

const CONFIG = walletNamed('config');
const wirePlan = { contractVersion: 1, transactions: [{ id: 'a', transaction: 'c2VjcmV0LWJ5dGVz' }] };
const without = (request: object, field: string) =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== field));

describe.each([
  ['create_damm_launch', 'dammLaunch', 'wallet', { transactions: [], launch: { pool: QUOTE } }],
  ['create_fee_share_damm_launch', 'dammLaunchV2', 'wallet', wirePlan],
  [
    'create_fee_share_config',
    'feeShareConfig',
    'payer',
    {
      contractVersion: 1,
      needsCreation: true,
      feeShareConfig: CONFIG,
      feeShareAuthority: MINT,
      plan: wirePlan,
    },
  ],
  ['update_fee_share_config', 'updateFeeShareConfig', 'payer', wirePlan],
  ['create_fee_claims', 'claimTxs', 'feeClaimer', wirePlan],
  ['create_vault_claim', 'claimVault', 'wallet', { transaction: 'c2VjcmV0LWJ5dGVz', claimable: null }],
  ['create_deployer_claims', 'deployerClaimTxs', 'wallet', { transactions: [], deferredClaims: [1, 2] }],
  [
    'create_swap',
    'tradeSwap',
    'userPublicKey',
    {
      swapTransaction: 'c2VjcmV0LWJ5dGVz',
      lastValidBlockHeight: 1,
      feeMint: QUOTE,
      feeSide: 'input',
      feeLamports: '7',
    },
  ],
] as const)('%s', (name, endpoint, walletField, answer) => {
  const request = validRequests[endpoint];

  test(`opens a plan for the request as sent, with ${walletField} defaulting to the only wallet`, async () => {
    const { context, opened } = await world(answer);
    const result = await run(name, without(request, walletField), context);
    expect(opened).toEqual([
      { endpoint, request: { ...request, [walletField]: ONLY_WALLET }, answer: expect.anything() },
    ]);
    expect(result.plan).toMatchObject({ planId: 'plan-1', status: 'ready' });
  });

  test('keeps a named wallet', async () => {
    const other = walletNamed('another wallet');
    const { context, opened } = await world(answer);
    await run(name, { ...request, [walletField]: other }, context);
    expect(opened[0]?.request).toMatchObject({ [walletField]: other });
  });

  test('shows no transaction string and no plan object of the service', async () => {
    const { context } = await world(answer);
    const result = await run(name, request, context);
    const shown = JSON.stringify(result) + toolNamed(name).text(result);
    expect(shown).not.toContain('c2VjcmV0LWJ5dGVz');
    expect(result).not.toHaveProperty('transactions');
  });
});

test('create_fee_share_config shows the fields of its endpoint', async () => {
  const { context } = await world({
    contractVersion: 1,
    needsCreation: true,
    feeShareConfig: CONFIG,
    feeShareAuthority: MINT,
    flow: 'dbc',
    venueConfigKey: QUOTE,
    plan: wirePlan,
  });
  const result = await run('create_fee_share_config', validRequests.feeShareConfig, context);
  expect(result).toMatchObject({ needsCreation: true, feeShareConfig: CONFIG, venueConfigKey: QUOTE });
});

describe('create_curve_launch', () => {
  const base = { ipfs: IPFS, tokenMint: MINT, configKey: walletNamed('venue') };

  test('uses the older endpoint for SOL quotes, with SOL named or not', async () => {
    const { context, opened, requests } = await world('c2VjcmV0LWJ5dGVz');
    await run('create_curve_launch', base, context);
    await run(
      'create_curve_launch',
      { ...base, quoteMint: 'So11111111111111111111111111111111111111112', initialBuyLamports: 5 },
      context,
    );
    expect(opened.map((each) => each.endpoint)).toEqual(['curveLaunch', 'curveLaunch']);
    expect(opened.map((each) => each.request)).toEqual([
      { ...base, wallet: ONLY_WALLET, initialBuyLamports: 0 },
      { ...base, wallet: ONLY_WALLET, initialBuyLamports: 5 },
    ]);
    expect(requests[0]?.url).toContain('create-launch-transaction');
  });

  test('uses v2 for a custom quote, with the config', async () => {
    const { context, opened, requests } = await world(wirePlan);
    const custom = { ...base, quoteMint: QUOTE, feeShareConfig: CONFIG, initialBuyQuoteRaw: '5' };
    await run('create_curve_launch', custom, context);
    expect(opened).toMatchObject([{ endpoint: 'curveLaunchV2', request: { ...custom, wallet: WALLET } }]);
    expect(requests[0]?.url).toMatch(/create-transaction\/v2$/);
  });

  test.each([
    [{ quoteMint: QUOTE }, /feeShareConfig/],
    [{ quoteMint: QUOTE, feeShareConfig: CONFIG, initialBuyLamports: 1 }, /initialBuyQuoteRaw/],
    [{ initialBuyQuoteRaw: '5' }, /initialBuyLamports/],
    [{ transactionFormat: 'v1' }, /transactionFormat/],
  ])('refuses %j by name and sends nothing', async (more, what) => {
    const { context, requests } = await world(wirePlan);
    await expect(run('create_curve_launch', { ...base, ...more }, context)).rejects.toThrow(what);
    expect(requests).toEqual([]);
  });
});

test('get_swap_quote stores the quote with its request', async () => {
  const quote = { requestId: 'q-1', inputMint: MINT, outputMint: QUOTE, inAmount: '10', outAmount: '9' };
  const { context, quotes } = await world(quote);
  const request = { inputMint: MINT, outputMint: QUOTE, amount: '10' };
  expect(await run('get_swap_quote', request, context)).toMatchObject({ requestId: 'q-1', outAmount: '9' });
  expect(quotes).toEqual([{ requestId: 'q-1', request: { ...request, taker: ONLY_WALLET } }]);
});

test('create_token_info sends a local image that the image port accepted', async () => {
  const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
  const calls: string[] = [];
  const { context, requests } = await world(
    { tokenMint: MINT, tokenMetadata: IPFS, tokenLaunch: { name: 'N\u200b', status: 'PRE_LAUNCH' } },
    {
      images: {
        read: async (path) => {
          calls.push(path);
          return { bytes, type: 'image/png', name: 'a.png' };
        },
      },
    },
  );
  const result = await run(
    'create_token_info',
    { name: 'N', symbol: 'S', description: 'd', image: 'a.png' },
    context,
  );
  expect(calls).toEqual(['a.png']);
  expect(requests[0]?.body.includes(Buffer.from(bytes))).toBe(true);
  expect(result).toMatchObject({ tokenMint: MINT, tokenLaunch: { name: 'N' } });
});

test('create_token_info asks to register again if the service keeps another name, under which a launch would be refused', async () => {
  const given = { name: 'Moon', symbol: 'moon', description: 'd', imageUrl: 'https://example.com/a.png' };
  const next = async (tokenLaunch: object | undefined) => {
    const { context } = await world({ tokenMint: MINT, tokenMetadata: IPFS, tokenLaunch });
    return String((await run('create_token_info', given, context)).next);
  };
  for (const other of [
    { name: 'Moon', symbol: 'MOON' },
    { name: 'Moon ', symbol: 'moon' },
  ])
    expect(await next(other)).toMatch(/^create_token_info again\. The service keeps another name/);
  for (const same of [{ name: 'Moon', symbol: 'moon' }, { status: 'PRE_LAUNCH' }, undefined])
    expect(await next(same)).toMatch(/^create_fee_share_config/);
});

test('create_token_info requires one picture or prepared metadata', async () => {
  const { context, requests } = await world({});
  const base = { name: 'N', symbol: 'S', description: 'd' };
  await expect(run('create_token_info', base, context)).rejects.toThrow(/imageUrl/);
  await expect(
    run('create_token_info', { ...base, image: 'a.png', imageUrl: 'https://example.com/a.png' }, context),
  ).rejects.toThrow(/not both/);
  expect(requests).toEqual([]);
});

test('submit_plan waits 45 seconds by default, since clients time out at 60', async () => {
  const waits: number[] = [];
  const { context } = await world({});
  const plans = {
    ...context.plans,
    submit: async (_: string, seconds: number) => {
      waits.push(seconds);
      return context.plans.get('');
    },
  };
  await run('submit_plan', { planId: 'plan-1' }, { ...context, plans });
  await run('submit_plan', { planId: 'plan-1', waitSeconds: 0 }, { ...context, plans });
  expect(waits).toEqual([45, 0]);
});

test('C-INCORP-01 a token that is not launched yet can be incorporated: the contract has no such rule', async () => {
  const place = await world({ tokenAddress: MINT, incorporationStarted: true });
  const { tokens } = place.context;
  const context = { ...place.context, tokens: { ...tokens, ownerOf: async () => undefined } };
  const input = toolNamed('start_incorporation').input.parse({ tokenAddress: MINT });
  expect(await toolNamed('start_incorporation').run(input, context)).toMatchObject({
    incorporationStarted: true,
  });
  expect(place.requests).toHaveLength(1);
});
