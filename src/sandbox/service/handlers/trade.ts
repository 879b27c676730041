/** GET /trade/v2/quote and POST /trade/v2/swap. */

import { type EndpointRequest, LIMITS } from '../../../contract/index.ts';
import type { Address } from '../../../transaction/types.ts';
import { priorityFee } from '../build/plan.ts';
import { fundEscrow, reclaimEscrow, swapDraft } from '../build/swap.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest, notFound } from '../http/errors.ts';
import { tableEntries } from '../market.ts';
import { requestIdFor } from '../real/handlers/trades.ts';
import { buyAmounts, type PricedPool, priceImpactPct, sellAmounts } from '../records/pricing.ts';
import { pricedPool, venueFor } from '../records/venues.ts';
import type { Quote, SwapAmounts, Venue } from '../state.ts';

/** Slippage when the caller leaves it to the service; the sandbox's own number. */
const AUTO_SLIPPAGE_BPS = 100;
const PROVIDER = 'sandbox';

export const tradeHandlers = {
  tradeQuote: (service, request) => quoteFor(service, request),
  tradeSwap: (service, request) => swapFor(service, request),
} satisfies Handlers;

function quoteFor(service: ServiceContext, request: EndpointRequest<'tradeQuote'>) {
  reclaimExpired(service);
  const { inputMint, outputMint, taker } = request;
  const venue = venueFor(service, inputMint, outputMint);
  // Venues launched since get their entries; a swap built before they are warm names its accounts itself.
  service.globalTable.add(tableEntries(service, venue));
  const pool = pricedPool(service, venue);
  const amounts = amountsOf(pool, venue, inputMint, BigInt(request.amount));
  if (amounts.outAmount <= 0n)
    throw badRequest('amount: is too small, or the pool is too shallow, for any output');
  const slippageBps = request.slippageBps ?? AUTO_SLIPPAGE_BPS;
  const minOutAmount = (amounts.outAmount * BigInt(10_000 - slippageBps)) / 10_000n;
  const quote: Quote = {
    requestId: requestIdFor(service, request),
    taker,
    inputMint,
    outputMint,
    venue,
    inAmount: amounts.inAmount,
    outAmount: amounts.outAmount,
    minOutAmount,
    expiresAt: service.now() + LIMITS.quoteSeconds * 1000,
  };
  service.state.quotes.set(quote.requestId, quote);
  const common = { inAmount: String(quote.inAmount), outAmount: String(quote.outAmount) };
  return {
    requestId: quote.requestId,
    contextSlot: service.onchain.chain.slot,
    inputMint,
    outputMint,
    ...common,
    minOutAmount: String(minOutAmount),
    priceImpactPct: priceImpactPct(pool, amounts),
    slippageBps,
    ...feeFields(venue, amounts),
    provider: PROVIDER,
    routePlan: [{ venue: venue.kind, pool: venue.pool, inputMint, outputMint, ...common }],
  };
}

async function swapFor(service: ServiceContext, request: EndpointRequest<'tradeSwap'>) {
  reclaimExpired(service);
  const quote = service.state.quotes.get(request.requestId);
  if (quote === undefined) throw notFound('Quote not found or expired');
  if (quote.taker !== request.userPublicKey) throw badRequest("userPublicKey: is not the quote's taker");
  const escrow = service.onchain.tokenAccount(service.keys.escrow(quote.requestId).address);
  if (quote.funded !== undefined && escrow?.amount === 0n) {
    throw badRequest('requestId: this quote was swapped already; ask for a new one');
  }
  // A fork can undo the funding.
  if (quote.funded === undefined || escrow === undefined) {
    const pool = pricedPool(service, quote.venue);
    const amounts = amountsOf(pool, quote.venue, quote.inputMint, quote.inAmount);
    if (amounts.outAmount < quote.minOutAmount)
      throw badRequest('the price moved past the slippage of the quote');
    fundEscrow(service, quote, amounts);
    quote.funded = amounts;
    await service.onchain.confirmed();
  }
  const amounts = quote.funded;
  const compiled = service.compile(swapDraft(service, quote, amounts), 'tradeSwap', 'swap', quote.taker);
  return {
    swapTransaction: service.encode('tradeSwap', compiled.bytes),
    computeUnitLimit: compiled.budget.computeUnits,
    prioritizationFeeLamports: Number(priorityFee(compiled.format, compiled.budget)),
    lastValidBlockHeight: compiled.lifetime.lastValidBlockHeight,
    ...feeFields(quote.venue, amounts),
    revenueLamports: String(amounts.serviceFee),
    provider: PROVIDER,
  };
}

function amountsOf(pool: PricedPool, venue: Venue, inputMint: Address, amount: bigint): SwapAmounts {
  return inputMint === venue.quoteMint ? buyAmounts(pool, amount) : sellAmounts(pool, amount);
}

function feeFields(venue: Venue, { side, serviceFee }: SwapAmounts) {
  return {
    feeMint: venue.quoteMint,
    feeSide: side === 'buy' ? 'input' : 'output',
    feeLamports: String(serviceFee),
  };
}

/** Quotes past their minute are forgotten, and what lay in escrow for them returns to the pool. */
function reclaimExpired(service: ServiceContext): void {
  const now = service.now();
  for (const [requestId, quote] of service.state.quotes) {
    if (quote.expiresAt > now) continue;
    if (quote.funded !== undefined) reclaimEscrow(service, quote);
    service.state.quotes.delete(requestId);
  }
}
