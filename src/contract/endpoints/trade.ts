/** Quotes and swaps. docs/contract.md C-TRADE-01 … 07. */
import { z } from 'zod';
import { LIMITS, TOTAL_BASIS_POINTS } from '../constants.ts';
import { building, reading } from '../endpoint.ts';
import { numbers, texts } from '../nullishFields.ts';
import { integer, publicKey, rawAmount, refusing, wallet } from '../params.ts';

export const tradeQuoteFields = {
  inputMint: publicKey('Mint to sell.'),
  outputMint: publicKey('Mint to buy.'),
  amount: rawAmount('Amount to sell, base units.').refine((value) => value !== '0', {
    error: 'must be more than 0',
  }),
  taker: wallet('Wallet that will swap.'),
  slippageMode: z.enum(['auto', 'manual']).describe('Default auto.').nullish(),
  slippageBps: integer(0, TOTAL_BASIS_POINTS, 'Required when slippageMode is manual.').nullish(),
};

/** Manual slippage needs a value, and the mints must differ (C-TRADE-02). */
export function checkTradeQuote(
  value: {
    inputMint: string;
    outputMint: string;
    slippageMode?: string | null | undefined;
    slippageBps?: number | null | undefined;
  },
  context: z.RefinementCtx,
): void {
  const refuse = refusing(value, context);
  const manual = value.slippageMode === 'manual';
  if (manual && typeof value.slippageBps !== 'number') {
    refuse('slippageBps', 'is required when slippageMode is "manual"');
  }
  if (!manual && typeof value.slippageBps === 'number') {
    refuse('slippageBps', 'needs slippageMode "manual"');
  }
  if (value.inputMint === value.outputMint) {
    refuse('outputMint', 'is the same mint as inputMint');
  }
}

/** A quote stays cached under its `requestId` for sixty seconds. */
export const tradeQuote = reading('/trade/v2/quote', {
  request: z.strictObject(tradeQuoteFields).superRefine(checkTradeQuote),
  response: z.looseObject({
    requestId: z.string(),
    inputMint: z.string(),
    outputMint: z.string(),
    inAmount: z.string(),
    outAmount: z.string(),
    minOutAmount: z.string().nullish(),
    slippageBps: z.number().nullish(),
    priceImpactPct: z.union([z.string(), z.number()]).nullish(),
    ...texts('feeMint', 'feeSide', 'feeLamports', 'provider'),
    contextSlot: z.number().nullish(),
    routePlan: z.array(z.unknown()).nullish(),
  }),
  exact: true,
});

/** A quote id without path characters (B40). */
export const tradeSwapFields = {
  requestId: z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,${LIMITS.requestId - 1}}$`), {
      error: `must be the requestId of a quote: up to ${LIMITS.requestId} letters, digits, dots, colons, dashes or underscores`,
    })
    .describe('requestId of the quote.'),
  userPublicKey: wallet("The quote's taker."),
};

export const tradeSwap = building('/trade/v2/swap', {
  request: z.strictObject(tradeSwapFields),
  response: z.looseObject({
    swapTransaction: z.string().min(1),
    ...numbers('computeUnitLimit', 'prioritizationFeeLamports'),
    lastValidBlockHeight: z.number(),
    feeMint: z.string(),
    /** `input` and `output` are known; the policy refuses others (B42). */
    feeSide: z.string(),
    feeLamports: z.string(),
    ...texts('revenueLamports', 'provider'),
  }),
  transactions: { path: 'swapTransaction', encoding: 'base64' },
  notFound: 'The quote is unknown or older than sixty seconds. Ask for a new quote.',
});
