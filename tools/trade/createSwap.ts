import { z } from 'zod';
import { tradeSwapFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { byService, cleaned, stated } from '../outside.ts';
import { builtFields, builtText } from '../planResult.ts';
import { facts, say } from '../say.ts';
import { defineTool } from '../tool.ts';
import { quoteWarnings } from './quoteWarnings.ts';

/** A swap of a quote fetched here; one this home does not hold is refused by the policy (C-TRADE). */
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
    feeMint: z.string(),
    feeSide: z.string(),
    feeLamports: z.string(),
    provider: z.unknown().optional(),
    warnings: z.array(z.string()).optional(),
  }),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, userPublicKey: input.userPublicKey ?? (await context.wallet.address()) };
    const { answer, opened } = await build(context, 'tradeSwap', request, repeat);
    const { feeMint, feeSide, feeLamports, provider } = stated('tradeSwap', answer);
    const fields = { feeMint, feeSide, feeLamports, ...(provider == null ? {} : { provider }) };
    const warnings = quoteWarnings(await context.plans.quoted(input.requestId));
    return {
      ...cleaned(fields),
      ...byService(fields),
      ...opened,
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  },
  text: (result) =>
    say(
      ...(result.warnings ?? []),
      builtText(result),
      `Service fee, as the service states it: ${facts(result, 'feeMint', 'feeSide', 'feeLamports', 'provider')}`,
    ),
});
