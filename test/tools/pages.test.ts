/** Lists of any length: each answer is bounded, and a reader of either form reaches every row once. */
import { describe, expect, test } from 'vitest';
import type { DecisionFilter } from '../../src/ledger/types.ts';
import { MAX_TEXT_BYTES } from '../../src/server/render.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { sampleDecision } from '../ledger/samples.ts';
import type { SeenRequest } from '../service/localServer.ts';
import { ONLY_WALLET, planView, run, toolNamed, world } from './world.ts';

const ROWS = 10_000;
const MINT = ONLY_WALLET;
const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const many = (row: (index: number) => object) => Array.from({ length: ROWS }, (_, index) => row(index));

/** Lists a service answers whole, with a number in each row by which it is found again. */
const LISTS: readonly (readonly [tool: string, args: object, rows: string, id: string, payload: unknown])[] =
  [
    ['get_launch_feed', {}, 'launches', 'name', many((i) => ({ tokenMint: MINT, name: `n${i}` }))],
    [
      'get_launch_feed',
      { detail: true },
      'launches',
      'name',
      many((i) => ({ tokenMint: MINT, name: `n${i}`, description: 'd'.repeat(280) })),
    ],
    [
      'get_launch_creators',
      { tokenMint: MINT },
      'creators',
      'username',
      many((i) => ({ username: `n${i}`, wallet: MINT, royaltyBps: 1, isCreator: false })),
    ],
    [
      'list_supported_quote_tokens',
      { launch: 'damm_v2_direct' },
      'tokens',
      'symbol',
      { tokens: many((i) => ({ mint: MINT, symbol: `n${i}`, decimals: 6 })) },
    ],
    [
      'list_claimable_positions',
      {},
      'items',
      'claimableAmountRaw',
      {
        items: many((i) => ({ tokenMint: MINT, quoteMint: MINT, claimableAmountRaw: `${i}` })),
        complete: true,
      },
    ],
    [
      'list_vault_claimables',
      {},
      'vaults',
      'claimableAmountRaw',
      {
        vaults: many((i) => ({ kind: 'partner', wallet: MINT, quoteMint: MINT, claimableAmountRaw: `${i}` })),
      },
    ],
    [
      'list_deployer_claimables',
      {},
      'claimables',
      'claimableAmountRaw',
      {
        positions: many((i) => ({ tokenMint: MINT, quoteMint: MINT, claimableAmountRaw: `${i}` })),
        vaults: [],
      },
    ],
    [
      'list_claim_events',
      { tokenMint: MINT, mode: 'time', from: 0, to: 9 },
      'events',
      'amount',
      { events: many((i) => ({ wallet: MINT, amount: `${i}` })) },
    ],
    [
      'get_evm_creator_roster',
      { tokenAddress: EVM },
      'recipients',
      'claimedWei',
      { token: EVM, recipients: many((i) => ({ address: EVM, bps: 1, claimedWei: `${i}` })) },
    ],
    [
      'list_incorporations',
      {},
      'projects',
      'category',
      many((i) => ({ tokenAddress: MINT, category: `n${i}`, founders: [{ kycStatus: 'x' }, {}] })),
    ],
    [
      'list_admin_tokens',
      {},
      'tokens',
      'tokenMint',
      { tokenMints: Array.from({ length: ROWS }, (_, i) => `n${i}`) },
    ],
    [
      'list_top_tokens',
      {},
      'tokens',
      'feesRaw',
      many((i) => ({ token: MINT, lifetimeFees: `${i}`, tokenInfo: { name: 'x'.repeat(60) } })),
    ],
  ];

const bounded = (name: string, result: Record<string, unknown>): string => {
  const text = toolNamed(name).text(result);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(2 * MAX_TEXT_BYTES);
  return text;
};

/** What a reader of the text alone finds: a cursor above the rows, and a value in each row. */
const cursorIn = (text: string, name: string) =>
  new RegExp(`(?:^|· )${name} (\\S+)`).exec(text.split('\n')[0] ?? '')?.[1];
const valuesIn = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^- .*\\b${name} "?(\\w+)`, 'gm'))].map(([, value = '']) => value);

describe.each(LISTS)('%s %j', (name, args, rows, id, payload) => {
  test('shows every row once over its pages, by text alone, and says how many follow', async () => {
    const { context } = await world(payload);
    const seen: string[] = [];
    let offset: string | undefined = '0';
    while (offset !== undefined && offset !== 'null') {
      const result = await run(name, { ...args, offset: Number(offset) }, context);
      const text = bounded(name, result);
      seen.push(...valuesIn(text, id));
      offset = cursorIn(text, 'nextOffset');
      const more = cursorIn(text, 'more');
      expect(Number(more ?? 0)).toBe(ROWS - seen.length);
      expect(Object(result)[rows]).toHaveLength(valuesIn(text, id).length);
    }
    expect(offset).toBe('null');
    expect(seen.length).toBe(ROWS);
    expect(new Set(seen).size).toBe(ROWS);
  });
});

describe('lists of this home', () => {
  /** Pages through a list by text alone; the first word of each row that `id` finds. */
  async function paged(name: string, cursor: string, given: string, id: RegExp, context: ToolContext) {
    const seen: string[] = [];
    for (let at: string | undefined; at !== 'null'; ) {
      const args = { limit: 100, ...(at === undefined ? {} : { [given]: Number(at) }) };
      const text = bounded(name, await run(name, args, context));
      seen.push(...[...text.matchAll(id)].map(([, found = '']) => found));
      at = cursorIn(text, cursor) ?? 'null';
      expect(Number(cursorIn(text, 'more') ?? 0)).toBe(ROWS - seen.length);
    }
    return seen;
  }
  const numbers = many((i) => ({ i })).map((_, index) => `${index}`);

  test('list_plans shows every plan once, and says how many follow', async () => {
    const all = numbers.map((i) => ({ ...planView, planId: `plan-${i}`, asked: 'x'.repeat(150) }));
    const { context } = await world({});
    const plans = {
      ...context.plans,
      list: async ({ limit, offset }: { limit: number; offset: number }) => all.slice(offset, offset + limit),
      count: async () => all.length,
    };
    const seen = await paged('list_plans', 'nextOffset', 'offset', /^- plan-(\d+)/gm, { ...context, plans });
    expect(seen).toEqual(numbers);
  });

  test('list_decisions shows every decision once, and says how many follow', async () => {
    const decision = sampleDecision({
      ...{ effect: 'deny', class: 'policy', reasonCodes: ['FROZEN'] },
      checks: [{ id: 'notFrozen', ok: false, code: 'FROZEN', observed: 'x'.repeat(400) }],
    });
    const rows = numbers.map((_, i) => ({
      ...{ sequence: ROWS - i, time: 0, planId: 'plan-1', stageId: 's', purpose: 'p', decision },
    }));
    const below = (before = Number.MAX_SAFE_INTEGER) => rows.filter(({ sequence }) => sequence < before);
    const decisions = {
      list: async ({ limit = 50, before }: DecisionFilter) => below(before).slice(0, limit),
      count: async ({ before }: DecisionFilter) => below(before).length,
    };
    const { context } = await world({}, { decisions: Object(decisions) });
    const seen = await paged('list_decisions', 'nextBefore', 'before', /^- #(\d+)/gm, context);
    expect(seen).toEqual(rows.map(({ sequence }) => `${sequence}`));
  });
});

describe('list_evm_trades', () => {
  const trades = Array.from({ length: 300 }, (_, index) => ({
    id: `trade-${index}-${'x'.repeat(60)}`,
    kind: 'buy',
    account: EVM,
    tokenWei: '1000000000000000000',
    priceEthPerToken: '1'.repeat(200),
    blockNumber: 1,
    // Three trades a second: a cut falls inside one.
    timestamp: 1_700_000_000 - Math.floor(index / 3),
    txHash: EVM,
    logIndex: index,
  }));
  const served = ({ url }: SeenRequest) => {
    const query = new URL(url, 'http://x').searchParams;
    const before = trades.findIndex(({ id }) => id === query.get('beforeId'));
    const page = trades.slice(before + 1, before + 1 + Number(query.get('limit') ?? 50));
    const last = page.length > 0 && page.at(-1) !== trades.at(-1) ? page.at(-1) : undefined;
    return { trades: page, nextBeforeTs: last?.timestamp ?? null, nextBeforeId: last?.id ?? null };
  };

  test.each([{}, { limit: 200 }, { limit: 200, detail: true }])(
    '%j: 300 trades, none lost, none twice',
    async (more) => {
      const { context } = await world(served);
      const seen: string[] = [];
      let cursor: object | undefined = {};
      while (cursor !== undefined) {
        const text = bounded(
          'list_evm_trades',
          await run('list_evm_trades', { tokenAddress: EVM, ...more, ...cursor }, context),
        );
        seen.push(...[...text.matchAll(/^- .*?\bid (trade-\d+)/gm)].map(([, id = '']) => id));
        const beforeId = cursorIn(text, 'nextBeforeId');
        cursor =
          beforeId === 'null' ? undefined : { beforeTs: Number(cursorIn(text, 'nextBeforeTs')), beforeId };
      }
      expect(seen).toEqual(trades.map((_, index) => `trade-${index}`));
    },
  );
});

test('list_claim_events goes on where a page was cut', async () => {
  const events = many((i) => ({ wallet: MINT, amount: `${i}`, signature: 's'.repeat(300) }));
  const { context } = await world(({ url }: SeenRequest) => {
    const offset = Number(new URL(url, 'http://x').searchParams.get('offset') ?? 0);
    return { events: events.slice(offset, offset + 100) };
  });
  const first = await run('list_claim_events', { tokenMint: MINT }, context);
  bounded('list_claim_events', first);
  const shown = Object(first.events).length;
  expect(shown).toBeLessThan(100);
  expect(first.nextOffset).toBe(shown);
});

test('list_evm_token_creations reaches the newest hundred and says that the service lists no more', async () => {
  const items = many((i) => ({ address: EVM, symbol: `n${i}`, createdAtTimestamp: ROWS - i }));
  const { context } = await world(({ url }: SeenRequest) => ({
    items: items.slice(0, Number(new URL(url, 'http://x').searchParams.get('limit'))),
  }));
  const seen: unknown[] = [];
  let offset: unknown = 0;
  let note: unknown;
  while (typeof offset === 'number') {
    const result = await run('list_evm_token_creations', { offset, limit: 30 }, context);
    bounded('list_evm_token_creations', result);
    seen.push(...Object(result.items).map(({ symbol }: { symbol: string }) => symbol));
    ({ nextOffset: offset, note } = result);
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => `n${i}`));
  expect(note).toMatch(/100/);
});

describe('times', () => {
  test('are ISO 8601 wherever a service states them, in seconds, milliseconds or text', async () => {
    const at = '2026-11-24T09:30:00Z';
    const seconds = Date.parse(at) / 1000;
    const stated = [seconds, seconds * 1000, `${seconds}`, at, '2026-11-24T10:30:00+01:00'];
    const { context } = await world({
      events: stated.map((timestamp) => ({ wallet: MINT, amount: '1', timestamp })),
    });
    const { events } = await run('list_claim_events', { tokenMint: MINT }, context);
    expect(events).toEqual(stated.map(() => expect.objectContaining({ timestamp: at })));
  });

  test('are taken in ISO 8601 and sent as the contract wants them; half a time is refused', async () => {
    const { context, requests } = await world({ events: [] });
    const period = { tokenMint: MINT, mode: 'time', from: '2026-11-24', to: '2026-11-24T10:30:00+01:00' };
    await run('list_claim_events', period, context);
    expect(requests[0]?.url).toContain(`from=${Date.UTC(2026, 10, 24) / 1000}`);
    expect(requests[0]?.url).toContain(`to=${Date.UTC(2026, 10, 24, 9, 30) / 1000}`);
    for (const wrong of ['yesterday', '2026-02-30', '2026-11-24T10:30', 1_700_000_000_000])
      await expect(run('list_claim_events', { ...period, from: wrong }, context)).rejects.toThrow(/from/);
    expect(requests).toHaveLength(1);
  });
});
