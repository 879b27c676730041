import { z } from 'zod';
import { createLaunchConfig as endpoint, wallet as walletParam } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { byService, cleaned } from '../outside.ts';
import { builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** The oldest layer of the contract, kept for completeness (C-LEGACY). */
export const createLaunchConfig = defineTool({
  name: 'create_launch_config',
  title: 'Create launch config (legacy)',
  domain: 'legacy',
  effect: 'build',
  description:
    'Oldest, retired way to make a launch config without fee sharing. Use create_fee_share_config unless a person asks for this. Next: submit_plan.',
  input: z.strictObject({
    again,
    launchWallet: walletParam('Launch wallet. Default: the only wallet.').nullish(),
  }),
  output: z.looseObject({ configKey: z.string(), ...builtFields }),
  async run({ again: repeat, ...input }, context) {
    const request = endpoint.request.parse({
      launchWallet: input.launchWallet ?? (await context.wallet.address()),
    });
    const { answer, opened } = await build(context, 'createLaunchConfig', request, repeat);
    return { configKey: cleaned(answer.configKey), ...byService({ configKey: null }), ...opened };
  },
  text: builtText,
});
