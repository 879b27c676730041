import { describe, expect, it } from 'vitest';
import { arriving, type TokenAsset, transferFeeOf } from '../../../src/sandbox/service/build/tokens.ts';
import { buyAmounts, type PricedPool, sellAmounts } from '../../../src/sandbox/service/records/pricing.ts';
import { TOKEN_2022_PROGRAM } from '../../../src/transaction/programs.ts';
import fc from '../../fc.ts';

const asset = (fee?: { basisPoints: number; maximumFee: bigint }): TokenAsset => ({
  mint: 'mint',
  tokenProgram: TOKEN_2022_PROGRAM,
  decimals: 6,
  ...(fee === undefined ? {} : { fee: { epoch: 0n, ...fee } }),
});

const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
const pool: fc.Arbitrary<PricedPool> = fc
  .record({
    base: amount,
    virtualQuote: amount,
    realQuote: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    feeBps: fc.integer({ min: 0, max: 1000 }),
    fee: fc.option(
      fc.record({
        basisPoints: fc.integer({ min: 0, max: 1000 }),
        maximumFee: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      }),
      { nil: undefined },
    ),
  })
  .map(({ base, virtualQuote, realQuote, feeBps, fee }) => ({
    base: asset(),
    quote: asset(fee),
    reserves: { base, quote: virtualQuote + realQuote, realQuote },
    feeBps,
  }));

describe('a price', () => {
  it('never lets a wallet buy and sell back at a profit', () => {
    fc.assert(
      fc.property(pool, amount, (before, spend) => {
        const bought = buyAmounts(before, spend);
        fc.pre(bought.outAmount > 0n);
        const entered = arriving(before.quote, bought.poolIn);
        const { base, quote, realQuote } = before.reserves;
        const after = {
          ...before,
          reserves: { base: base - bought.poolOut, quote: quote + entered, realQuote: realQuote + entered },
        };
        expect(sellAmounts(after, bought.outAmount).outAmount).toBeLessThanOrEqual(spend);
      }),
    );
  });

  it('accounts for every unit that leaves the buyer and the pool', () => {
    fc.assert(
      fc.property(pool, amount, (market, spend) => {
        const buy = buyAmounts(market, spend);
        expect(buy.serviceFee + buy.poolFee + buy.poolIn).toBe(spend);
        expect(buy.poolOut).toBeLessThan(market.reserves.base + 1n);
        const sell = sellAmounts(market, spend);
        expect(sell.poolOut).toBeLessThanOrEqual(market.reserves.realQuote);
        expect(sell.poolFee + sell.payout).toBe(arriving(market.quote, sell.poolOut));
        expect(sell.outAmount + sell.serviceFee).toBe(arriving(market.quote, sell.payout));
      }),
    );
  });

  it('takes transfer fees as the program does: rounded up, never over the cap', () => {
    const taxed = asset({ basisPoints: 100, maximumFee: 50n });
    expect([1n, 100n, 101n, 5_000n, 1_000_000n].map((sent) => transferFeeOf(taxed, sent))).toEqual([
      1n,
      1n,
      2n,
      50n,
      50n,
    ]);
    expect(transferFeeOf(asset(), 1_000n)).toBe(0n);
  });
});
