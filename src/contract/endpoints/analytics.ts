/** Lifetime earnings of tokens. docs/contract.md C-STATS-01 … 03. */
import { z } from 'zod';
import { reading } from '../endpoint.ts';
import { texts } from '../nullishFields.ts';
import { ParamMint } from '../params.ts';
import { launchCreatorSchema } from './launch.ts';

/** Lifetime fees of a token, in lamports. */
export const tokenLifetimeFees = reading('/token-launch/lifetime-fees', {
  keyed: 'try',
  request: z.strictObject({ tokenMint: ParamMint }),
  response: z.union([z.string(), z.number()]),
  notFound: 'The service knows no launch of this token.',
});

/** Tokens with the highest fees. Data of other services is passed through. */
export const topTokens = reading('/token-launch/top-tokens/lifetime-fees', {
  keyed: 'try',
  send: 'none',
  request: z.strictObject({}),
  response: z.array(
    z.looseObject({
      token: z.string(),
      lifetimeFees: z.union([z.string(), z.number()]),
      tokenInfo: z
        .looseObject({
          ...texts('name', 'symbol'),
          decimals: z.number().nullish(),
        })
        .nullish(),
      creators: z.array(launchCreatorSchema).nullish(),
      tokenSupply: z.looseObject({ amount: z.string().nullish(), decimals: z.number().nullish() }).nullish(),
      tokenLatestPrice: z.looseObject({ priceSOL: z.number().nullish() }).nullish(),
    }),
  ),
});

/** Claimed lamports of each claimer of a token. */
export const claimStats = reading('/token-launch/claim-stats', {
  keyed: 'try',
  request: z.strictObject({ tokenMint: ParamMint }),
  response: z.array(
    launchCreatorSchema.extend({ totalClaimed: z.union([z.string(), z.number()]).nullish() }),
  ),
  notFound: 'The service knows no launch of this token.',
});
