/**
 * Prices of the sandbox's pools: a constant product over the base vault and the quote vault plus a virtual quote
 * reserve, which gives a pool without any quote a price. Pure; amounts in base units.
 */
import { SERVICE_FEE_BPS } from '../../../contract/constants.ts';
import { arriving, type TokenAsset } from '../build/tokens.ts';
import type { SwapAmounts } from '../state.ts';

/** What a pool holds. `quote` includes the virtual reserve, `realQuote` does not. */
export interface Reserves {
  readonly base: bigint;
  readonly quote: bigint;
  readonly realQuote: bigint;
}

/** A pool that can be priced. */
export interface PricedPool {
  readonly base: TokenAsset;
  readonly quote: TokenAsset;
  readonly reserves: Reserves;
  readonly feeBps: number;
}

const share = (amount: bigint, bps: number) => (amount * BigInt(bps)) / 10_000n;
const ceilDivide = (a: bigint, b: bigint) => (a + b - 1n) / b;

/** Base units that come out for quote units that went in. */
export function baseOut({ base, quote }: Reserves, quoteIn: bigint): bigint {
  return base - ceilDivide(base * quote, quote + quoteIn);
}

/** Quote units that come out for base units that went in, never more than there really are. */
export function quoteOut({ base, quote, realQuote }: Reserves, baseIn: bigint): bigint {
  const out = quote - ceilDivide(base * quote, base + baseIn);
  return out < realQuote ? out : realQuote;
}

/** Every amount of a buy that spends `inAmount` of the quote, the service's fee included. */
export function buyAmounts({ base, quote, reserves, feeBps }: PricedPool, inAmount: bigint): SwapAmounts {
  const serviceFee = share(inAmount, SERVICE_FEE_BPS);
  const rest = inAmount - serviceFee;
  const poolFee = share(rest, feeBps);
  const poolIn = rest - poolFee;
  const poolOut = baseOut(reserves, arriving(quote, poolIn));
  const payout = arriving(base, poolOut);
  return {
    side: 'buy',
    inAmount,
    outAmount: arriving(base, payout),
    serviceFee,
    poolIn,
    poolFee,
    poolOut,
    payout,
  };
}

/** Every amount of a sale of `inAmount` of the base; fees come off the quote that comes out. */
export function sellAmounts({ base, quote, reserves, feeBps }: PricedPool, inAmount: bigint): SwapAmounts {
  const poolOut = quoteOut(reserves, arriving(base, inAmount));
  const escrowed = arriving(quote, poolOut);
  const poolFee = share(escrowed, feeBps);
  const payout = escrowed - poolFee;
  const arrived = arriving(quote, payout);
  const serviceFee = share(arrived, SERVICE_FEE_BPS);
  return {
    side: 'sell',
    inAmount,
    outAmount: arrived - serviceFee,
    serviceFee,
    poolIn: inAmount,
    poolFee,
    poolOut,
    payout,
  };
}

/** How far a swap moves the price, in percent with four decimals. */
export function priceImpactPct({ reserves }: PricedPool, amounts: SwapAmounts): string {
  const [before, moved] =
    amounts.side === 'buy' ? [reserves.quote, amounts.poolIn] : [reserves.base, amounts.poolIn];
  const millionths = before + moved === 0n ? 0n : (moved * 1_000_000n) / (before + moved);
  return (Number(millionths) / 10_000).toFixed(4);
}

/** Price of one whole base token in whole quote tokens. */
export function spotPrice({ base, quote, reserves }: PricedPool): number {
  if (reserves.base === 0n) return 0;
  return (Number(reserves.quote) / Number(reserves.base)) * 10 ** (base.decimals - quote.decimals);
}
