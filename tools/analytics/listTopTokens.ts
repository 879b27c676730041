import { z } from 'zod';
import { decimalText, SOL_DECIMALS } from '../../src/base/words.ts';
import { integer } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { picked } from '../rows.ts';
import { facts, heading, quoted, say } from '../say.ts';
import { defineTool } from '../tool.ts';

/** The tokens of the service that earned most (C-STATS-02). */
export const listTopTokens = defineTool({
  name: 'list_top_tokens',
  title: 'List top tokens',
  domain: 'analytics',
  effect: 'read',
  description:
    'Tokens of the service that earned the most fees, highest first. Past fees promise nothing. One token: get_lifetime_fees or get_token_facts.',
  input: z.strictObject({ limit: integer(1, 100, 'Most tokens. Default 10.').nullish() }),
  output: z.looseObject({ tokens: z.array(z.looseObject({})), untrusted: untrustedShape }),
  async run({ limit }, { service }) {
    const answer = await service.call('topTokens', {});
    const { value, untrusted } = fromOutside(
      {
        tokens: answer.slice(0, limit ?? 10).map(({ token, lifetimeFees, tokenInfo, tokenLatestPrice }) => ({
          tokenMint: token,
          feesRaw: String(lifetimeFees),
          ...(/^\d{1,30}$/.test(String(lifetimeFees))
            ? { fees: decimalText(BigInt(String(lifetimeFees)), SOL_DECIMALS) }
            : {}),
          ...picked({ priceSol: tokenLatestPrice?.priceSOL }, ['priceSol']),
          ...picked(tokenInfo ?? {}, ['name', 'symbol']),
        })),
      },
      ['name', 'symbol'],
    );
    return { ...value, untrusted };
  },
  text: ({ tokens }) =>
    say(
      heading(tokens.length, 'token'),
      ...tokens.map(
        (token) =>
          `  ${facts(token, 'tokenMint', 'fees', 'feesRaw', 'priceSol')} · ${quoted(token.symbol)} ${quoted(token.name)}`,
      ),
    ),
});
