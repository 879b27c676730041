/** The worth of a wallet: its SOL, and the service's quote for the balance of each token. Quotes are not guaranteed. */
import { decimalText } from '../../src/base/format.ts';
import { MAX_ROWS, picked } from '../rows.ts';
import type { ToolContext } from '../tool.ts';

/** Maximum quoted tokens of an answer; each needs a request to the service. */
const MAX_QUOTES = 20;
const SOL_DECIMALS = 9;

/** A token and its share of the total. */
interface Part {
  mint: string;
  symbol?: unknown;
  amount?: unknown;
  /** Quoted SOL; `null` without a quote. */
  worth: string | null;
}

export interface Worth {
  sol: string;
  total: string;
  tokens: Part[];
  /** Number of token accounts without a quote, which the total leaves out. */
  unpriced?: number;
}

/** Quotes the wallet's tokens. `quoteMint`: wrapped SOL. */
export async function worthOf(
  { wallet, service }: Pick<ToolContext, 'wallet' | 'service'>,
  quoteMint: string,
): Promise<Worth> {
  const { address, lamports, tokens, held: all } = await wallet.overview({ offset: 0, most: MAX_ROWS });
  const held: readonly object[] = Array.isArray(tokens) ? tokens : [];
  const parts: Part[] = [];
  let total = BigInt(String(lamports ?? '0'));
  let unpriced = Math.max(0, Number(all) - held.length);
  for (const token of held) {
    const { mint, amountRaw } = picked(token, ['mint', 'amountRaw']);
    if (typeof mint !== 'string' || typeof amountRaw !== 'string' || amountRaw === '0') continue;
    if (parts.length === MAX_QUOTES) {
      unpriced += 1;
      continue;
    }
    const units =
      mint === quoteMint
        ? BigInt(amountRaw)
        : await service
            .call('tradeQuote', {
              inputMint: mint,
              outputMint: quoteMint,
              amount: amountRaw,
              taker: String(address),
            })
            .then(({ outAmount }) => (/^\d+$/.test(outAmount) ? BigInt(outAmount) : undefined))
            .catch(() => undefined);
    total += units ?? 0n;
    parts.push({
      mint,
      ...picked(token, ['symbol', 'amount']),
      worth: units === undefined ? null : decimalText(units, SOL_DECIMALS),
    });
  }
  return {
    sol: decimalText(BigInt(String(lamports ?? '0')), SOL_DECIMALS),
    total: decimalText(total, SOL_DECIMALS),
    tokens: parts,
    ...(unpriced === 0 ? {} : { unpriced }),
  };
}
