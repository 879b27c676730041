import { z } from 'zod';
import { fromOutside, untrustedShape } from '../outside.ts';
import { MAX_ROWS, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const BRIEF = ['mint', 'symbol', 'amount', 'amountRaw', 'decimals', 'frozen', 'delegate'] as const;

/** The wallet's address and balances from our own RPC. */
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
    const page = { called: called ?? undefined, offset: offset ?? 0, most: MAX_ROWS };
    const { slot, tokens, held, ...seen } = await wallet.overview(page);
    const all: object[] = Array.isArray(tokens) ? tokens : [];
    const shown = all.map((row) => (detail === true ? row : picked(row, BRIEF)));
    const { value, untrusted } = fromOutside({ tokens: shown }, ['tokens.symbol']);
    const { rows, cursor } = pageOf(value.tokens, Number(held), offset);
    return { mode, ...seen, ...cursor, tokens: rows, ...(detail === true ? { slot } : {}), untrusted };
  },
});
