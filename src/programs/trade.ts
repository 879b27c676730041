/** Trades with a pool of two mints, where the token accounts show the direction. */
import type { AccountUse, Address } from '../transaction/types.ts';
import type { ActOf } from './acts.ts';
import { assetIn, holder, type View } from './view.ts';

export type Limits = Pick<ActOf<'swap'>, 'mostIn' | 'leastOut' | 'exact'>;

/** The limits of a trade whose two numbers mean what its mode says. */
export function limitsOf({
  amount0,
  amount1,
  swapMode,
}: {
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly swapMode: 'exactIn' | 'partialFill' | 'exactOut';
}): Limits {
  if (swapMode === 'exactOut') return { mostIn: amount1, leastOut: amount0, exact: 'out' };
  return { mostIn: amount0, leastOut: amount1, exact: swapMode === 'exactIn' ? 'in' : 'partial' };
}

interface TradeAccounts {
  readonly pool: AccountUse;
  readonly inputTokenAccount: AccountUse;
  readonly outputTokenAccount: AccountUse;
  readonly payer: AccountUse;
  readonly referralTokenAccount?: AccountUse;
}

/** One trade. The direction is known where one of the two token accounts is. */
export function tradeActs(
  view: View,
  venue: string,
  accounts: TradeAccounts,
  one: Address,
  other: Address,
  limits: Limits,
): readonly [ActOf<'swap'>] {
  const payer = accounts.payer.address;
  const source = accounts.inputTokenAccount.address;
  const destination = accounts.outputTokenAccount.address;
  const partnerOf = (mint: Address | undefined): Address | undefined => {
    if (mint === one) return other;
    return mint === other ? one : undefined;
  };
  const input =
    assetIn(view, source, payer, [one, other]) ?? partnerOf(assetIn(view, destination, payer, [one, other]));
  const output = partnerOf(input);
  const referral = accounts.referralTokenAccount?.address;
  return [
    {
      act: 'swap',
      venue,
      pool: accounts.pool.address,
      pair: [one, other],
      ...(input === undefined ? {} : { input }),
      ...(output === undefined ? {} : { output }),
      ...limits,
      source: holder(view, source),
      destination: holder(view, destination),
      authority: payer,
      ...(referral === undefined ? {} : { referral }),
    },
  ];
}
