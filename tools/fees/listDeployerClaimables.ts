import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { cleaned } from '../outside.ts';
import { plain, whole } from '../resultText.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

/** A deployer's claimable fees. The response schema is undocumented (C-DEPLOY-02). */
export const listDeployerClaimables = defineTool({
  name: 'list_deployer_claimables',
  title: 'List deployer claimables',
  domain: 'fees',
  effect: 'read',
  description:
    'Deployer revenue of a wallet: its 25% of fee-share launches it paid for. Next: create_deployer_claims, or claim_all_fees.',
  input: z.strictObject({
    wallet: publicKey('Deployer. Default: yours.').nullish(),
    offset: ParamOffset,
  }),
  output: z.looseObject({
    claimables: z.unknown(),
    nextOffset: z.number().nullish(),
    asStated: z.boolean().optional(),
  }),
  async run(input, { service, wallet, tokens }) {
    const answer = cleaned(
      await service.call('deployerClaimables', { wallet: input.wallet ?? (await wallet.address()) }),
    );
    const all = positionsOf(answer);
    if (all === undefined) return { claimables: answer, asStated: true };
    const positions = fromOffset(all, input.offset);
    const amounts = await tokens.amounts(
      positions.map(({ quoteMint, units }) => [quoteMint, units] as const),
    );
    const shown = positions.map(({ tokenMint, quoteMint, units }, index) => ({
      tokenMint,
      quoteMint,
      claimableAmountRaw: `${units}`,
      ...picked({ claimable: amounts[index]?.amount, symbol: amounts[index]?.symbol }, [
        'claimable',
        'symbol',
      ]),
    }));
    const { rows, cursor } = pageOf(shown, all.length, input.offset);
    return { ...cursor, claimables: rows };
  },
  text: ({ asStated, ...result }) =>
    asStated === true
      ? `Deployer claimables, as the service states them: ${plain(result.claimables)}`
      : whole(result),
});

/** Parses positions of the known shape; `undefined` for any other. */
export function positionsOf(
  answer: unknown,
): { tokenMint: string; quoteMint: string; units: bigint }[] | undefined {
  const read = FORM.safeParse(answer);
  if (!read.success) return undefined;
  return read.data.positions.map(({ tokenMint, quoteMint, claimableAmountRaw }) => ({
    tokenMint,
    quoteMint,
    units: BigInt(claimableAmountRaw),
  }));
}

const FORM = z.strictObject({
  positions: z.array(
    z.strictObject({
      tokenMint: publicKey('Token.'),
      quoteMint: publicKey('Quote.'),
      claimableAmountRaw: z.string().regex(/^\d{1,20}$/),
    }),
  ),
  vaults: z.array(z.unknown()).max(0),
});
