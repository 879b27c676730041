/** Exact sums over EVM trades: counts, amounts in whole units, times of the first and last trade. */
import { decimalText } from '../../src/base/format.ts';
import { isoTime } from '../../src/service/untrusted.ts';

interface Trade {
  readonly kind: string;
  readonly account: string;
  readonly tokenWei: string;
  readonly quoteWei?: string | null | undefined;
  readonly ethWei?: string | null | undefined;
  readonly timestamp: number;
}

/** Sums of buys or of sells. */
interface Side {
  count: number;
  tokens: string;
  quoteAmount: string;
}

export interface TradeTotals {
  trades: number;
  accounts: number;
  /** Times of the oldest and the newest. */
  from: string | null;
  to: string | null;
  buys: Side;
  sells: Side;
}

const units = (text: string | null | undefined): bigint =>
  typeof text === 'string' && /^\d+$/.test(text) ? BigInt(text) : 0n;

const at = (seconds: number): string => String(isoTime(seconds));

/** Amounts stay in base units if the quote's decimals are unknown. */
export function totalsOf(
  trades: readonly Trade[],
  quoteDecimals: number | null | undefined,
  tokenDecimals: number,
): TradeTotals {
  const side = (kind: string): Side => {
    const of = trades.filter((trade) => trade.kind === kind);
    const sum = (amount: (trade: Trade) => bigint) => of.reduce((total, trade) => total + amount(trade), 0n);
    return {
      count: of.length,
      tokens: decimalText(
        sum(({ tokenWei }) => units(tokenWei)),
        tokenDecimals,
      ),
      quoteAmount: decimalText(
        sum(({ quoteWei, ethWei }) => units(quoteWei ?? ethWei)),
        quoteDecimals ?? 0,
      ),
    };
  };
  const times = trades.map(({ timestamp }) => timestamp);
  return {
    trades: trades.length,
    accounts: new Set(trades.map(({ account }) => account)).size,
    from: times.length === 0 ? null : at(Math.min(...times)),
    to: times.length === 0 ? null : at(Math.max(...times)),
    buys: side('buy'),
    sells: side('sell'),
  };
}
