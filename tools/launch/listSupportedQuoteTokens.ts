import { z } from 'zod';
import { CONFIG_TYPES } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const BRIEF = [
  'mint',
  'symbol',
  'decimals',
  'tokenProgram',
  'profileEligible',
  'launchAvailability',
] as const;

/** Formats a token as a line, with the config types that do not support it. */
function briefly(token: Record<string, unknown>): Record<string, unknown> {
  const configs = (Array.isArray(token.flows) ? token.flows : []).flatMap((flow: unknown): unknown[] => {
    const listed: unknown = Reflect.get(Object(flow), 'configs');
    return Array.isArray(listed) ? listed : [];
  });
  const has = new Set(configs.map((each) => Reflect.get(Object(each), 'configType')));
  const without = Object.values(CONFIG_TYPES).filter(({ id }) => has.size > 0 && !has.has(id));
  return {
    ...picked(token, BRIEF),
    ...(without.length === 0 ? {} : { withoutConfigTypes: without.map(({ label }) => label) }),
  };
}

/** Quote tokens of a launch type, from two endpoints (C-QUOTE). */
export const listSupportedQuoteTokens = defineTool({
  name: 'list_supported_quote_tokens',
  title: 'List supported quote tokens',
  domain: 'launch',
  effect: 'read',
  description:
    'Quote mints a launch can use: dbc and damm_v2_direct for fee share configs (with their serviceConfigType values), custody for create_damm_launch. SOL always works with configs.',
  input: z.strictObject({
    launch: z.enum(['dbc', 'damm_v2_direct', 'custody']).describe('Kind of launch.'),
    offset: ParamOffset,
    detail: z.boolean().describe('Thresholds of each config type too.').nullish(),
  }),
  output: z.looseObject({
    tokens: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    configTypes: z.array(z.unknown()).optional(),
    untrusted: untrustedShape,
  }),
  async run({ launch, offset, detail }, { service }) {
    const answer =
      launch === 'custody'
        ? stated('dammSupportedQuoteTokens', await service.call('dammSupportedQuoteTokens', {}))
        : stated('supportedQuoteTokens', await service.call('supportedQuoteTokens', { flow: launch }));
    const all: Record<string, unknown>[] = answer.tokens;
    const { value, untrusted } = fromOutside({ ...answer, tokens: fromOffset(all, offset) }, [
      'tokens.name',
      'tokens.symbol',
    ]);
    // The ids of serviceConfigType, whose fees and thresholds describe SOL quotes (C-CONFIG-20 … 26).
    const configTypes = launch === 'dbc' ? { configTypes: Object.values(CONFIG_TYPES) } : {};
    const shown = detail === true ? value.tokens : value.tokens.map(briefly);
    const { rows, cursor } = pageOf(shown, all.length, offset);
    return { ...cursor, ...value, tokens: rows, ...configTypes, untrusted };
  },
});
