import { z } from 'zod';
import { dammLaunchV2Fields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** A direct pool whose fees go to a fee share config of flow damm_v2_direct (C-DIRECT). */
export const createFeeShareDammLaunch = defineTool({
  name: 'create_fee_share_damm_launch',
  title: 'Create DAMM launch with fee sharing',
  domain: 'launch',
  effect: 'build',
  description:
    'Builds the launch of a token into a DAMM v2 pool with a fee share config of flow damm_v2_direct, which must be on chain.',
  input: z.strictObject({
    ...dammLaunchV2Fields,
    again,
    wallet: dammLaunchV2Fields.wallet.describe('Launch wallet. Default: yours.').nullish(),
  }),
  output: z.looseObject(builtFields),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, wallet: input.wallet ?? (await context.wallet.address()) };
    return (await build(context, 'dammLaunchV2', request, repeat)).opened;
  },
  text: builtText,
});
