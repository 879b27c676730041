import { z } from 'zod';
import { decimalText, SOL_DECIMALS } from '../../src/base/format.ts';
import { InputError } from '../../src/base/inputError.ts';
import { ParamMint, WRAPPED_SOL } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { facts, joinLines, line, quoted } from '../resultText.ts';
import { defineTool, type ToolContext } from '../tool.ts';

/** Lamports of a price quote: 0.01 SOL, small enough not to move the price. */
const PRICED_WITH = 10_000_000n;
/** Fraction digits of a price. */
const PRICE_DIGITS = 12;

/** A token from our own RPC, and its price from a quote of the service. */
export const getTokenFacts = defineTool({
  name: 'get_token_facts',
  title: 'Get token facts',
  domain: 'analytics',
  effect: 'read',
  description:
    'One token, from the chain: supply, largest holders, who may mint or freeze it, extensions, where it trades at what price, progress to graduation, what the wallet holds; and a price the service quotes for 0.01 SOL. To trade: get_swap_quote.',
  input: z.strictObject({ tokenMint: ParamMint }),
  output: z.looseObject({
    mint: z.string(),
    decimals: z.number(),
    supply: z.string(),
    mintAuthority: z.string().nullable(),
    freezeAuthority: z.string().nullable(),
    extensions: z.array(z.string()),
    held: z.string().optional(),
    market: z.looseObject({}).optional(),
    holders: z.array(z.looseObject({})).optional(),
    price: z.string().nullable(),
    notes: z.array(z.string()),
    untrusted: untrustedShape,
  }),
  async run({ tokenMint }, context) {
    const found = await context.tokens.mint(tokenMint);
    if (found === undefined) {
      throw new InputError(
        'tokenMint: is no mint on this chain.',
        'Check the address with the person; list_creator_tokens and get_launch_feed name mints.',
      );
    }
    const price = await priceOf(tokenMint, found.decimals, context);
    const held = await context.wallet.balance(tokenMint).catch(() => undefined);
    const notes = [
      ...(found.mintAuthority === null ? [] : ['A key may make more of this token.']),
      ...(found.freezeAuthority === null ? [] : ['A key may freeze what a wallet holds of this token.']),
      ...(found.holders === undefined ? ['The RPC does not say who holds most.'] : []),
      price === undefined
        ? 'The service quotes no price in SOL for it.'
        : 'The price is SOL for one whole token, fees included, when buying with 0.01 SOL. A quote promises nothing.',
    ];
    const { value, untrusted } = fromOutside(found, ['name', 'symbol']);
    return {
      ...value,
      ...(held === undefined ? {} : { held: decimalText(held, found.decimals) }),
      extensions: [...value.extensions],
      price: price ?? null,
      notes,
      untrusted,
    };
  },
  text: ({ holders = [], market, notes, ...token }) =>
    joinLines(
      market && `Trades: ${line(market)}`,
      `${facts(token, 'mint', 'tokenProgram', 'decimals', 'supply', 'price', 'held')} · ${quoted(token.symbol)} ${quoted(token.name)}`,
      `mintAuthority ${token.mintAuthority ?? 'none'} · freezeAuthority ${token.freezeAuthority ?? 'none'} · updateAuthority ${token.updateAuthority ?? 'none'}`,
      token.extensions.length > 0 && `Extensions: ${token.extensions.join(', ')}.`,
      ...holders.map((holder) => `  holds ${facts(holder, 'owner', 'amount', 'shareBps')}`),
      ...notes,
    ),
});

/** Returns the price of a whole token in SOL, from a quote of a small purchase; `undefined` without one. */
async function priceOf(
  mint: string,
  decimals: number,
  { service, wallet }: Pick<ToolContext, 'service' | 'wallet'>,
): Promise<string | undefined> {
  if (mint === WRAPPED_SOL) return '1';
  try {
    const { outAmount } = await service.call('tradeQuote', {
      inputMint: WRAPPED_SOL,
      outputMint: mint,
      amount: String(PRICED_WITH),
      taker: await wallet.address(),
    });
    const out = /^\d+$/.test(outAmount) ? BigInt(outAmount) : 0n;
    if (out === 0n) return undefined;
    const scaled = (PRICED_WITH * 10n ** BigInt(decimals + PRICE_DIGITS - SOL_DECIMALS)) / out;
    return decimalText(scaled, PRICE_DIGITS);
  } catch {
    return undefined;
  }
}
