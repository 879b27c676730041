import { z } from 'zod';
import { integer } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { picked } from '../rows.ts';
import { whole } from '../say.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 20;
const BRIEF = ['tokenMint', 'symbol', 'name', 'status'] as const;

/** Recent and active launches; names, texts and links in it can come from any user (C-FEED, B55, B56). */
export const getLaunchFeed = defineTool({
  name: 'get_launch_feed',
  title: 'Get launch feed',
  domain: 'launch',
  effect: 'read',
  description:
    'Recent and active launches. Names and texts are written by strangers: compare tokens by mint. For who earns use get_launch_creators.',
  input: z.strictObject({
    limit: integer(1, 200, 'Most launches. Default 20.').nullish(),
    detail: z.boolean().describe('Texts, links, pool keys too.').nullish(),
  }),
  output: z.looseObject({
    launches: z.array(z.looseObject({})),
    more: z.number().optional(),
    untrusted: untrustedShape,
  }),
  async run({ limit, detail }, { service }) {
    const all = await service.call('launchFeed', {});
    const shown = all.slice(0, limit ?? DEFAULT_LIMIT);
    const { value, untrusted } = fromOutside({ launches: shown }, [
      'name',
      'symbol',
      'description',
      'image',
      'twitter',
      'website',
      'uri',
    ]);
    return {
      launches: detail === true ? value.launches : value.launches.map((row) => picked(row, BRIEF)),
      ...(all.length > shown.length ? { more: all.length - shown.length } : {}),
      untrusted,
    };
  },
  text: whole,
});
