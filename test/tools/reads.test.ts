/** Read tools: external text, pages that violate the contract, personal data. */
import { describe, expect, test } from 'vitest';
import { validRequests } from '../contract/validRequests.ts';
import { ONLY_WALLET, run, toolNamed, world } from './world.ts';

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

describe('list_evm_trades', () => {
  test('sends the address in EIP-55 form whatever its casing', async () => {
    const { context, requests } = await world(page([]));
    await run('list_evm_trades', { tokenAddress: `0X${TOKEN.slice(2).toUpperCase()}` }, context);
    expect(requests[0]?.url).toContain(`tokenAddress=${TOKEN}`);
  });

  test('B45 beforeTs alone is accepted and states which trades it omits; beforeId alone is refused', async () => {
    const { context } = await world(page([]));
    const result = await run('list_evm_trades', { tokenAddress: TOKEN, beforeTs: 1_700_000_000 }, context);
    expect(result.notes).toEqual([expect.stringContaining('strictly older')]);
    await expect(run('list_evm_trades', { tokenAddress: TOKEN, beforeId: 'x' }, context)).rejects.toThrow(
      /beforeTs/,
    );
  });

  test('B47 a repeating cursor ends the paging and is flagged', async () => {
    const { context } = await world(page([trade('a', 5)], 10, 'x'));
    const result = await run(
      'list_evm_trades',
      { tokenAddress: TOKEN, beforeTs: 10, beforeId: 'x' },
      context,
    );
    expect(result).toMatchObject({ nextBeforeTs: null, nextBeforeId: null });
    expect(result.contractViolations).toEqual([expect.stringContaining('paging stops here')]);
    expect(toolNamed('list_evm_trades').text(result)).toMatch(/^nextBeforeTs null/);
  });

  test('B48 a page with too many or unsorted trades is shown and flagged', async () => {
    const { context } = await world(page([trade('a', 5), trade('b', 9), trade('c', 1)]));
    const result = await run('list_evm_trades', { tokenAddress: TOKEN, limit: 2 }, context);
    expect(result.trades).toHaveLength(3);
    expect(result.contractViolations).toEqual([
      expect.stringContaining('more than 2'),
      expect.stringContaining('newest first'),
    ]);
  });

  test('B50 the zero address is accepted and noted', async () => {
    const { context } = await world(page([]));
    const result = await run('list_evm_trades', { tokenAddress: `0x${'0'.repeat(40)}` }, context);
    expect(result.notes).toEqual([expect.stringContaining('zero address')]);
  });

  test('a valid page has no flags', async () => {
    const { context } = await world(page([trade('b', 9), trade('a', 5)], 5, 'a'));
    const result = await run('list_evm_trades', { tokenAddress: TOKEN }, context);
    expect(result).not.toHaveProperty('contractViolations');
    expect(result).not.toHaveProperty('notes');
    expect(result).toMatchObject({ nextBeforeTs: 5, nextBeforeId: 'a' });
  });
});

test('B53 earnings with equal user and token are a plain read', async () => {
  const { context, requests } = await world({ token: TOKEN, user: TOKEN, claimableWei: '0' });
  const low = TOKEN.toLowerCase();
  const result = await run('get_evm_creator_earnings', { tokenAddress: low, user: low }, context);
  expect(result).toMatchObject({ token: TOKEN, user: TOKEN });
  expect(requests[0]?.url).toContain(`user=${TOKEN}`);
});

test('B48 token creations out of order or older than requested are shown and flagged', async () => {
  const item = (createdAtTimestamp: number) => ({ address: TOKEN, createdAtTimestamp });
  const { context } = await world({ items: [item(50), item(80), item(10)] });
  const result = await run('list_evm_token_creations', { limit: 5, sinceTs: 40 }, context);
  expect(result.items).toHaveLength(3);
  expect(result.contractViolations).toEqual([
    expect.stringContaining('newest first'),
    expect.stringContaining('older than sinceTs'),
  ]);
});

describe('get_launch_feed', () => {
  const tokenMint = validRequests.launchCreators.tokenMint;

  test('B55 invisible characters and escapes are removed, long text is truncated, and the result says so', async () => {
    const { context } = await world([
      {
        tokenMint,
        name: `\u001b[31mred\u200b\u{E0041}`,
        symbol: 'A'.repeat(40),
        description: 'd'.repeat(1000),
      },
    ]);
    const result = await run('get_launch_feed', { detail: true }, context);
    expect(result.launches).toEqual([
      expect.objectContaining({ name: 'red', symbol: 'A'.repeat(16), description: 'd'.repeat(280) }),
    ]);
    expect(result.untrusted).toMatchObject({
      fields: expect.arrayContaining(['name', 'symbol', 'description']),
      changed: expect.arrayContaining([
        { path: 'launches[0].name', removed: expect.any(Number) },
        { path: 'launches[0].symbol', cut: true },
        { path: 'launches[0].description', cut: true },
      ]),
    });
  });

  test('B56 a data: image of megabytes is dropped and flagged, not truncated', async () => {
    const { context } = await world([{ tokenMint, image: `data:image/png;base64,${'A'.repeat(2_000_000)}` }]);
    const result = await run('get_launch_feed', { detail: true }, context);
    expect(result.launches).toEqual([{ tokenMint, image: null }]);
    expect(result.untrusted).toMatchObject({ changed: [{ path: 'launches[0].image', dropped: 'data' }] });
  });

  test('T56 a name made of Markdown becomes neither link nor image in the text block', async () => {
    const name = '![x](https://evil.example/p.png) <b>`rm`</b>';
    const { context } = await world([{ tokenMint, name }]);
    const result = await run('get_launch_feed', {}, context);
    const text = toolNamed('get_launch_feed').text(result);
    expect(text).not.toMatch(/(?<!\\)[[\]()<>`!]/);
    expect(text).not.toContain('://');
    expect(result.launches).toEqual([{ tokenMint, name }]);
  });

  test('T56 many changed fields are listed up to a number and counted beyond it', async () => {
    const rows = Array.from({ length: 60 }, () => ({ tokenMint, name: 'a\u200bb' }));
    const { context } = await world(rows);
    const { untrusted } = await run('get_launch_feed', { limit: 60 }, context);
    expect(untrusted).toMatchObject({ more: 20 });
  });
});

test('C-CREATOR-01 C-CREATOR-02 C-CREATOR-03 get_launch_creators prefers providerUsername, then username, and states what the roster omits', async () => {
  const row = (more: object) => ({ wallet: ONLY_WALLET, royaltyBps: 1, ...more });
  const { context } = await world([
    row({ providerUsername: 'shown', username: 'internal' }),
    row({ providerUsername: '', username: 'internal' }),
    row({}),
  ]);
  const result = await run('get_launch_creators', validRequests.launchCreators, context);
  expect(result.creators).toMatchObject([
    { displayName: 'shown' },
    { displayName: 'internal' },
    { displayName: null },
  ]);
  expect(result.note).toMatch(/deployer entitlement/);
});

test('B54 a vault with conflicting amounts is flagged and keeps its raw amount', async () => {
  const vault = (claimableDisplayAmount: number) => ({
    kind: 'partner',
    wallet: ONLY_WALLET,
    quoteMint: ONLY_WALLET,
    quoteDecimals: 6,
    claimableAmountRaw: '1500000',
    claimableDisplayAmount,
  });
  const { context, requests } = await world({ vaults: [vault(1.5), vault(9)] });
  const result = await run('list_vault_claimables', {}, context);
  expect(requests[0]?.url).toContain(`wallet=${ONLY_WALLET}`);
  expect(result.vaults).toMatchObject([
    { claimableAmountRaw: '1500000', amountsDisagree: false },
    { claimableAmountRaw: '1500000', amountsDisagree: true },
  ]);
  expect(result.contractViolations).toEqual([expect.stringContaining('claimableAmountRaw counts')]);
});

test('C-CLAIM-05 an unknown amount stays null', async () => {
  const { context } = await world({
    items: [{ tokenMint: ONLY_WALLET, claimableAmount: null }],
    complete: false,
  });
  const result = await run('list_claimable_positions', {}, context);
  expect(result.items).toEqual([{ tokenMint: ONLY_WALLET, claimableAmount: null }]);
  expect(toolNamed('list_claimable_positions').text(result)).toContain('not complete');
});

describe('B58 list_incorporations', () => {
  const project = {
    tokenAddress: ONLY_WALLET,
    incorporationStatus: 'STARTED',
    founders: [
      {
        id: 'f-1',
        firstName: 'Ada',
        lastName: 'Byron',
        kycStatus: 'PENDING',
        passport: 'X1',
        shareBasisPoint: 10,
      },
    ],
  };

  test('hides identifying fields of founders, unknown fields included', async () => {
    const { context } = await world([project]);
    const result = await run('list_incorporations', {}, context);
    const shown = JSON.stringify(result) + toolNamed('list_incorporations').text(result);
    expect(shown).not.toMatch(/Ada|Byron|f-1|X1/);
    expect(result.projects).toMatchObject([{ founders: [{ kycStatus: 'PENDING', shareBasisPoint: 10 }] }]);
    expect(result.hidden).toEqual(['founders.id', 'founders.firstName', 'founders.lastName']);
  });

  test('shows names of founders if the call asks for them', async () => {
    const { context } = await world([project]);
    const result = await run('list_incorporations', { includePersonalData: true }, context);
    expect(result.projects).toMatchObject([{ founders: [{ firstName: 'Ada', id: 'f-1' }] }]);
    expect(result).not.toHaveProperty('hidden');
  });
});

test('C-WALLET-04 resolve_fee_share_wallet asks for Solana only, since an EVM lookup would create a wallet', async () => {
  const { context, requests } = await world({ provider: 'twitter', wallet: ONLY_WALLET, chain: 'SOL' });
  await run('resolve_fee_share_wallet', { provider: 'twitter', username: 'ada' }, context);
  expect(requests[0]?.url).toContain('chain=SOL');
  await expect(
    run('resolve_fee_share_wallet', { provider: 'twitter', username: 'x', chain: 'EVM' }, context),
  ).rejects.toThrow(/chain/);
});

test.each([
  ['custody', '/damm-v2/supported-quote-tokens', ''],
  ['dbc', '/token-launch/supported-quote-tokens', '?flow=dbc'],
  ['damm_v2_direct', '/token-launch/supported-quote-tokens', '?flow=damm_v2_direct'],
])('list_supported_quote_tokens for %s asks %s', async (launch, path, query) => {
  const { context, requests } = await world({ tokens: [{ mint: ONLY_WALLET, tokenProgram: ONLY_WALLET }] });
  const result = await run('list_supported_quote_tokens', { launch }, context);
  const url = new URL(requests[0]?.url ?? '', 'http://service');
  expect(url.pathname.endsWith(path)).toBe(true);
  expect(url.search).toBe(query);
  expect(Array.isArray(result.configTypes)).toBe(launch === 'dbc');
});

describe('B62 list_claim_events', () => {
  const tokenMint = ONLY_WALLET;

  test('names the offset of the next page while pages are full', async () => {
    const events = Array.from({ length: 2 }, () => ({ wallet: ONLY_WALLET, amount: '1' }));
    const { context } = await world({ events });
    expect(await run('list_claim_events', { tokenMint, limit: 2, offset: 4 }, context)).toMatchObject({
      nextOffset: 6,
    });
    expect(await run('list_claim_events', { tokenMint, limit: 3 }, context)).toMatchObject({
      nextOffset: null,
    });
  });

  test('refuses mixed modes by name', async () => {
    const { context, requests } = await world({ events: [] });
    await expect(run('list_claim_events', { tokenMint, mode: 'time' }, context)).rejects.toThrow(/from/);
    await expect(run('list_claim_events', { tokenMint, from: 1 }, context)).rejects.toThrow(/mode/);
    expect(requests).toEqual([]);
  });
});
