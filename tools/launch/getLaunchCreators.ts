import { z } from 'zod';
import { creatorDisplayName, ParamMint } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const SHOWN = [
  'wallet',
  'royaltyBps',
  'isCreator',
  'isAdmin',
  'provider',
  'providerUsername',
  'twitterUsername',
  'bagsUsername',
  'username',
] as const;

/** The creators of a launch, with a note that deployer entitlements may be missing (C-CREATOR). */
export const getLaunchCreators = defineTool({
  name: 'get_launch_creators',
  title: 'Get launch creators',
  domain: 'launch',
  effect: 'read',
  description:
    'Creators and fee recipients of a launch with their shares. Omits some deployer entitlements: for those use list_deployer_claimables. Handles are display text; pay by wallet only.',
  input: z.strictObject({
    tokenMint: ParamMint,
    offset: ParamOffset,
    detail: z.boolean().describe('Pictures too.').nullish(),
  }),
  output: z.looseObject({
    creators: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    note: z.string(),
    untrusted: untrustedShape,
  }),
  async run({ detail, offset, tokenMint }, { service }) {
    const all = await service.call('launchCreators', { tokenMint });
    const { value, untrusted } = fromOutside({ creators: fromOffset(all, offset) }, [
      'username',
      'providerUsername',
      'twitterUsername',
      'bagsUsername',
      'displayName',
      'pfp',
    ]);
    const shown = value.creators.map((entry) => ({
      ...picked(entry, detail === true ? [...SHOWN, 'pfp'] : SHOWN),
      displayName: creatorDisplayName(entry) ?? null,
    }));
    const { rows, cursor } = pageOf(shown, all.length, offset);
    return {
      ...cursor,
      creators: rows,
      note: 'The roster does not name every deployer entitlement.',
      untrusted,
    };
  },
});
