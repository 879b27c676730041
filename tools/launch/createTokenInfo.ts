import { z } from 'zod';
import { checkTokenInfo, imageFile, tokenInfoFields } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { facts, say } from '../say.ts';
import { defineTool } from '../tool.ts';

/** The first step of every launch: a record at the service, free and harmless until it is launched (C-INFO). */
export const createTokenInfo = defineTool({
  name: 'create_token_info',
  title: 'Create token info',
  domain: 'launch',
  effect: 'write',
  description:
    'Registers a new token: first step of every launch, nothing on chain yet. Give image, imageUrl or metadataUrl. Next: create_fee_share_config, or create_damm_launch; tokenMetadata is their ipfs.',
  input: z
    .strictObject({
      ...tokenInfoFields,
      image: z.string().min(1).max(1024).describe('Local file under the --images folder.').nullish(),
    })
    .superRefine(checkTokenInfo),
  output: z.looseObject({
    tokenMint: z.string(),
    tokenMetadata: z.string(),
    tokenLaunch: z.unknown().optional(),
    untrusted: untrustedShape,
  }),
  async run({ image, ...fields }, { service, images }) {
    const file = typeof image === 'string' ? imageFile.parse(await images.read(image)) : undefined;
    const answer = await service.call('createTokenInfo', {
      ...fields,
      ...(file === undefined ? {} : { image: file }),
    });
    const { value, untrusted } = fromOutside(stated('createTokenInfo', answer), [
      'tokenLaunch.name',
      'tokenLaunch.symbol',
      'tokenLaunch.description',
    ]);
    return { ...value, untrusted };
  },
  text: (result) =>
    say(
      `Registered, nothing on chain yet: ${facts(result, 'tokenMint', 'tokenMetadata')}`,
      'Next: create_fee_share_config with this mint as baseMint, or create_damm_launch.',
    ),
});
