/** Amounts in result texts: always base units and mint, with decimals and symbol if known. */

import { quoted } from './resultText.ts';
import type { ShownCost } from './tool.ts';

/** Fields of an amount. */
interface Amount {
  readonly asset: string;
  readonly symbol?: string | undefined;
  readonly amount?: string | undefined;
  readonly raw?: string | undefined;
}

/** `0.1 SOL`, `12.5 "ADA" MINT (12500000 base units)`; a symbol is quoted, since its token's creator wrote it. */
export function amountText({ asset, symbol, amount, raw }: Amount): string {
  const isSol = asset === 'SOL';
  const named = symbol === undefined || isSol ? asset : `${quoted(symbol)} ${asset}`;
  if (amount === undefined) return `${raw} base units of ${named}`;
  return `${amount} ${named}${raw === undefined ? '' : ` (${raw} ${isSol ? 'lamports' : 'base units'})`}`;
}

/** Lists amounts, or returns `nothing`. */
export const amountLine = (amounts: readonly Amount[]): string =>
  amounts.length === 0 ? 'nothing' : amounts.map(amountText).join(', ');

/** Describes the moved amounts and fees of landed stages. */
export const moved = (
  changes: readonly Amount[],
  { networkFee, newAccounts }: { networkFee: ShownCost['networkFee']; newAccounts?: string | undefined },
): string =>
  `Moved: ${amountLine(changes)}; network fee ${networkFee} SOL${
    newAccounts === undefined ? '' : `; ${newAccounts} SOL of it is in new accounts`
  }.`;
