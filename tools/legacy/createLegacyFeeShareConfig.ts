import { z } from 'zod';
import { checkLegacySplit, legacyFeeShareConfigFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { byService, cleaned } from '../outside.ts';
import { builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** Two wallets, the oldest way to share fees (C-LEGACY). */
export const createLegacyFeeShareConfig = defineTool({
  name: 'create_legacy_fee_share_config',
  title: 'Create two-wallet fee share config (legacy)',
  domain: 'legacy',
  effect: 'build',
  description:
    'Oldest, retired fee split between exactly two wallets. Use create_fee_share_config unless a person asks for this. Next: submit_plan.',
  input: z
    .strictObject({
      ...legacyFeeShareConfigFields,
      again,
      payer: legacyFeeShareConfigFields.payer.describe('Pays and signs. Default: the only wallet.').nullish(),
    })
    .superRefine(checkLegacySplit),
  output: z.looseObject({ configKey: z.string(), ...builtFields }),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, payer: input.payer ?? (await context.wallet.address()) };
    const { answer, opened } = await build(context, 'legacyFeeShareConfig', request, repeat);
    return { configKey: cleaned(answer.configKey), ...byService({ configKey: null }), ...opened };
  },
  text: builtText,
});
