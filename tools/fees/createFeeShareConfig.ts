import { z } from 'zod';
import { checkFeeShareConfig, feeShareConfigFields, feeShareConfigNotes } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { byService, cleaned, stated } from '../outside.ts';
import { builtFields, builtText } from '../planResult.ts';
import { facts, joinLines } from '../resultText.ts';
import { picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const SHOWN = ['needsCreation', 'feeShareConfig', 'feeShareAuthority', 'flow', 'venueConfigKey'] as const;

/** The fee split of a token in basis points; the longest staged plan of the contract (C-CONFIG). */
export const createFeeShareConfig = defineTool({
  name: 'create_fee_share_config',
  title: 'Create fee share config',
  domain: 'fees',
  effect: 'build',
  description:
    "Builds the config that splits a token's fees, or shows it (plan null) when on chain. Needed before fee-share launches; quoteMint and flow are final. Change shares: update_fee_share_config.",
  input: z
    .strictObject({
      ...feeShareConfigFields,
      again,
      payer: feeShareConfigFields.payer.describe('Pays; keeps 25% on SOL quotes. Default: yours.').nullish(),
    })
    .superRefine(checkFeeShareConfig),
  output: z.looseObject({
    needsCreation: z.boolean(),
    feeShareConfig: z.string(),
    feeShareAuthority: z.string(),
    venueConfigKey: z.string().nullish(),
    notes: z.array(z.string()).optional(),
    ...builtFields,
  }),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, payer: input.payer ?? (await context.wallet.address()) };
    const { answer, opened } = await build(context, 'feeShareConfig', request, repeat);
    const notes = feeShareConfigNotes(request);
    const fields = picked(stated('feeShareConfig', answer), SHOWN);
    return {
      needsCreation: answer.needsCreation,
      feeShareConfig: answer.feeShareConfig,
      feeShareAuthority: answer.feeShareAuthority,
      ...cleaned(fields),
      ...byService(fields),
      ...(notes.length === 0 ? {} : { notes }),
      ...opened,
    };
  },
  text: (result) =>
    joinLines(
      facts(result, 'needsCreation', 'feeShareConfig', 'feeShareAuthority', 'flow', 'venueConfigKey'),
      builtText(result),
      ...(result.notes ?? []),
    ),
});
