import { z } from 'zod';
import { checkSplit, updateFeeShareConfigFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** The `manager_update` operation: a new split of an existing config (C-UPDATE). */
export const updateFeeShareConfig = defineTool({
  name: 'update_fee_share_config',
  title: 'Update fee share config',
  domain: 'fees',
  effect: 'build',
  description:
    'Builds a new fee split for an existing config; only its admin can. The list replaces the old one whole. Next: submit_plan; expect an approval.',
  input: z
    .strictObject({
      ...updateFeeShareConfigFields,
      again,
      payer: updateFeeShareConfigFields.payer.describe("The config's admin. Default: yours.").nullish(),
    })
    .superRefine(checkSplit),
  output: z.looseObject(builtFields),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, payer: input.payer ?? (await context.wallet.address()) };
    return (await build(context, 'updateFeeShareConfig', request, repeat)).opened;
  },
  text: builtText,
});
