import { describe, expect, it } from 'vitest';
import {
  createEvmHistory,
  newestFirst,
  tradePage,
} from '../../../../src/sandbox/service/reads/evmHistory.ts';
import fc from '../../../fc.ts';

const NOW = 1_790_000_000;

/** Follows the compound cursor to the end, the way a caller does. */
function follow(trades: Parameters<typeof tradePage>[0], limit: number): string[] {
  const seen: string[] = [];
  let cursor: { beforeTs?: number; beforeId?: string } = {};
  for (let pages = 0; pages <= trades.length + 1; pages += 1) {
    const page = tradePage(trades, { limit, ...cursor });
    expect(page.trades.length).toBeLessThanOrEqual(limit);
    seen.push(...page.trades.map((trade) => trade.id));
    if (page.nextBeforeTs === null || page.nextBeforeId === null) return seen;
    cursor = { beforeTs: page.nextBeforeTs, beforeId: page.nextBeforeId };
  }
  throw new Error('the cursor does not end');
}

it.each(['v1', 'v2', 'v3'])('C-EVM-04 amounts of %s have the decimals of their currency', (version) => {
  const { tokens } = createEvmHistory({ seed: 'units', now: NOW });
  const token = tokens.find((each) => each.version === version);
  const { decimals = 0 } = token?.quote ?? {};
  for (const trade of token?.trades ?? []) {
    const quote = Number(trade.quoteWei) / 10 ** decimals;
    expect(quote).toBeGreaterThanOrEqual(0.001);
    expect(quote).toBeLessThanOrEqual(5);
    const price = Number(trade.priceQuotePerToken) / 1e18;
    expect((price * Number(trade.tokenWei)) / 1e18).toBeCloseTo(quote, 6);
    const inEth = (Number(trade.priceEthPerToken) / 1e18) * (Number(trade.tokenWei) / 1e18);
    expect(inEth).toBeCloseTo(Number(trade.ethWei) / 1e18, 6);
  }
  expect(token?.trades.length).toBeGreaterThan(0);
});

describe('EVM trade pages', () => {
  it('C-EVM-05 following the cursor yields every trade once, newest first, whatever the history and the limit', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 200 }),
        (seed, count, limit) => {
          const { tokens } = createEvmHistory({ seed, now: NOW, tokens: 1, trades: count });
          const trades = tokens[0]?.trades ?? [];
          expect(follow(trades, limit)).toEqual([...trades].sort(newestFirst).map((trade) => trade.id));
          expect(new Set(trades.map((trade) => trade.id)).size).toBe(count);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('C-EVM-06 loses no trade when hundreds share one second', () => {
    const { tokens } = createEvmHistory({ seed: 'ties', now: NOW, tokens: 1, trades: 900 });
    const trades = tokens[0]?.trades ?? [];
    const perSecond = new Map<number, number>();
    for (const { timestamp } of trades) perSecond.set(timestamp, (perSecond.get(timestamp) ?? 0) + 1);
    expect(Math.max(...perSecond.values())).toBeGreaterThan(300);
    for (const limit of [1, 7, 50, 200]) expect(follow(trades, limit)).toHaveLength(900);
  });

  it('starts from strictly older timestamps when the cursor has no id', () => {
    const { tokens } = createEvmHistory({ seed: 'half', now: NOW, tokens: 1, trades: 200 });
    const trades = tokens[0]?.trades ?? [];
    const middle = trades[100]?.timestamp ?? 0;
    const page = tradePage(trades, { limit: 200, beforeTs: middle });
    expect(page.trades.map((trade) => trade.id)).toEqual(
      trades.filter((trade) => trade.timestamp < middle).map((trade) => trade.id),
    );
  });

  it('is the same history for the same seed and covers v1, v2 and v3, migrated and not', () => {
    const first = createEvmHistory({ seed: 'same', now: NOW });
    expect(createEvmHistory({ seed: 'same', now: NOW })).toEqual({ ...first, token: expect.any(Function) });
    expect(new Set(first.tokens.map((token) => token.version))).toEqual(new Set(['v1', 'v2', 'v3']));
    expect(new Set(first.tokens.map((token) => token.migrated))).toEqual(new Set([true, false]));
    expect(first.tokens.some((token) => token.metadata === null)).toBe(true);
    expect(first.tokens.map((token) => token.createdAtTimestamp)).toEqual(
      first.tokens.map((token) => token.createdAtTimestamp).sort((a, b) => b - a),
    );
  });
});
