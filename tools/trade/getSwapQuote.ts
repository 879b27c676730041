import { z } from 'zod';
import { percent } from '../../src/base/format.ts';
import { InputError } from '../../src/base/inputError.ts';
import { checkTradeQuote, tradeQuoteFields } from '../../src/contract/index.ts';
import { impactBps } from '../../src/presentation/priceImpact.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { amountText } from '../amounts.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { joinLines, quoted, whole } from '../resultText.ts';
import { picked } from '../rows.ts';
import { defineTool, type ShownAmount, type ToolContext } from '../tool.ts';
import { quoteWarnings } from './quoteWarnings.ts';

/** A quote that this home stores, so that its swap can be matched against the request (C-TRADE-03). */
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
      taker: tradeQuoteFields.taker.describe('Wallet that swaps. Default: yours.').nullish(),
    })
    .superRefine(checkTradeQuote),
  output: z.looseObject({
    requestId: z.string(),
    inAmount: z.string(),
    outAmount: z.string(),
    minOutAmount: z.string().nullish(),
    warnings: z.array(z.string()).optional(),
    feeMint: z.unknown().optional(),
    feeSide: z.unknown().optional(),
    feeLamports: z.unknown().optional(),
    untrusted: untrustedShape,
  }),
  async run(input, context) {
    const { service, plans, wallet, tokens } = context;
    const request = { ...input, taker: input.taker ?? (await wallet.address()) };
    const short = await lacking(context, request);
    const quote = await service.call('tradeQuote', request).catch((error: unknown) => {
      // A service that simulates what it quotes refuses it for this, in words of its own.
      if (short === undefined) throw error;
      throw new InputError(`amount: ${short}`, 'Sell at most what the wallet has; get_wallet shows it.');
    });
    await plans.rememberQuote(quote.requestId, request, quote);
    const shown = stated('tradeQuote', quote);
    const [sells, buys, least] = await tokens.amounts([
      [shown.inputMint ?? input.inputMint, base(shown.inAmount)],
      [shown.outputMint ?? input.outputMint, base(shown.outAmount)],
      [shown.outputMint ?? input.outputMint, base(shown.minOutAmount ?? '0')],
    ]);
    const warnings = [...(short === undefined ? [] : [short]), ...quoteWarnings(shown)];
    const impact = impactBps(shown.priceImpactPct);
    const { value, untrusted } = fromOutside(
      {
        ...picked(shown, SHOWN),
        ...(impact === undefined ? {} : { priceImpact: percent(impact) }),
        requestId: shown.requestId,
        inAmount: shown.inAmount,
        outAmount: shown.outAmount,
        ...decimalsOf(sells, buys, least),
        ...(warnings.length === 0 ? {} : { warnings }),
      },
      ['outSymbol', 'inSymbol'],
    );
    return { ...value, untrusted };
  },
  text: ({ warnings, ...result }) =>
    joinLines(
      summary(result),
      ...(warnings ?? []),
      whole(result),
      'Valid for 60 seconds. Next: create_swap with requestId.',
    ),
});

const SHOWN = [
  'inputMint',
  'outputMint',
  'minOutAmount',
  'slippageBps',
  'feeMint',
  'feeSide',
  'feeLamports',
  'provider',
] as const;

const base = (amount: string | null | undefined): bigint =>
  typeof amount === 'string' && /^\d+$/.test(amount) ? BigInt(amount) : 0n;

const decimalsOf = (sells?: ShownAmount, buys?: ShownAmount, least?: ShownAmount) => ({
  ...picked({ in: sells?.amount, inSymbol: sells?.symbol }, ['in', 'inSymbol']),
  ...picked({ out: buys?.amount, minOut: least?.amount, outSymbol: buys?.symbol }, [
    'out',
    'minOut',
    'outSymbol',
  ]),
});

/** Describes the trade with quoted symbols; mints and base units follow. */
function summary(quote: Readonly<Record<string, unknown>>): string {
  const { in: sells, inSymbol, inputMint, out: buys, outSymbol, outputMint, minOut } = quote;
  if (sells === undefined || buys === undefined || minOut === undefined) return 'A quote.';
  return `Sells ${sells} ${nameOf(inSymbol, inputMint)} for about ${buys} ${nameOf(outSymbol, outputMint)}, at least ${minOut}.`;
}

const nameOf = (symbol: unknown, mint: unknown): string => {
  if (mint === WSOL_MINT) return 'SOL';
  return symbol === undefined ? String(mint) : quoted(symbol);
};

/** Returns a warning if the wallet holds less than the input; `undefined` if it does not or the balance is unknown. */
async function lacking(
  { wallet, tokens }: Pick<ToolContext, 'wallet' | 'tokens'>,
  { inputMint, amount, taker }: { inputMint: string; amount: string; taker: string },
): Promise<string | undefined> {
  const own = await wallet.address().catch(() => undefined);
  if (own !== taker) return undefined;
  const held = await wallet.balance(inputMint).catch(() => undefined);
  if (held === undefined || held >= base(amount)) return undefined;
  const [needs, has] = await tokens.amounts([
    [inputMint, base(amount)],
    [inputMint, held],
  ]);
  if (needs === undefined || has === undefined) return undefined;
  return `the wallet has ${amountText(has)}, less than the ${needs.amount ?? needs.raw} to be sold.`;
}
