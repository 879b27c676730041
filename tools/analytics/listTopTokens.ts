import { z } from 'zod';
import { decimalText, SOL_DECIMALS } from '../../src/base/format.ts';
import { integer } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

/** Fraction digits of a price. */
const PRICE_DIGITS = 12;

/** The service's tokens with the highest fees (C-STATS-02). */
export const listTopTokens = defineTool({
  name: 'list_top_tokens',
  title: 'List top tokens',
  domain: 'analytics',
  effect: 'read',
  description:
    'Tokens of the service that earned the most fees, highest first. Past fees promise nothing. One token: get_lifetime_fees or get_token_facts.',
  input: z.strictObject({
    limit: integer(1, 100, 'Default 10.').nullish(),
    offset: ParamOffset,
  }),
  output: z.looseObject({
    tokens: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    untrusted: untrustedShape,
  }),
  async run({ limit, offset }, { service }) {
    const answer = await service.call('topTokens', {});
    const { value, untrusted } = fromOutside(
      {
        tokens: fromOffset(answer, offset, limit ?? 10).map(
          ({ token, lifetimeFees, tokenInfo, tokenLatestPrice }) => ({
            tokenMint: token,
            feesRaw: String(lifetimeFees),
            ...(/^\d{1,30}$/.test(String(lifetimeFees))
              ? { fees: decimalText(BigInt(String(lifetimeFees)), SOL_DECIMALS) }
              : {}),
            ...picked({ priceSol: tokenLatestPrice?.priceSOL?.toFixed(PRICE_DIGITS) }, ['priceSol']),
            ...picked(tokenInfo ?? {}, ['name', 'symbol']),
          }),
        ),
      },
      ['name', 'symbol'],
    );
    const { rows, cursor } = pageOf(value.tokens, answer.length, offset);
    return { ...cursor, tokens: rows, untrusted };
  },
});
