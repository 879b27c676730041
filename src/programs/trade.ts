/** Swaps in pools of two mints, whose direction follows from the token accounts. */
import type { AccountUse, Address } from '../transaction/types.ts';
import type { ActOf } from './acts.ts';
import { assetIn, holder, type View } from './view.ts';

export type Limits = Pick<ActOf<'swap'>, 'maxIn' | 'minOut' | 'exact'>;

/** Returns the limits of a swap from its two amounts, by mode. */
export function limitsOf({
  amount0,
  amount1,
  swapMode,
}: {
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly swapMode: 'exactIn' | 'partialFill' | 'exactOut';
}): Limits {
  if (swapMode === 'exactOut') return { maxIn: amount1, minOut: amount0, exact: 'out' };
  return { maxIn: amount0, minOut: amount1, exact: swapMode === 'exactIn' ? 'in' : 'partial' };
}

interface TradeAccounts {
  readonly pool: AccountUse;
  readonly inputTokenAccount: AccountUse;
  readonly outputTokenAccount: AccountUse;
  readonly payer: AccountUse;
  readonly referralTokenAccount?: AccountUse;
}

/** Returns the act of a swap. Input and output are present if the mint of one token account is known. */
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
  const otherOf = (mint: Address | undefined): Address | undefined => {
    if (mint === one) return other;
    return mint === other ? one : undefined;
  };
  const input =
    assetIn(view, source, payer, [one, other]) ?? otherOf(assetIn(view, destination, payer, [one, other]));
  const output = otherOf(input);
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
