import { z } from 'zod';
import { publicKey, vaultAmountsDisagree } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { heading, say, table } from '../say.ts';
import { defineTool } from '../tool.ts';

/** Aggregate partner and deployer vaults; when amounts disagree the raw one counts and the row says so (B54). */
export const listVaultClaimables = defineTool({
  name: 'list_vault_claimables',
  title: 'List vault claimables',
  domain: 'fees',
  effect: 'read',
  description:
    'Non-empty partner and deployer vaults of a wallet, one per quote mint (DAMM v2). Next: create_vault_claim. Recipients: list_claimable_positions.',
  input: z.strictObject({ wallet: publicKey('Partner or deployer. Default: the only wallet.').nullish() }),
  output: z.looseObject({
    vaults: z.array(z.looseObject({})),
    contractViolations: z.array(z.string()).optional(),
  }),
  async run(input, { service, wallet }) {
    const answer = await service.call('vaultClaimables', {
      wallet: input.wallet ?? (await wallet.address()),
    });
    const vaults = answer.vaults.map((vault) => ({ ...vault, amountsDisagree: vaultAmountsDisagree(vault) }));
    const disagree = vaults.filter((vault) => vault.amountsDisagree).length;
    return {
      ...cleaned(stated('vaultClaimables', { ...answer, vaults })),
      ...(disagree > 0
        ? { contractViolations: [`${disagree} vaults name different amounts: claimableAmountRaw counts`] }
        : {}),
    };
  },
  text: ({ vaults, contractViolations }) =>
    say(
      table(
        heading(vaults.length, 'vault'),
        vaults,
        'kind',
        'quoteMint',
        'claimableAmountRaw',
        'quoteDecimals',
      ),
      ...(contractViolations ?? []),
    ),
});
