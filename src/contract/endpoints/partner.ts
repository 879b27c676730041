/** Earnings of partners, and the tokens a fee share manager manages. docs/contract.md C-PARTNER-01, C-ADMIN-01. */
import { z } from 'zod';
import { reading } from '../endpoint.ts';
import { publicKey } from '../params.ts';

/** Claimed and unclaimed fees of a partner, in lamports. */
export const partnerStats = reading('/fee-share/partner-config/stats', {
  request: z.strictObject({ partner: publicKey('Partner wallet.') }),
  response: z.looseObject({ claimedFees: z.string(), unclaimedFees: z.string() }),
  notFound: 'The wallet has no partner config.',
});

/** The tokens whose fee split a wallet may change. */
export const adminTokens = reading('/fee-share/admin/list', {
  request: z.strictObject({ wallet: publicKey('Manager of the configs.') }),
  response: z.looseObject({ tokenMints: z.array(z.string()) }),
});
