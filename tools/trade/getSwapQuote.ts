import { z } from 'zod';
import { checkTradeQuote, tradeQuoteFields } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { facts, say } from '../say.ts';
import { defineTool } from '../tool.ts';

/** A quote this home remembers, so that the swap made from it can be bound to what was asked (C-TRADE-03). */
export const getSwapQuote = defineTool({
  name: 'get_swap_quote',
  title: 'Get swap quote',
  domain: 'trade',
  effect: 'read',
  description:
    'Quotes a swap, valid 60 seconds. A quote promises nothing: compare minOutAmount with other sources. Next: create_swap with requestId.',
  input: z
    .strictObject({
      ...tradeQuoteFields,
      taker: tradeQuoteFields.taker.describe('Wallet that swaps. Default: the only wallet.').nullish(),
    })
    .superRefine(checkTradeQuote),
  output: z.looseObject({
    requestId: z.string(),
    inAmount: z.string(),
    outAmount: z.string(),
    minOutAmount: z.string().nullish(),
    feeMint: z.unknown().optional(),
    feeSide: z.unknown().optional(),
    feeLamports: z.unknown().optional(),
  }),
  async run(input, { service, plans, wallet }) {
    const request = { ...input, taker: input.taker ?? (await wallet.address()) };
    const quote = await service.call('tradeQuote', request);
    await plans.rememberQuote(quote.requestId, request, quote);
    return cleaned(stated('tradeQuote', quote));
  },
  text: (result) =>
    say(
      facts(
        result,
        'requestId',
        'inputMint',
        'inAmount',
        'outputMint',
        'outAmount',
        'minOutAmount',
        'slippageBps',
      ),
      facts(result, 'priceImpactPct', 'feeMint', 'feeSide', 'feeLamports', 'provider'),
      'Valid for 60 seconds. Next: create_swap.',
    ),
});
