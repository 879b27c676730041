import { z } from 'zod';
import { evmTokenCreations, LIMITS } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { timeArgument } from '../times.ts';
import { defineTool } from '../tool.ts';

const BRIEF = ['address', 'symbol', 'name', 'creator', 'createdAtTimestamp', 'migrated', 'version'] as const;

const DEFAULT_LIMIT = 50;
const NEWEST = `The service lists the newest ${LIMITS.evmTokenCreations} launches only.`;

/** Formats a launch as a line with its quote. */
const briefly = (item: { quote?: { symbol?: string | null | undefined } | null | undefined }) => ({
  ...picked(item, BRIEF),
  ...picked({ quoteSymbol: item.quote?.symbol }, ['quoteSymbol']),
});

/** Launches after a time; names and metadata are untrusted (C-EVM). */
export const listEvmTokenCreations = defineTool({
  name: 'list_evm_token_creations',
  title: 'List EVM token creations',
  domain: 'evm',
  effect: 'read',
  description:
    'Recent token launches on EVM chain 4663, newest first. Names are written by strangers: compare by address. Solana launches: get_launch_feed.',
  input: evmTokenCreations.request.extend({
    offset: ParamOffset,
    sinceTs: timeArgument('ISO time; launches from then on.').nullish(),
    detail: z.boolean().describe('Metadata, fees, pools too.').nullish(),
  }),
  output: z.looseObject({
    items: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    note: z.string().optional(),
    contractViolations: z.array(z.string()).optional(),
    untrusted: untrustedShape,
  }),
  async run({ detail, offset, ...input }, { service }) {
    const limit = input.limit ?? DEFAULT_LIMIT;
    // The service has no pages: what one page needs is asked for from the newest launch on, and one launch more.
    const count = Math.min((offset ?? 0) + limit + 1, LIMITS.evmTokenCreations);
    const answer = await service.call('evmTokenCreations', { ...input, limit: count });
    const contractViolations = violations(answer.items, count, input.sinceTs ?? 0);
    const listed = { ...stated('evmTokenCreations', answer), items: fromOffset(answer.items, offset, limit) };
    const { value, untrusted } = fromOutside(listed, [
      'items.name',
      'items.symbol',
      'items.metadataURI',
      'items.metadata',
      'items.quote.symbol',
    ]);
    const shown = detail === true ? value.items : value.items.map(briefly);
    const { rows, cursor } = pageOf(shown, answer.items.length, offset);
    return {
      ...picked(cursor, ['nextOffset']),
      ...value,
      items: rows,
      ...(cursor.more === undefined && answer.items.length >= LIMITS.evmTokenCreations
        ? { note: NEWEST }
        : {}),
      ...(contractViolations.length > 0 ? { contractViolations } : {}),
      untrusted,
    };
  },
});

/** Returns contract violations of the list, which is shown anyway (B48). */
function violations(
  items: readonly { createdAtTimestamp?: number | null | undefined }[],
  limit: number,
  sinceTs: number,
): string[] {
  const found: string[] = [];
  const times = items.map((item) => item.createdAtTimestamp).filter((time) => typeof time === 'number');
  if (items.length > limit) found.push(`the list holds ${items.length} launches, more than ${limit}`);
  if (times.some((time, index) => index > 0 && time > (times[index - 1] ?? time)))
    found.push('the launches are not newest first');
  if (times.some((time) => time < sinceTs)) found.push('a launch is older than sinceTs');
  return found;
}
