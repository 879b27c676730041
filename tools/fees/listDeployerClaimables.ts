import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { cleaned } from '../outside.ts';
import { plain } from '../say.ts';
import { defineTool } from '../tool.ts';

/** A deployer's share, in the shape the service chooses: it is not published (C-DEPLOY-02). */
export const listDeployerClaimables = defineTool({
  name: 'list_deployer_claimables',
  title: 'List deployer claimables',
  domain: 'fees',
  effect: 'read',
  description:
    'Deployer revenue of a wallet: its 25% of fee-share launches it paid for. Next: create_deployer_claims. Recipients: list_claimable_positions; vaults: list_vault_claimables.',
  input: z.strictObject({ wallet: publicKey('Deployer. Default: the only wallet.').nullish() }),
  output: z.looseObject({ claimables: z.unknown() }),
  async run(input, { service, wallet }) {
    const answer = await service.call('deployerClaimables', {
      wallet: input.wallet ?? (await wallet.address()),
    });
    return { claimables: cleaned(answer) };
  },
  text: ({ claimables }) => `Deployer claimables, as the service states them: ${plain(claimables)}`,
});
