import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { cleaned } from '../outside.ts';
import { heading, plain, say } from '../say.ts';
import { defineTool } from '../tool.ts';

/** Tokens whose fee split a wallet may change (C-ADMIN-01). */
export const listAdminTokens = defineTool({
  name: 'list_admin_tokens',
  title: 'List managed tokens',
  domain: 'admin',
  effect: 'read',
  description:
    'Tokens whose fee split a wallet manages and may change with update_fee_share_config. Who earns now: get_launch_creators. Giving the management away is never signed here.',
  input: z.strictObject({ wallet: publicKey('Manager. Default: the only wallet.').nullish() }),
  output: z.looseObject({ wallet: z.string(), tokenMints: z.array(z.string()) }),
  async run(input, { service, wallet }) {
    const manager = input.wallet ?? (await wallet.address());
    const { tokenMints } = cleaned(await service.call('adminTokens', { wallet: manager }));
    return { wallet: manager, tokenMints };
  },
  text: ({ wallet, tokenMints }) =>
    say(
      `Manager ${wallet}. ${heading(tokenMints.length, 'token')}`,
      ...tokenMints.map((mint) => `  ${plain(mint)}`),
    ),
});
