/** Launch-info records and the quote tokens launches can use. docs/contract.md C-INFO-01 … 04, C-QUOTE-01 … 04, C-STATE-01. */
import { z } from 'zod';
import { LIMITS } from '../constants.ts';
import { reading, writing } from '../endpoint.ts';
import { texts } from '../nullishFields.ts';
import { FLOWS, link, refusing, text } from '../params.ts';

/** An image as bytes, ready to be a multipart file. */
export const imageFile = z.strictObject({
  bytes: z.instanceof(Uint8Array).refine((bytes) => bytes.length > 0 && bytes.length < LIMITS.imageBytes, {
    error: 'must be smaller than 15 MB',
  }),
  type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  name: text(1, 100, 'File name.'),
});

export const tokenInfoFields = {
  name: text(1, LIMITS.tokenName, 'Token name.'),
  symbol: text(1, LIMITS.tokenSymbol, 'Ticker.'),
  description: text(1, LIMITS.tokenDescription, 'What the token is.', 'many'),
  imageUrl: link(LIMITS.link, 'Image link.').nullish(),
  metadataUrl: link(LIMITS.link, 'Ready metadata, used as is.').nullish(),
  telegram: text(1, LIMITS.link, 'Telegram link.').nullish(),
  twitter: text(1, LIMITS.link, 'Twitter link.').nullish(),
  website: link(LIMITS.link, 'Website.').nullish(),
};

/** Requires an image or metadata, and at most one image (C-INFO-03). */
export function checkTokenInfo(
  value: { image?: unknown; imageUrl?: string | null | undefined; metadataUrl?: string | null | undefined },
  context: z.RefinementCtx,
): void {
  const refuse = refusing(value, context);
  const given = (field: unknown) => field !== undefined && field !== null;
  if (!given(value.image) && !given(value.imageUrl) && !given(value.metadataUrl)) {
    refuse('imageUrl', 'give an image, an imageUrl or a metadataUrl');
  }
  if (given(value.image) && given(value.imageUrl)) {
    refuse('imageUrl', 'give either image or imageUrl, not both');
  }
}

export const createTokenInfo = writing('/token-launch/create-token-info', {
  send: 'multipart',
  request: z.strictObject({ ...tokenInfoFields, image: imageFile.nullish() }).superRefine(checkTokenInfo),
  response: z.looseObject({
    tokenMint: z.string(),
    /** The metadata URI; what later launches call `ipfs`. */
    tokenMetadata: z.string(),
    tokenLaunch: z
      .looseObject({
        ...texts('userId', 'name', 'symbol', 'description', 'telegram', 'twitter', 'website', 'image'),
        ...texts('tokenMint', 'status', 'launchWallet', 'launchSignature', 'uri', 'createdAt', 'updatedAt'),
      })
      .nullish(),
  }),
  reconcile:
    'A launch record may have been made; it costs nothing and does nothing until it is launched. Asking again makes another one.',
});

export const quoteTokenSchema = z.looseObject({
  ...texts('mint', 'tokenProgram', 'name', 'symbol'),
  decimals: z.number().nullish(),
  profileEligible: z.boolean().nullish(),
  launchAvailability: z.unknown().optional(),
  flows: z
    .array(
      z.looseObject({
        flow: z.string().nullish(),
        configs: z
          .array(z.looseObject({ configType: z.string(), graduationThresholdRaw: z.string().nullish() }))
          .nullish(),
      }),
    )
    .nullish(),
});

export const supportedQuoteTokens = reading('/token-launch/supported-quote-tokens', {
  keyed: 'try',
  request: z.strictObject({ flow: z.enum(FLOWS).describe('Only this flow.').nullish() }),
  response: z.looseObject({ tokens: z.array(quoteTokenSchema) }),
});

/** Quotes of the custody launch. The service answers any query parameter with 400 (C-QUOTE-04). */
export const dammSupportedQuoteTokens = reading('/token-launch/damm-v2/supported-quote-tokens', {
  keyed: 'try',
  send: 'none',
  request: z.strictObject({}),
  response: z.looseObject({
    tokens: z.array(
      z.looseObject({
        mint: z.string(),
        tokenProgram: z.string(),
        ...texts('name', 'symbol', 'uri', 'image'),
        decimals: z.number().nullish(),
      }),
    ),
  }),
});
