/** Pagination: each answer is bounded, and both forms reach every row once. */
import { describe, expect, test } from 'vitest';
import type { DecisionFilter } from '../../src/ledger/types.ts';
import { MAX_TEXT_BYTES } from '../../src/server/render.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { sampleDecision } from '../ledger/samples.ts';
import type { SeenRequest } from '../service/localServer.ts';
import { cursorIn, EVM, LISTS, many, ROWS, valuesIn, walk } from './longLists.ts';
import { ONLY_WALLET, planView, run, toolNamed, world } from './world.ts';

const MINT = ONLY_WALLET;

const bounded = (name: string, result: Record<string, unknown>): string => {
  const text = toolNamed(name).text(result);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(2 * MAX_TEXT_BYTES);
  return text;
};

describe.each(LISTS)('%s %j', (name, args, rows, id, payload) => {
  test('shows the rows in order over its pages, by text only, and the number of remaining ones', async () => {
    const { context } = await world(payload);
    await walk(async (offset) => {
      const result = await run(name, { ...args, offset }, context);
      const text = bounded(name, result);
      expect(Object(result)[rows]).toHaveLength(valuesIn(text, id).length);
      return text;
    }, id);
  });
});

describe('lists of this home', () => {
  /** Pages through a list by text alone. Returns the first word of each row matched by `id`. */
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

  test('list_plans shows every plan once, and the number of remaining ones', async () => {
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

  test('list_decisions shows every decision once, and the number of remaining ones', async () => {
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

describe('wallet holdings and activity', () => {
  const held = many((i) => ({ mint: MINT, symbol: 's'.repeat(30), amountRaw: `${i}`, account: MINT }));
  const overview = async ({ offset, most }: { offset: number; most: number }) => ({
    ...{ address: MINT, lamports: '5', sol: '0.000000005', held: ROWS },
    tokens: held.slice(offset, offset + most),
  });

  test.each([{}, { detail: true }])('get_wallet %j shows every account once', async (more) => {
    const { context } = await world({});
    const wallet = { ...context.wallet, overview };
    const seen: string[] = [];
    for (let offset = '0'; offset !== 'null'; ) {
      const result = await run('get_wallet', { ...more, offset: Number(offset) }, { ...context, wallet });
      const text = bounded('get_wallet', result);
      seen.push(...valuesIn(text, 'amountRaw'));
      offset = cursorIn(text, 'nextOffset') ?? 'null';
    }
    expect(seen).toEqual(held.map((_, i) => `${i}`));
  });

  test.each([{}, { detail: true, worth: true }])('get_activity %j shows every plan once', async (more) => {
    const { context } = await world({ outAmount: '1' });
    const plan = (name: string) => (_: unknown, i: number) => ({
      ...{ planId: `${name}-${i}`, at: '2026-11-24T09:30:00Z', outcome: 'open' },
      ...{ asked: 'a'.repeat(200), why: 'w'.repeat(200) },
    });
    const happened = held.map(plan('did'));
    const pending = held.slice(0, ROWS / 2).map(plan('waits'));
    const many = held.map((_, i) => ({ asset: `${i}${MINT}`, symbol: 's'.repeat(30), raw: '-1' }));
    const activity = async ({ most, offset }: { most: number; offset: number }) => {
      const next = offset + most;
      const left = (all: readonly unknown[]) => Math.max(0, all.length - next);
      return {
        ...{ from: '', to: '', outcomes: { open: ROWS }, changes: many },
        cost: { networkFee: '1', serviceFees: many },
        ...(next < ROWS
          ? { nextOffset: next, more: { happened: left(happened), pending: left(pending) } }
          : {}),
        happened: happened.slice(offset, next),
        pending: pending.slice(offset, next),
      };
    };
    const wallet = { ...context.wallet, overview };
    const used = { ...context, wallet, plans: { ...context.plans, activity } };
    const seen: Record<'did' | 'waits', string[]> = { did: [], waits: [] };
    for (let offset = '0'; offset !== 'null'; ) {
      const text = bounded(
        'get_activity',
        await run('get_activity', { ...more, offset: Number(offset) }, used),
      );
      for (const [, list, number = ''] of text.matchAll(/planId (did|waits)-(\d+)/g))
        seen[list === 'did' ? 'did' : 'waits'].push(number);
      offset = cursorIn(text, 'nextOffset') ?? 'null';
      expect(Number(cursorIn(text, 'more.happened') ?? 0)).toBe(ROWS - seen.did.length);
      if (seen.did.length > 500 && more.detail !== true) break;
    }
    expect(seen.did).toEqual(held.slice(0, seen.did.length).map((_, i) => `${i}`));
    expect(seen.waits).toEqual(seen.did.slice(0, ROWS / 2));
    expect(seen.did.length).toBe(more.detail === true ? ROWS : 505);
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
    // Three trades a second: page boundaries fall within a second.
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
    '%j: 300 trades, none missing, none twice',
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

test('list_claim_events continues after a truncated page', async () => {
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

test('list_evm_token_creations reaches the newest hundred and states that the service lists no more', async () => {
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

  test('are accepted in ISO 8601 and sent as the contract requires; half a time is refused', async () => {
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
