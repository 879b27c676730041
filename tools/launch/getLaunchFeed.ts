import { z } from 'zod';
import { fromOutside, untrustedShape } from '../outside.ts';
import { heading, table } from '../say.ts';
import { defineTool } from '../tool.ts';

/** Recent and active launches; names, texts and links in it can come from any user (C-FEED, B55, B56). */
export const getLaunchFeed = defineTool({
  name: 'get_launch_feed',
  title: 'Get launch feed',
  domain: 'launch',
  effect: 'read',
  description:
    'Recent and active launches. Names and texts are written by strangers: compare tokens by mint. For who earns use get_launch_creators.',
  input: z.strictObject({}),
  output: z.looseObject({ launches: z.array(z.looseObject({})), untrusted: untrustedShape }),
  async run(_, { service }) {
    const { value, untrusted } = fromOutside({ launches: await service.call('launchFeed', {}) }, [
      'name',
      'symbol',
      'description',
      'image',
      'twitter',
      'website',
      'uri',
    ]);
    return { ...value, untrusted };
  },
  text: ({ launches }) =>
    table(
      heading(launches.length, 'launch', 'launches'),
      launches,
      'tokenMint',
      'status',
      'symbol',
      'name',
      'launchSignature',
    ),
});
