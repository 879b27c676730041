import { z } from 'zod';
import { claimTxsFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** The `position_claim` and `holding_claim` operations: claims of a fee recipient (C-CLAIM). */
export const createFeeClaims = defineTool({
  name: 'create_fee_claims',
  title: 'Create fee claims',
  domain: 'fees',
  effect: 'build',
  description: 'Builds the claim of one row of list_claimable_positions. For all claims: claim_all_fees.',
  input: z.strictObject({
    ...claimTxsFields,
    again,
    feeClaimer: claimTxsFields.feeClaimer.describe('Recipient; signs. Default: yours.').nullish(),
  }),
  output: z.looseObject(builtFields),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, feeClaimer: input.feeClaimer ?? (await context.wallet.address()) };
    return (await build(context, 'claimTxs', request, repeat)).opened;
  },
  text: builtText,
});
