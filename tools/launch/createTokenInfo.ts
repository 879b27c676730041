import { z } from 'zod';
import { checkTokenInfo, imageFile, tokenInfoFields } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { joinLines, line } from '../resultText.ts';
import { picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const LAUNCH =
  'create_fee_share_config with this tokenMint, then a launch with tokenMint and tokenMetadata; or create_damm_launch.';
/** A launch must write these texts; the policy denies other ones (T137). */
const RENAMED =
  'create_token_info again. The service keeps another name or symbol than you gave (tokenLaunch), and a launch under it would be refused: give ones that the service keeps as they are.';

/** The first step of every launch: a free record at the service (C-INFO). */
export const createTokenInfo = defineTool({
  name: 'create_token_info',
  title: 'Create token info',
  domain: 'launch',
  effect: 'write',
  description:
    'Registers a new token: first step of every launch, nothing on chain yet. Give image, imageUrl or metadataUrl. Next: create_fee_share_config, or create_damm_launch.',
  input: z
    .strictObject({
      ...tokenInfoFields,
      image: z.string().min(1).max(1024).describe('Local file under the images folder.').nullish(),
    })
    .superRefine(checkTokenInfo),
  output: z.looseObject({
    tokenMint: z.string(),
    tokenMetadata: z.string(),
    tokenLaunch: z.unknown().optional(),
    next: z.string(),
    untrusted: untrustedShape,
  }),
  async run({ image, ...fields }, { service, images, plans }) {
    const file = typeof image === 'string' ? imageFile.parse(await images.read(image)) : undefined;
    const answer = await service.call('createTokenInfo', {
      ...fields,
      ...(file === undefined ? {} : { image: file }),
    });
    const { value, untrusted } = fromOutside(stated('createTokenInfo', answer), [
      'tokenLaunch.name',
      'tokenLaunch.symbol',
    ]);
    const { tokenMint, tokenMetadata, tokenLaunch } = value;
    const { name, symbol } = fields;
    const { tokenLaunch: kept } = answer;
    const isKept = (kept?.name ?? name) === name && (kept?.symbol ?? symbol) === symbol;
    // A question about the token says these words; that they could not be kept is no reason to lose the token.
    if (typeof name === 'string' && typeof symbol === 'string')
      await plans.rememberToken(tokenMint, { name, symbol }).catch(() => undefined);
    return {
      tokenMint,
      tokenMetadata,
      tokenLaunch: picked(tokenLaunch ?? {}, ['name', 'symbol']),
      next: isKept ? LAUNCH : RENAMED,
      untrusted,
    };
  },
  text: ({ next, ...result }) =>
    joinLines(`Registered, nothing on chain yet: ${line(result)}`, `Next: ${next}`),
});
