import { expect, it } from 'vitest';
import { createEvmHistory, tradePage } from '../../../../sandbox/service/reads/evmHistory.ts';
import fc from '../../../fc.ts';

const NOW = 1_790_000_000;

/** Follows the compound cursor to the end, like a caller. */
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
  const token = createEvmHistory('units', NOW).find((each) => each.version === version);
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

it('C-EVM-05 C-EVM-06 following the cursor yields every trade once, whatever the ties and the limit', () => {
  const seconds = fc.array(fc.integer({ min: NOW - 5, max: NOW }), { minLength: 1, maxLength: 600 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 1, max: 200 }), (times, limit) => {
      const trades = times
        .sort((a, b) => a - b)
        .map((timestamp, at) => ({ timestamp, id: String(at).padStart(5, '0') }))
        .reverse();
      expect(follow(trades, limit)).toEqual(trades.map(({ id }) => id));
    }),
    { numRuns: 60 },
  );
});

it('is the same history for the same seed: v1, v2 and v3, migrated and not, with ties, sells and nulls', () => {
  const tokens = createEvmHistory('same', NOW);
  expect(createEvmHistory('same', NOW)).toEqual(tokens);
  expect(createEvmHistory('other', NOW)[0]?.address).not.toBe(tokens[0]?.address);
  expect(new Set(tokens.map((token) => token.version))).toEqual(new Set(['v1', 'v2', 'v3']));
  expect(new Set(tokens.map((token) => token.migrated))).toEqual(new Set([true, false]));
  expect(new Set(tokens.map(({ partner }) => partner === null))).toEqual(new Set([true, false]));
  expect(tokens.some((token) => token.metadata === null)).toBe(true);
  const created = tokens.map((token) => token.createdAtTimestamp);
  expect(created).toEqual(created.toSorted((a, b) => b - a));
  for (const { trades, createdAtTimestamp } of tokens) {
    expect(new Set(trades.map(({ id }) => id)).size).toBe(trades.length);
    expect(new Set(trades.map(({ kind }) => kind))).toEqual(new Set(['buy', 'sell']));
    const times = trades.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(Math.max(...times)).toBeLessThanOrEqual(NOW);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(createdAtTimestamp);
    const [busiest = 0] = times
      .map((time) => times.filter((each) => each === time).length)
      .sort((a, b) => b - a);
    expect(busiest).toBeGreaterThan(200);
  }
});
