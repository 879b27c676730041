import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { again } from '../build.ts';
import { briefly, builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** Closes one unused lookup table, as a run of its own. */
export const reclaimRent = defineTool({
  name: 'reclaim_rent',
  title: 'Reclaim rent',
  domain: 'claims',
  effect: 'build',
  description:
    'Builds the closing of one lookup table that plans of this home made and no longer use; its rent comes back to the wallet. One table a call.',
  input: z.strictObject({
    lookupTable: publicKey('Table to close. Default: any that can be closed.').nullish(),
    wallet: publicKey('Owner of the table; signs. Default: yours.').nullish(),
    again,
  }),
  output: z.looseObject(builtFields),
  async run({ lookupTable, again: repeat, ...input }, { plans, wallet }) {
    const owner = input.wallet ?? (await wallet.address());
    const request = { wallet: owner, ...(lookupTable == null ? {} : { lookupTable }) };
    return briefly(await plans.build('reclaimRent', request, repeat));
  },
  text: builtText,
});
