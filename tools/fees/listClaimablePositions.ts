import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { heading, say, table } from '../say.ts';
import { defineTool } from '../tool.ts';

/** What a fee recipient can claim; an amount that is not known is null, never 0 (C-CLAIM-05). */
export const listClaimablePositions = defineTool({
  name: 'list_claimable_positions',
  title: 'List claimable positions',
  domain: 'fees',
  effect: 'read',
  description:
    'Fees a recipient can claim; null means unknown, not zero. Next: create_fee_claims. Other revenue: list_vault_claimables, list_deployer_claimables.',
  input: z.strictObject({
    wallet: publicKey('Recipient. Default: the only wallet.').nullish(),
  }),
  output: z.looseObject({
    items: z.array(z.looseObject({})),
    complete: z.boolean().nullish(),
    issues: z.array(z.unknown()).nullish(),
  }),
  async run(input, { service, wallet }) {
    const request = { wallet: input.wallet ?? (await wallet.address()) };
    return cleaned(stated('claimablePositions', await service.call('claimablePositions', request)));
  },
  text: ({ items, complete }) =>
    say(
      table(
        heading(items.length, 'position'),
        items,
        'tokenMint',
        'baseMint',
        'quoteMint',
        'kind',
        'claimableAmountRaw',
        'claimableAmount',
      ),
      complete === false && 'The list is not complete: some positions could not be read.',
    ),
});
