import { z } from 'zod';
import { decimalText, SOL_DECIMALS } from '../../src/base/format.ts';
import { creatorDisplayName, ParamMint, refusing } from '../../src/contract/index.ts';
import { fromOutside, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf } from '../rows.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { type CreatorToken, checkCreator, creatorFields, tokensOf, walletOf } from './creator.ts';

/** Maximum tokens or claimers of a page; each needs a request to the service. */
const MAX_TOKENS = 20;

const UNIT =
  'The service states fees in lamports. For a token quoted in another token than SOL the unit is not published.';

/** Lifetime fees of a token, or of all tokens of a creator (C-STATS-01, C-STATS-03). */
export const getLifetimeFees = defineTool({
  name: 'get_lifetime_fees',
  title: 'Get lifetime fees',
  domain: 'analytics',
  effect: 'read',
  description:
    'All fees a token ever earned, what each claimer claimed and can claim; or, by wallet or social handle, the fees of every token of a creator. Next: claim_all_fees.',
  input: z
    .strictObject({
      tokenMint: ParamMint.describe('One token. Default: all tokens of the creator.').nullish(),
      ...creatorFields,
      offset: ParamOffset,
    })
    .superRefine(({ tokenMint, offset: _, ...creator }, context) => {
      if (tokenMint != null && (creator.wallet != null || creator.username != null))
        refusing({ tokenMint }, context)('tokenMint', 'name a token or a creator, not both');
      checkCreator(creator, context);
    }),
  output: z.looseObject({
    wallet: z.string().optional(),
    handle: z.string().optional(),
    total: z.string().optional(),
    tokens: z.array(z.looseObject({})),
    more: z.number().optional(),
    nextOffset: z.number().nullish(),
    note: z.string(),
    untrusted: untrustedShape,
  }),
  async run({ tokenMint, offset, ...input }, context) {
    if (tokenMint != null) {
      const token = await withFees({ tokenMint }, context);
      const all = await claimedOf(tokenMint, context);
      const page = await withClaimable(tokenMint, fromOffset(all, offset, MAX_TOKENS), context);
      const { value, untrusted } = fromOutside(page, ['name']);
      const { rows, cursor } = pageOf(value, all.length, offset);
      return { ...cursor, tokens: [token], claimers: rows, note: UNIT, untrusted };
    }
    const creator = await walletOf(input, context);
    const { tokens: all } = await tokensOf(creator.wallet, context);
    const tokens = [];
    for (const token of fromOffset(all, offset, MAX_TOKENS)) tokens.push(await withFees(token, context));
    const total = tokens.reduce((sum, { feesRaw }) => sum + BigInt(feesRaw ?? '0'), 0n);
    const { rows, cursor } = pageOf(tokens, all.length, offset);
    return {
      ...cursor,
      ...creator,
      // Of the tokens of this page.
      total: decimalText(total, SOL_DECIMALS),
      tokens: rows,
      note: UNIT,
    };
  },
});

/** Parses base units from text or number; `undefined` for other values. */
const unitsOf = (value: unknown): bigint | undefined =>
  /^\d{1,30}$/.test(String(value)) ? BigInt(String(value)) : undefined;

/** Returns a token with its fees; unknown fees are null, not zero. */
async function withFees(token: CreatorToken, { service }: Pick<ToolContext, 'service'>) {
  const units = unitsOf(
    await service.call('tokenLifetimeFees', { tokenMint: token.tokenMint }).catch(() => null),
  );
  return {
    ...token,
    fees: units === undefined ? null : decimalText(units, SOL_DECIMALS),
    feesRaw: units === undefined ? null : String(units),
  };
}

async function claimedOf(tokenMint: string, { service }: Pick<ToolContext, 'service'>) {
  const stats = await service.call('claimStats', { tokenMint });
  return stats.map((entry) => {
    const units = unitsOf(entry.totalClaimed);
    return {
      wallet: entry.wallet,
      name: creatorDisplayName(entry) ?? null,
      ...(typeof entry.royaltyBps === 'number' ? { shareBps: entry.royaltyBps } : {}),
      claimed: units === undefined ? null : decimalText(units, SOL_DECIMALS),
      claimedRaw: units === undefined ? null : String(units),
    };
  });
}

/** Adds the claimable amount of a token to each claimer; unknown amounts are null, not zero. */
async function withClaimable<T extends { readonly wallet: string }>(
  tokenMint: string,
  claimers: readonly T[],
  { service, tokens }: Pick<ToolContext, 'service' | 'tokens'>,
) {
  const rows = [];
  for (const claimer of claimers) {
    const { wallet } = claimer;
    const found = await service.call('claimablePositions', { wallet }).catch(() => undefined);
    const own = found?.items.filter((item) => Object(item).tokenMint === tokenMint);
    const amounts = own?.map(
      (item) => [String(Object(item).quoteMint), unitsOf(Object(item).claimableAmountRaw)] as const,
    );
    const known = amounts?.every(([, units]) => units !== undefined) ? amounts : undefined;
    const shown = await tokens.amounts((known ?? []).map(([mint, units = 0n]) => [mint, units] as const));
    const words = shown.map(({ amount, raw, asset }) =>
      asset === 'SOL' ? amount : `${amount ?? raw} ${asset}`,
    );
    rows.push({
      ...claimer,
      claimable: known === undefined ? null : words.length === 0 ? '0' : words.join(', '),
    });
  }
  return rows;
}
