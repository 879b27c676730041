import { z } from 'zod';
import { listWords } from '../../src/base/format.ts';
import { cleaned } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf } from '../rows.ts';
import { defineTool } from '../tool.ts';
import { checkCreator, creatorFields, tokensOf, walletOf } from './creator.ts';

/** The tokens of a creator, by wallet or handle. */
export const listCreatorTokens = defineTool({
  name: 'list_creator_tokens',
  title: 'List tokens of a creator',
  domain: 'analytics',
  effect: 'read',
  description:
    'Tokens a creator earns from, launched or manages, by wallet or social handle. What they earned: get_lifetime_fees. What can be claimed now: list_claimable_positions.',
  input: z.strictObject({ ...creatorFields, offset: ParamOffset }).superRefine(checkCreator),
  output: z.looseObject({
    wallet: z.string(),
    handle: z.string().optional(),
    tokens: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    note: z.string(),
  }),
  async run({ offset, ...input }, context) {
    const creator = await walletOf(input, context);
    const { tokens, unread } = await tokensOf(creator.wallet, context);
    const { rows, cursor } = pageOf(fromOffset(cleaned(tokens), offset), tokens.length, offset);
    return {
      ...cursor,
      ...creator,
      tokens: rows,
      note: `Launches are found among the newest of the service only.${
        unread.length === 0 ? '' : ` The service did not say which tokens it ${listWords(unread)}.`
      }`,
    };
  },
});
