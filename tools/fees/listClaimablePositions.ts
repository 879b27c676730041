import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { joinLines, whole } from '../resultText.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const NAMES = [
  'tokenMint',
  'baseMint',
  'quoteMint',
  'kind',
  'basisPoints',
  'claimableAmountRaw',
  'claimableAmount',
] as const;

/** Returns the known fields of a row; a null amount is unknown. */
const ofItem = (item: object): Record<string, unknown> =>
  Object.fromEntries(
    NAMES.filter((name) => Object.hasOwn(item, name)).map((name) => [name, Reflect.get(item, name)]),
  );

/** Claimable amounts of a fee recipient; an unknown amount is null, never 0 (C-CLAIM-05). */
export const listClaimablePositions = defineTool({
  name: 'list_claimable_positions',
  title: 'List claimable positions',
  domain: 'fees',
  effect: 'read',
  description:
    'Fees a recipient can claim; null means unknown, not zero. Next: claim_all_fees, or create_fee_claims with tokenMint, quoteMint and source of a row.',
  input: z.strictObject({
    wallet: publicKey('Recipient. Default: yours.').nullish(),
    offset: ParamOffset,
  }),
  output: z.looseObject({
    items: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    complete: z.boolean().nullish(),
    issues: z.array(z.unknown()).nullish(),
  }),
  async run(input, { service, wallet, tokens }) {
    const request = { wallet: input.wallet ?? (await wallet.address()) };
    const answer = cleaned(stated('claimablePositions', await service.call('claimablePositions', request)));
    const { items, ...rest } = answer;
    const known = fromOffset(items, input.offset).map((item) => ({
      ...ofItem(item),
      ...(item.source == null ? {} : { source: picked(Object(item.source), ['kind', 'authority']) }),
    }));
    const shown = await tokens.amounts(
      known.map((row) => [String(Reflect.get(row, 'quoteMint') ?? ''), units(row)] as const),
    );
    const all = known.map((row, index) => ({
      ...row,
      ...picked({ claimable: shown[index]?.amount, symbol: shown[index]?.symbol }, ['claimable', 'symbol']),
    }));
    const { rows, cursor } = pageOf(all, items.length, input.offset);
    return { ...cursor, items: rows, ...rest };
  },
  text: (result) =>
    joinLines(
      whole(result),
      result.complete === false && 'The list is not complete: some positions could not be read.',
    ),
});

/** Returns the claimable base units; `undefined` if unknown. */
const units = ({ claimableAmountRaw }: Record<string, unknown>): bigint =>
  typeof claimableAmountRaw === 'string' && /^\d+$/.test(claimableAmountRaw)
    ? BigInt(claimableAmountRaw)
    : 0n;
