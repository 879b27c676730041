/** GET /trade/v2/quote and POST /trade/v2/swap over curves and pools, quoted by simulating the swap that would be built. */
import { createHash } from 'node:crypto';
import { type EndpointRequest, LIMITS } from '../../../src/contract/index.ts';
import { messageSha256 } from '../../../src/transaction/read.ts';
import { priorityFee } from '../build/plan.ts';
import { outcomeOf, type Swap, type SwapOutcome, swapDraft } from '../build/swap.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest, notFound } from '../http/errors.ts';
import { marketOf, tableEntries } from '../records/markets.ts';
import { venueFor } from '../records/venues.ts';
import type { Quote } from '../state.ts';

/** Default slippage; the sandbox's own value. */
const AUTO_SLIPPAGE_BPS = 100;
const PROVIDERS = { router: 'jupiter', venue: 'meteora' } as const;

export const tradeHandlers = {
  tradeQuote: (service, request) => quoteFor(service, request),
  tradeSwap: (service, request) => swapFor(service, request),
} satisfies Handlers;

/** Returns a quote, valid for a minute. */
function quoteFor(service: ServiceContext, request: EndpointRequest<'tradeQuote'>) {
  forgetExpired(service);
  const { inputMint, outputMint, taker } = request;
  const swap = swapOf(service, {
    ...{ taker, inputMint, outputMint, amount: BigInt(request.amount) },
    slippageBps: request.slippageBps ?? AUTO_SLIPPAGE_BPS,
    through: service.state.swapsThrough,
  });
  const venue = venueFor(service, inputMint, outputMint);
  // A swap built before new entries are usable lists its accounts itself.
  service.globalTable.add(tableEntries(service, venue));
  const found = outcomeOf(service, swap);
  if (found.outAmount <= 0n) throw badRequest('amount: is too small for any output');
  const quote: Quote = {
    requestId: requestIdFor(service, request),
    ...{ taker, inputMint, outputMint, venue },
    inAmount: swap.amount,
    outAmount: found.outAmount,
    minOutAmount: found.minOutAmount,
    expiresAt: service.now() + LIMITS.quoteSeconds * 1000,
    built: { ...found, slippageBps: swap.slippageBps, through: swap.through },
  };
  service.state.quotes.set(quote.requestId, quote);
  const common = { inAmount: String(quote.inAmount), outAmount: String(quote.outAmount) };
  return {
    requestId: quote.requestId,
    contextSlot: service.onchain.chain.slot,
    inputMint,
    outputMint,
    ...common,
    minOutAmount: String(quote.minOutAmount),
    priceImpactPct: priceImpact(service, swap, found),
    slippageBps: swap.slippageBps,
    ...feeFields(swap, found),
    provider: PROVIDERS[swap.through],
    routePlan: [{ venue: venue.kind, pool: venue.pool, inputMint, outputMint, ...common }],
  };
}

/** Builds the swap of a quote and records its hash. */
function swapFor(service: ServiceContext, request: EndpointRequest<'tradeSwap'>) {
  forgetExpired(service);
  const quote = service.state.quotes.get(request.requestId);
  if (quote === undefined) throw notFound('Quote not found or expired');
  if (quote.taker !== request.userPublicKey) throw badRequest("userPublicKey: is not the quote's taker");
  if (isSwapped(service, quote))
    throw badRequest('requestId: this quote was swapped already; ask for a new one');
  const swap = swapOf(service, { ...quote, ...quote.built, amount: quote.inAmount });
  if (outcomeOf(service, swap).outAmount < quote.minOutAmount) {
    throw badRequest('the price moved past the slippage of the quote');
  }
  const compiled = service.compile(
    { ...swapDraft(service, swap, quote.built), tables: service.globalTable.usable() },
    'tradeSwap',
    'swap',
    quote.taker,
  );
  quote.messages = [...(quote.messages ?? []), fingerprint(compiled.bytes)];
  return {
    swapTransaction: service.encode('tradeSwap', compiled.bytes),
    computeUnitLimit: compiled.budget.computeUnits,
    prioritizationFeeLamports: Number(priorityFee(compiled.format, compiled.budget)),
    lastValidBlockHeight: compiled.lifetime.lastValidBlockHeight,
    ...feeFields(swap, quote.built),
    revenueLamports: String(quote.built.serviceFee),
    provider: PROVIDERS[swap.through],
  };
}

/** Whether a swap built for a quote has landed, with any blockhash. */
const isSwapped = (service: ServiceContext, { taker, messages = [] }: Quote): boolean =>
  messages.length > 0 &&
  service.onchain.chain
    .transactionsFor(taker)
    .some(
      ({ err, version, bytes }) => err === null && version === 0 && messages.includes(fingerprint(bytes)),
    );

const [SIGNATURE_BYTES, KEY_BYTES, HEADER_BYTES] = [64, 32, 4];

/** Hashes a v0 transaction of fewer than 128 keys and signatures, without its signatures and blockhash. */
function fingerprint(bytes: Uint8Array): string {
  const message = bytes.subarray(1 + SIGNATURE_BYTES * (bytes[0] ?? 0));
  const blockhash = HEADER_BYTES + 1 + KEY_BYTES * (message[HEADER_BYTES] ?? 0);
  const rest = [message.subarray(0, blockhash), message.subarray(blockhash + KEY_BYTES)];
  return messageSha256(Buffer.concat(rest));
}

function swapOf(
  service: ServiceContext,
  { outputMint, ...rest }: Omit<Swap, 'market'> & { readonly outputMint: string },
): Swap {
  const market = marketOf(service, venueFor(service, rest.inputMint, outputMint));
  const { taker, inputMint, amount, slippageBps, through } = rest;
  return { market, taker, inputMint, amount, slippageBps, through };
}

/** Returns the price impact without fees, as a fraction of 1. */
function priceImpact(service: ServiceContext, swap: Swap, { venueOut, serviceFee }: SwapOutcome): string {
  const found = swap.market.price(service);
  if (found === undefined) return '0.000000';
  const { sqrtPrice, fee } = found;
  const price = sqrtPrice * sqrtPrice; // quote for base, with 128 bits behind the point
  const less = (amount: bigint) => (amount * (1_000_000_000n - fee)) / 1_000_000_000n;
  const buy = swap.inputMint === swap.market.quote.mint;
  const even = buy ? (less(swap.amount - serviceFee) << 128n) / price : less((swap.amount * price) >> 128n);
  const lost = even > venueOut ? ((even - venueOut) * 1_000_000n) / even : 0n;
  return (Number(lost) / 1_000_000).toFixed(6);
}

const feeFields = ({ market, inputMint }: Swap, { serviceFee }: SwapOutcome) => ({
  feeMint: market.quote.mint,
  feeSide: inputMint === market.quote.mint ? 'input' : 'output',
  feeLamports: String(serviceFee),
});

/** Removes expired quotes. */
function forgetExpired(service: ServiceContext): void {
  const now = service.now();
  for (const [requestId, { expiresAt }] of service.state.quotes) {
    if (expiresAt <= now) service.state.quotes.delete(requestId);
  }
}

/** Returns a new quote id of 32 hexadecimal digits. */
export function requestIdFor(service: ServiceContext, request: object): string {
  const about = JSON.stringify([service.seed, service.serial(), service.onchain.chain.slot, request]);
  return createHash('sha256').update(about).digest('hex').slice(0, 32);
}
