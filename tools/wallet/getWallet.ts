import { z } from 'zod';
import { fromOutside, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const BRIEF = ['mint', 'symbol', 'amount', 'amountRaw', 'decimals', 'frozen', 'delegate'] as const;

/** The wallet's address and balances, from our own RPC. No tool shows or takes a key. */
export const getWallet = defineTool({
  name: 'get_wallet',
  title: 'Get wallet',
  domain: 'wallet',
  effect: 'read',
  description:
    "The wallet's address with SOL and token balances, in whole and in base units. It cannot show keys.",
  input: z.strictObject({
    wallet: z.string().describe('Another of yours, by address or label.').nullish(),
    offset: ParamOffset,
    detail: z.boolean().describe('Token accounts and programs too.').nullish(),
  }),
  output: z.looseObject({
    mode: z.string().optional(),
    address: z.unknown().optional(),
    sol: z.unknown().optional(),
    lamports: z.unknown().optional(),
    tokens: z.unknown().optional(),
    nextOffset: z.number().nullish(),
    untrusted: untrustedShape,
  }),
  async run({ detail, offset, wallet: called }, { wallet, mode }) {
    const { slot, tokens, ...seen } = await wallet.overview(called ?? undefined);
    const all: object[] = Array.isArray(tokens) ? tokens : [];
    const held = fromOffset(all, offset).map((row) => (detail === true ? row : picked(row, BRIEF)));
    const { value, untrusted } = fromOutside({ tokens: held }, ['tokens.symbol']);
    const { rows, cursor } = pageOf(value.tokens, all.length, offset);
    return { mode, ...seen, ...cursor, tokens: rows, ...(detail === true ? { slot } : {}), untrusted };
  },
});
