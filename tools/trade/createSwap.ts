import { z } from 'zod';
import { tradeSwapFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { builtFields, builtText } from '../planResult.ts';
import { joinLines } from '../resultText.ts';
import { defineTool } from '../tool.ts';
import { quoteWarnings } from './quoteWarnings.ts';

/** A swap of a quote stored in this home; the policy denies others (C-TRADE). */
export const createSwap = defineTool({
  name: 'create_swap',
  title: 'Create swap',
  domain: 'trade',
  effect: 'build',
  description:
    'Builds the swap of a fresh get_swap_quote; a quote fetched elsewhere is refused. Next: submit_plan at once; expired: quote again.',
  input: z.strictObject({
    ...tradeSwapFields,
    again,
    userPublicKey: tradeSwapFields.userPublicKey.describe("The quote's taker. Default: yours.").nullish(),
  }),
  output: z.looseObject({
    ...builtFields,
    warnings: z.array(z.string()).optional(),
  }),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, userPublicKey: input.userPublicKey ?? (await context.wallet.address()) };
    const { opened } = await build(context, 'tradeSwap', request, repeat);
    const warnings = quoteWarnings(await context.plans.quoted(input.requestId));
    return { ...opened, ...(warnings.length === 0 ? {} : { warnings }) };
  },
  text: (result) => joinLines(...(result.warnings ?? []), builtText(result)),
});
