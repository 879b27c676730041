/** What a wallet is worth: its SOL, and for each token what the service quotes for the whole of it. A quote promises nothing. */
import { decimalText } from '../../src/base/words.ts';
import { picked } from '../rows.ts';
import type { ToolContext } from '../tool.ts';

/** Most tokens that are quoted in one answer: each is a request to the service. */
const MOST_QUOTES = 20;
const SOL_DECIMALS = 9;

/** One token and its part of the whole. */
interface Part {
  mint: string;
  symbol?: unknown;
  amount?: unknown;
  /** SOL it would bring; `null` where there is no quote for it. */
  worth: string | null;
}

export interface Worth {
  sol: string;
  total: string;
  tokens: Part[];
  /** How many tokens have no quote, and are not in the total. */
  unpriced?: number;
}

/** Asks for quotes of what the wallet holds. `quoteMint` is wrapped SOL. */
export async function worthOf(
  { wallet, service }: Pick<ToolContext, 'wallet' | 'service'>,
  quoteMint: string,
): Promise<Worth> {
  const { address, lamports, tokens } = await wallet.overview();
  const held: readonly object[] = Array.isArray(tokens) ? tokens : [];
  const parts: Part[] = [];
  let total = BigInt(String(lamports ?? '0'));
  let asked = 0;
  for (const token of held) {
    const { mint, amountRaw } = picked(token, ['mint', 'amountRaw']);
    if (typeof mint !== 'string' || typeof amountRaw !== 'string' || amountRaw === '0') continue;
    asked += 1;
    const units =
      mint === quoteMint
        ? BigInt(amountRaw)
        : asked > MOST_QUOTES
          ? undefined
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
  const unpriced = parts.filter(({ worth }) => worth === null).length;
  return {
    sol: decimalText(BigInt(String(lamports ?? '0')), SOL_DECIMALS),
    total: decimalText(total, SOL_DECIMALS),
    tokens: parts,
    ...(unpriced === 0 ? {} : { unpriced }),
  };
}
