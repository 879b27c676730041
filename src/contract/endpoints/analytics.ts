/** What tokens earned, over their whole life. The official client of the known deployment asks these. docs/contract.md C-STATS-01 … 05. */
import { z } from 'zod';
import { LIMITS } from '../constants.ts';
import { reading } from '../endpoint.ts';
import { ParamMint, publicKey, text } from '../params.ts';
import { texts } from '../unsaid.ts';
import { FEE_SHARE_PROVIDERS } from './feeShare.ts';
import { launchCreatorSchema } from './launch.ts';

/** Everything a token earned in fees, in lamports. */
export const tokenLifetimeFees = reading('/token-launch/lifetime-fees', {
  keyed: 'try',
  request: z.strictObject({ tokenMint: ParamMint }),
  response: z.union([z.string(), z.number()]),
  notFound: 'The service knows no launch of this token.',
});

/** The tokens that earned most. What other services say of a token is passed on as it comes. */
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

/** What each wallet that earns from a token has claimed of it, in lamports. */
export const claimStats = reading('/token-launch/claim-stats', {
  keyed: 'try',
  request: z.strictObject({ tokenMint: ParamMint }),
  response: z.array(
    launchCreatorSchema.extend({ totalClaimed: z.union([z.string(), z.number()]).nullish() }),
  ),
  notFound: 'The service knows no launch of this token.',
});

/** Wallets of many handles at once. A handle without a wallet has null. */
export const feeShareWallets = reading('/fee-share/wallet/v2/bulk', {
  method: 'POST',
  send: 'json',
  request: z.strictObject({
    items: z
      .array(
        z.strictObject({
          username: text(1, LIMITS.username, 'Handle.'),
          provider: z.enum(FEE_SHARE_PROVIDERS).describe('Platform of the handle.'),
        }),
      )
      .min(1)
      .max(100)
      .describe('Handles to look up.'),
  }),
  response: z.array(
    z.looseObject({
      username: z.string(),
      provider: z.string(),
      platformData: z.looseObject({}).nullish(),
      wallet: z.string().nullish(),
    }),
  ),
  retry: 'never',
});

/** The curve configs whose fees go to these vaults; null where a vault has none. */
export const poolConfigs = reading('/token-launch/state/pool-config', {
  method: 'POST',
  send: 'json',
  request: z.strictObject({
    feeClaimerVaults: z.array(publicKey('Vault.')).min(1).max(100).describe('Vaults that collect fees.'),
  }),
  response: z.looseObject({ poolConfigKeys: z.array(z.string().nullable()) }),
  retry: 'never',
});
