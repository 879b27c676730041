import { z } from 'zod';
import { CONFIG_TYPES } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { heading, say, table } from '../say.ts';
import { defineTool } from '../tool.ts';

/** Two endpoints behind one question: which quotes can a launch of this kind use (C-QUOTE). */
export const listSupportedQuoteTokens = defineTool({
  name: 'list_supported_quote_tokens',
  title: 'List supported quote tokens',
  domain: 'launch',
  effect: 'read',
  description:
    'Quote mints a launch can use: dbc and damm_v2_direct for fee share configs (with their serviceConfigType values), custody for create_damm_launch. SOL always works with configs.',
  input: z.strictObject({
    launch: z.enum(['dbc', 'damm_v2_direct', 'custody']).describe('Kind of launch.'),
  }),
  output: z.looseObject({
    tokens: z.array(z.looseObject({})),
    configTypes: z.array(z.unknown()).optional(),
    untrusted: untrustedShape,
  }),
  async run({ launch }, { service }) {
    const answer =
      launch === 'custody'
        ? stated('dammSupportedQuoteTokens', await service.call('dammSupportedQuoteTokens', {}))
        : stated('supportedQuoteTokens', await service.call('supportedQuoteTokens', { flow: launch }));
    const { value, untrusted } = fromOutside<{ tokens: Record<string, unknown>[] }>(answer, [
      'tokens.name',
      'tokens.symbol',
    ]);
    // The ids of serviceConfigType, whose fees and thresholds describe SOL quotes (C-CONFIG-20 … 26).
    const configTypes = launch === 'dbc' ? { configTypes: Object.values(CONFIG_TYPES) } : {};
    return { ...value, ...configTypes, untrusted };
  },
  text: ({ tokens, configTypes }) =>
    say(
      table(
        heading(tokens.length, 'quote token'),
        tokens,
        'symbol',
        'mint',
        'decimals',
        'tokenProgram',
        'profileEligible',
      ),
      configTypes &&
        table(
          'Config types (serviceConfigType) on SOL quotes:',
          configTypes.filter((each) => typeof each === 'object' && each !== null),
          'id',
          'label',
          'feeBpsBefore',
          'feeBpsAfter',
          'graduationSol',
          'lockedPercent',
        ),
    ),
});
