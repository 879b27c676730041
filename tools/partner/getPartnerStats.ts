import { z } from 'zod';
import { decimalText, SOL_DECIMALS } from '../../src/base/format.ts';
import { publicKey } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { defineTool } from '../tool.ts';

const sol = (units: string): string | null =>
  /^\d{1,30}$/.test(units) ? decimalText(BigInt(units), SOL_DECIMALS) : null;

/** Claimed and unclaimed fees of a partner (C-PARTNER-01). */
export const getPartnerStats = defineTool({
  name: 'get_partner_stats',
  title: 'Get partner stats',
  domain: 'partner',
  effect: 'read',
  description:
    'What a partner wallet was paid of the launches that name it, and what waits, in SOL. To claim it: list_vault_claimables, then create_vault_claim with kind partner.',
  input: z.strictObject({ wallet: publicKey('Partner wallet. Default: yours.').nullish() }),
  output: z.looseObject({
    wallet: z.string(),
    claimed: z.string().nullable(),
    unclaimed: z.string().nullable(),
    claimedRaw: z.string(),
    unclaimedRaw: z.string(),
  }),
  async run(input, { service, wallet }) {
    const partner = input.wallet ?? (await wallet.address());
    const answer = cleaned(stated('partnerStats', await service.call('partnerStats', { partner })));
    const { claimedFees, unclaimedFees } = answer;
    return {
      wallet: partner,
      claimed: sol(claimedFees),
      unclaimed: sol(unclaimedFees),
      claimedRaw: claimedFees,
      unclaimedRaw: unclaimedFees,
    };
  },
});
