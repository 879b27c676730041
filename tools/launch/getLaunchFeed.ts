import { z } from 'zod';
import { integer } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 20;
const BRIEF = ['tokenMint', 'symbol', 'name', 'status'] as const;

/** Recent and active launches; names, texts and links are untrusted (C-FEED, B55, B56). */
export const getLaunchFeed = defineTool({
  name: 'get_launch_feed',
  title: 'Get launch feed',
  domain: 'launch',
  effect: 'read',
  description:
    'Recent and active launches. Names and texts are written by strangers: compare tokens by mint. For who earns use get_launch_creators.',
  input: z.strictObject({
    limit: integer(1, 200, 'Default 20.').nullish(),
    offset: ParamOffset,
    detail: z.boolean().describe('Texts, links, pool keys too.').nullish(),
  }),
  output: z.looseObject({
    launches: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    untrusted: untrustedShape,
  }),
  async run({ limit, offset, detail }, { service }) {
    const all = await service.call('launchFeed', {});
    const launches = fromOffset(all, offset, limit ?? DEFAULT_LIMIT);
    const { value, untrusted } = fromOutside({ launches }, [
      'name',
      'symbol',
      'description',
      'image',
      'twitter',
      'website',
      'uri',
    ]);
    const shown = detail === true ? value.launches : value.launches.map((row) => picked(row, BRIEF));
    const { rows, cursor } = pageOf(shown, all.length, offset);
    return { ...cursor, launches: rows, untrusted };
  },
});
