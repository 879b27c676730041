/** Display of results: text beside structure, warnings about bad terms, and fields omitted from short rows. */
import { describe, expect, test } from 'vitest';
import { MINT, validRequests, WALLET } from '../contract/validRequests.ts';
import { ONLY_WALLET, planView, run, toolNamed, world } from './world.ts';

const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const trade = (id: string, timestamp: number) => ({
  id,
  kind: 'buy',
  venue: 'curve',
  account: TOKEN,
  tokenWei: '1',
  blockNumber: 1,
  timestamp,
  txHash: '0xabc',
  logIndex: 0,
});
const page = (trades: object[], nextBeforeTs: number | null = null, nextBeforeId: string | null = null) => ({
  trades,
  version: 'v1',
  quote: { address: TOKEN, symbol: 'ETH', decimals: 18, isNative: true },
  nextBeforeTs,
  nextBeforeId,
});

describe('the text and the structure of a result', () => {
  const leaves = (value: unknown): unknown[] =>
    typeof value !== 'object' || value === null ? [value] : Object.values(value).flatMap(leaves);

  test.each([
    [
      'list_claim_events',
      { tokenMint: ONLY_WALLET },
      { events: [{ wallet: ONLY_WALLET, amount: '77', timestamp: 5, isCreator: true }] },
    ],
    [
      'list_claimable_positions',
      {},
      {
        items: [
          {
            tokenMint: ONLY_WALLET,
            source: { kind: 'holding', authority: ONLY_WALLET },
            claimableAmountRaw: '7',
            basisPoints: 60,
          },
        ],
        complete: true,
      },
    ],
    [
      'get_launch_creators',
      validRequests.launchCreators,
      [{ wallet: ONLY_WALLET, royaltyBps: 9, provider: 'kick', providerUsername: 'ann' }],
    ],
    [
      'get_launch_feed',
      { detail: true },
      [{ tokenMint: ONLY_WALLET, symbol: 'ANN', description: 'plain', status: 'PRE_GRAD' }],
    ],
    [
      'resolve_fee_share_wallet',
      { provider: 'kick', username: '@Ann' },
      { wallet: ONLY_WALLET, platformData: { username: 'ann', display_name: 'Ann' } },
    ],
    [
      'get_evm_creator_earnings',
      { tokenAddress: TOKEN, user: TOKEN },
      { token: TOKEN, user: TOKEN, claimedWei: '25', userBps: 7, quote: { symbol: 'USD', decimals: 1 } },
    ],
    [
      'get_evm_creator_roster',
      { tokenAddress: TOKEN },
      {
        token: TOKEN,
        recipients: [{ address: TOKEN, bps: 3, claimableWei: '31' }],
        quote: { symbol: 'USD', decimals: 1 },
      },
    ],
    ['list_evm_trades', { tokenAddress: TOKEN }, page([trade('a', 5)], 5, 'a')],
    ['list_evm_trades', { tokenAddress: TOKEN, totals: true }, page([trade('a', 5)])],
    [
      'list_evm_token_creations',
      {},
      { items: [{ address: TOKEN, symbol: 'ANN', createdAtTimestamp: 4, quote: { symbol: 'USD' } }] },
    ],
    [
      'list_incorporations',
      {},
      [
        {
          tokenAddress: ONLY_WALLET,
          category: 'MEME',
          founders: [{ kycStatus: 'PENDING', shareBasisPoint: 9000 }],
        },
      ],
    ],
    [
      'list_supported_quote_tokens',
      { launch: 'custody' },
      {
        tokens: [
          { mint: ONLY_WALLET, tokenProgram: ONLY_WALLET, symbol: 'USD', decimals: 6, profileEligible: true },
        ],
      },
    ],
    [
      'get_swap_quote',
      { inputMint: 'So11111111111111111111111111111111111111112', outputMint: ONLY_WALLET, amount: '10' },
      {
        requestId: 'q1',
        inputMint: 'So11111111111111111111111111111111111111112',
        outputMint: ONLY_WALLET,
        inAmount: '10',
        outAmount: '9',
        minOutAmount: '8',
        slippageBps: 50,
      },
    ],
  ])('%s states in its text everything in its structure', async (name, given, answer) => {
    const { context } = await world(answer);
    const result = await run(name, given, context);
    const text = toolNamed(name).text(result).replaceAll('\\', '');
    const { untrusted: _, notes: __, note: ___, ...structured } = result;
    const missing = leaves(structured).filter((leaf) => leaf !== null && !text.includes(String(leaf)));
    expect(missing, text).toEqual([]);
  });
});

describe.each(['get_swap_quote', 'create_swap'])('%s warns of a trade on bad terms', (name) => {
  const quoted = async (terms: object) => {
    const quote = {
      requestId: 'q',
      inputMint: 'a',
      outputMint: 'b',
      inAmount: '10',
      outAmount: '9',
      ...terms,
    };
    const swap = {
      swapTransaction: 'AA==',
      lastValidBlockHeight: 1,
      feeMint: 'a',
      feeSide: 'input',
      feeLamports: '1',
    };
    const { context } = await world({ ...quote, ...swap });
    const { inputMint, outputMint, amount } = validRequests.tradeQuote;
    const given = name === 'create_swap' ? { requestId: 'q' } : { inputMint, outputMint, amount };
    const result = await run(name, given, context);
    const warnings = (result.warnings ?? []) as string[];
    const text = toolNamed(name).text(result);
    for (const warning of warnings) expect(text).toContain(warning);
    return { warnings, priceImpact: result.priceImpact };
  };

  test.each([
    ['12.5', '12.5%'],
    ['0.2', '20%'],
    [0.048308, '4.84%'],
    ['0.03', '3%'],
    [1, '100%'],
    ['-0.5', '50%'],
    ['3', '3%'],
  ])('C-TRADE-08 a stated impact of %s is %s, with a warning', async (priceImpactPct, shown) => {
    const { warnings, priceImpact } = await quoted({ priceImpactPct });
    expect(warnings).toEqual([expect.stringContaining(shown)]);
    if (name === 'get_swap_quote') expect(priceImpact).toBe(shown);
  });

  test('and not for one below 3 %, or one that is not stated', async () => {
    for (const priceImpactPct of ['0.0299', '0', '2.9', null, 'much'])
      expect((await quoted({ priceImpactPct })).warnings).toEqual([]);
  });

  test('for slippage above 10 %', async () => {
    expect((await quoted({ slippageBps: 5000 })).warnings).toEqual([expect.stringContaining('50%')]);
    expect((await quoted({ slippageBps: 1000 })).warnings).toEqual([]);
  });
});

describe('detail shows what a short row omits', () => {
  const vault = {
    ...{ kind: 'partner', wallet: ONLY_WALLET, quoteMint: MINT, claimableAmountRaw: '5' },
    ...{ vaultAta: WALLET, claimableAmount: '5', claimableDisplayAmount: 5, asset: { mint: MINT } },
  };
  test.each([
    [
      'list_vault_claimables',
      {},
      { vaults: [vault] },
      'vaults',
      ['vaultAta', 'claimableAmount', 'claimableDisplayAmount', 'asset'],
    ],
    [
      'get_launch_creators',
      { tokenMint: MINT },
      [{ wallet: WALLET, pfp: 'https://x.y/z.png' }],
      'creators',
      ['pfp'],
    ],
  ] as const)('of %s', async (tool, args, answer, list, names) => {
    const { context } = await world(answer);
    const rows = async (more: object) => Object(await run(tool, { ...args, ...more }, context))[list];
    for (const name of names) {
      expect((await rows({}))[0]).not.toHaveProperty(name);
      expect((await rows({ detail: true }))[0]).toHaveProperty(name);
    }
  });

  test("of a plan: the service's statements, sanitized and marked as such", async () => {
    const { context } = await world({});
    const stated = async () => ({ contractVersion: 1, asset: { mint: MINT, name: 'a\u202eb' } });
    const plans = { ...context.plans, get: async () => planView, stated };
    const getPlan = (args: object) => run('get_plan', { planId: 'plan-1', ...args }, { ...context, plans });
    expect(await getPlan({})).not.toHaveProperty('stated');
    expect(await getPlan({ detail: true })).toMatchObject({ stated: { asset: { name: 'ab' } } });
  });
});
