import { z } from 'zod';
import { dammLaunchFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { byService, cleaned } from '../outside.ts';
import { builtFields, builtText } from '../planResult.ts';
import { facts, joinLines } from '../resultText.ts';
import { defineTool } from '../tool.ts';

/** The custody bundle: a direct pool without fee share config (C-BUNDLE). */
export const createDammLaunch = defineTool({
  name: 'create_damm_launch',
  title: 'Create DAMM launch (custody)',
  domain: 'launch',
  effect: 'build',
  description:
    'Builds the bundle that launches a token into a DAMM v2 pool with position custody, without fee sharing (else create_fee_share_damm_launch). Next: submit_plan, also when uncertain.',
  input: z.strictObject({
    ...dammLaunchFields,
    again,
    wallet: dammLaunchFields.wallet.describe('Launch wallet. Default: yours.').nullish(),
  }),
  output: z.looseObject({ ...builtFields, launch: z.unknown().optional() }),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, wallet: input.wallet ?? (await context.wallet.address()) };
    const { answer, opened } = await build(context, 'dammLaunch', request, repeat);
    return { launch: cleaned(answer.launch), ...byService({ launch: null }), ...opened };
  },
  text: (result) =>
    joinLines(
      builtText(result),
      typeof result.launch === 'object' &&
        result.launch !== null &&
        facts(result.launch, 'tokenMint', 'quoteMint', 'pool', 'feeClaimerWallet', 'lookupTable'),
    ),
});
