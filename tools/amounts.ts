/** Amounts in the text of a result: decimals and symbol where they are known, base units and the whole mint always. */

import { quoted } from './say.ts';
import type { ShownAmount, ShownCost } from './tool.ts';

/** What a text needs of an amount. */
type Amount = Omit<ShownAmount, 'symbol' | 'amount'> & {
  symbol?: string | undefined;
  amount?: string | undefined;
};

/** `0.1 SOL`, `12.5 "ADA" MINT (12500000 base units)`; a symbol is quoted, since its token's creator wrote it. */
export function amountText({ asset, symbol, amount, raw }: Amount): string {
  if (asset === 'SOL') return `${amount ?? raw} SOL (${raw} lamports)`;
  const named = symbol === undefined ? '' : `${quoted(symbol)} `;
  return amount === undefined
    ? `${raw} base units of ${named}${asset}`
    : `${amount} ${named}${asset} (${raw} base units)`;
}

/** Several, or `nothing`. */
export const amountLine = (amounts: readonly Amount[]): string =>
  amounts.length === 0 ? 'nothing' : amounts.map(amountText).join(', ');

/** What landed moved and cost. */
export const moved = (
  changes: readonly Amount[],
  { networkFee, newAccounts }: { networkFee: ShownCost['networkFee']; newAccounts?: string | undefined },
): string =>
  `Moved: ${amountLine(changes)}; network fee ${networkFee} SOL${
    newAccounts === undefined ? '' : `; ${newAccounts} SOL of it lies in new accounts`
  }.`;
