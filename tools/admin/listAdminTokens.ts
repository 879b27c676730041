import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { cleaned } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf } from '../rows.ts';
import { defineTool } from '../tool.ts';

/** Tokens whose fee split a wallet may change (C-ADMIN-01). */
export const listAdminTokens = defineTool({
  name: 'list_admin_tokens',
  title: 'List managed tokens',
  domain: 'admin',
  effect: 'read',
  description:
    'Tokens whose fee split a wallet manages and may change with update_fee_share_config. Who earns now: get_launch_creators. Giving the management away is never signed here.',
  input: z.strictObject({
    wallet: publicKey('Manager. Default: yours.').nullish(),
    offset: ParamOffset,
  }),
  output: z.looseObject({
    wallet: z.string(),
    tokens: z.array(z.object({ tokenMint: z.string() })),
    nextOffset: z.number().nullish(),
  }),
  async run(input, { service, wallet }) {
    const manager = input.wallet ?? (await wallet.address());
    const { tokenMints } = cleaned(await service.call('adminTokens', { wallet: manager }));
    const shown = fromOffset(tokenMints, input.offset).map((tokenMint) => ({ tokenMint }));
    const { rows, cursor } = pageOf(shown, tokenMints.length, input.offset);
    return { wallet: manager, ...cursor, tokens: rows };
  },
});
