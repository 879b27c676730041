import { describe, expect, it } from 'vitest';
import {
  type EndpointResponse,
  evmTradeSchema,
  nextTradesRequest,
  tradesPageViolations,
  vaultAmountsDisagree,
} from '../../src/contract/index.ts';
import fc from '../fc.ts';
import { EVM_TOKEN, JWT, MINT, problems, validRequests, WALLET } from './validRequests.ts';

describe('C-TRADE-04 swaps', () => {
  const swap = (requestId: unknown) => problems('tradeSwap', { ...validRequests.tradeSwap, requestId });

  it.each(['', 'x'.repeat(10_000), '../quote', 'a/b', 'a b', 'a\n', '%2e%2e'])(
    'B40 refuses the quote id %j',
    (id) => {
      expect(swap(id)).toEqual([expect.stringMatching(/^requestId: must be the requestId of a quote/)]);
    },
  );

  it('C-TRADE-01 C-TRADE-02 requires a number exactly if the slippage is manual', () => {
    const quote = (change: object) => problems('tradeQuote', { ...validRequests.tradeQuote, ...change });
    expect(quote({ slippageMode: 'manual' })).toEqual([
      'slippageBps: is required when slippageMode is "manual"',
    ]);
    expect(quote({ slippageBps: 50 })).toEqual(['slippageBps: needs slippageMode "manual"']);
    expect(quote({ slippageMode: 'manual', slippageBps: 50 })).toEqual([]);
    expect(quote({ outputMint: validRequests.tradeQuote.inputMint })).toHaveLength(1);
    expect(quote({ amount: '0' })).toEqual(['amount: must be more than 0']);
    expect(quote({ amount: 1000 })).toHaveLength(1);
  });
});

describe('C-EVM-02 EVM trade pages', () => {
  const trades = (change: object) => problems('evmTrades', { tokenAddress: EVM_TOKEN, ...change });

  it.each([0, 201, 1.5, '50'])('B44 refuses a limit of %s', (limit) => {
    expect(trades({ limit })).toEqual(['limit: must be a whole number from 1 to 200']);
  });

  it('B45 C-EVM-03 refuses half a cursor and accepts a time alone', () => {
    expect(trades({ beforeId: 'x' })).toEqual([
      expect.stringMatching(/^beforeTs: is required with beforeId/),
    ]);
    expect(trades({ beforeTs: 1_700_000_000 })).toEqual([]);
    expect(trades({ beforeTs: 1_700_000_000, beforeId: 'x' })).toEqual([]);
  });

  it.each([1_700_000_000_000, -1, 32_503_680_000, 1.5])(
    'B46 C-FIELD-06 refuses %s as unix seconds',
    (beforeTs) => {
      expect(trades({ beforeTs })).toEqual([
        expect.stringMatching(/^beforeTs: must be unix time in whole seconds/),
      ]);
    },
  );

  it.each([0, 101])('B51 C-EVM-07 refuses %d token creations', (limit) => {
    expect(problems('evmTokenCreations', { limit })).toEqual(['limit: must be a whole number from 1 to 100']);
  });

  it('B51 refuses milliseconds as the first second', () => {
    expect(problems('evmTokenCreations', { sinceTs: 1_700_000_000_000 })).toHaveLength(1);
  });

  it("B53 C-EVM-09 accepts a request for the token's own earnings", () => {
    expect(problems('evmCreatorEarnings', { tokenAddress: EVM_TOKEN, user: EVM_TOKEN })).toEqual([]);
  });

  type Page = EndpointResponse<'evmTrades'>;
  const trade = (id: string, timestamp: number): Page['trades'][number] =>
    evmTradeSchema.parse({
      id,
      kind: 'buy',
      account: EVM_TOKEN,
      tokenWei: '1',
      blockNumber: 1,
      timestamp,
      txHash: '0x00',
      logIndex: 0,
    });
  const page = (list: Page['trades'], nextBeforeTs: number | null, nextBeforeId: string | null): Page => ({
    trades: list,
    nextBeforeTs,
    nextBeforeId,
  });

  /** Starts a server with the contract's compound cursor over a history with many ties within one second. */
  function serve(
    history: Page['trades'],
    request: { limit?: number | null; beforeTs?: number | null; beforeId?: string | null },
  ): Page {
    const older = history.filter(({ id, timestamp }) => {
      if (typeof request.beforeTs !== 'number') return true;
      if (timestamp !== request.beforeTs) return timestamp < request.beforeTs;
      return typeof request.beforeId === 'string' && id < request.beforeId;
    });
    const shown = older.slice(0, request.limit ?? 50);
    const last = shown.at(-1);
    const more = last !== undefined && older.length > shown.length;
    return page(shown, more ? last.timestamp : null, more ? last.id : null);
  }

  it('C-EVM-05 C-EVM-06 visits every trade once while following the cursor, whatever the ties', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 100, max: 999 })), {
          maxLength: 60,
          selector: ([, id]) => id,
        }),
        fc.integer({ min: 1, max: 7 }),
        (rows, limit) => {
          const history = rows
            .map(([second, id]) => trade(String(id), second))
            .sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? 1 : -1));
          const seen: string[] = [];
          let request: Parameters<typeof nextTradesRequest>[0] | null = { tokenAddress: EVM_TOKEN, limit };
          while (request !== null) {
            const answer = serve(history, request);
            expect(tradesPageViolations(request, answer)).toEqual([]);
            seen.push(...answer.trades.map(({ id }) => id));
            request = nextTradesRequest(request, answer);
          }
          expect(seen).toEqual(history.map(({ id }) => id));
        },
      ),
    );
  });

  it('B47 stops if the cursor leads back to the page just read', () => {
    const request = { tokenAddress: EVM_TOKEN, beforeTs: 5, beforeId: 'b' };
    const answer = page([trade('a', 5)], 5, 'b');
    expect(nextTradesRequest(request, answer)).toBeNull();
    expect(tradesPageViolations(request, answer)).toEqual([expect.stringMatching(/paging stops here/)]);
  });

  it.each([
    ['more trades than requested', [trade('a', 2), trade('b', 1)], { limit: 1 }, /more than 1/],
    ['trades out of order', [trade('a', 1), trade('b', 2)], {}, /not newest first/],
    ['a duplicate trade', [trade('a', 1), trade('a', 1)], {}, /twice/],
    ['trades newer than the cursor', [trade('a', 9)], { beforeTs: 5 }, /newer than its cursor/],
  ])('B48 flags %s and keeps the page', (_, list, request, message) => {
    expect(tradesPageViolations({ tokenAddress: EVM_TOKEN, ...request }, page(list, null, null))).toEqual([
      expect.stringMatching(message),
    ]);
  });
});

describe('claim events', () => {
  const events = (change: object) => problems('claimEvents', { tokenMint: MINT, ...change });

  it('B62 C-EVENT-01 C-EVENT-03 separates the parameters of the two modes', () => {
    expect(events({ mode: 'time', from: 5, to: 4 })).toEqual(['to: must not be before from']);
    expect(events({ mode: 'time' })).toEqual([
      'from: is required when mode is "time"',
      'to: is required when mode is "time"',
    ]);
    expect(events({ mode: 'time', from: 1, to: 2, limit: 5 })).toEqual([
      expect.stringMatching(/^limit: belongs to/),
    ]);
    expect(events({ from: 1 })).toEqual(['from: needs mode "time"']);
    expect(events({ mode: 'time', from: 5, to: 5 })).toEqual([]);
    expect(events({})).toEqual([]);
  });

  it('C-EVENT-02 refuses a limit of 101 and a negative offset', () => {
    expect(events({ limit: 101 })).toHaveLength(1);
    expect(events({ offset: -1 })).toHaveLength(1);
  });
});

describe('vault amounts', () => {
  const vault = {
    kind: 'partner',
    wallet: WALLET,
    quoteMint: MINT,
    quoteDecimals: 6,
    claimableAmountRaw: '1500000',
  };

  it('B54 C-VAULT-02 flags amount fields that contradict the raw amount', () => {
    expect(vaultAmountsDisagree({ ...vault, claimableAmount: '1500000', claimableDisplayAmount: 1.5 })).toBe(
      false,
    );
    expect(vaultAmountsDisagree({ ...vault, claimableAmount: '1.5', claimableDisplayAmount: 1.5 })).toBe(
      false,
    );
    expect(vaultAmountsDisagree({ ...vault, claimableDisplayAmount: 15 })).toBe(true);
    expect(vaultAmountsDisagree({ ...vault, claimableAmount: '1500001000' })).toBe(true);
    expect(vaultAmountsDisagree({ ...vault, claimableAmountRaw: 'many' })).toBe(true);
  });
});

describe('C-INCORP-01 incorporation', () => {
  it.each(['../keys', '%2e%2e', `${MINT}?x`, `${MINT}#`, `${MINT}/x`, `${MINT}\u2044x`])(
    'B57 accepts only a mint in the path: %s',
    (tokenAddress) => {
      expect(problems('startIncorporation', { tokenAddress })).toHaveLength(1);
    },
  );
});

describe('C-KEY-02 agent keys', () => {
  const create = (change: object) =>
    problems('createAgentKey', { ...validRequests.createAgentKey, ...change });

  it.each(['a.b', 'a.b.c.d', 'a..c', `${JWT}\n`, ` ${JWT}`, `${'a'.repeat(100_000)}.b.c`, ''])(
    'B59 refuses a token that is not a JWT, without repeating it',
    (token) => {
      expect(create({ token })).toEqual([
        'token: must be a login JWT: three parts of letters, digits, - and _ joined by dots, on one line',
      ]);
    },
  );

  it('B60 C-KEY-03 counts the name in code points and refuses invisible characters', () => {
    expect(create({ name: '😀'.repeat(255) })).toEqual([]);
    expect(create({ name: '' })).toHaveLength(1);
    expect(create({ name: 'x'.repeat(256) })).toEqual([
      'name: must have 1 to 255 characters (Unicode code points)',
    ]);
    for (const name of ['a\u0007b', 'a\u202eb', 'a\u200bb', 'a\nb'])
      expect([name, create({ name }).length]).toEqual([name, 1]);
  });
});
