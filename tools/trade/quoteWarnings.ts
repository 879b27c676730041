/** What a person should know of a quote before trading on it: how far the price moves, and how much less may arrive. */
import { percent } from '../../src/base/format.ts';
import { impactBps, MUCH_IMPACT_BPS } from '../../src/presentation/priceImpact.ts';

/** Basis points of slippage from which it is a warning. */
const MUCH_SLIPPAGE_BPS = 1001;

/** Warnings of a quote, in whole sentences; empty for a usual one. */
export function quoteWarnings(quote: {
  readonly priceImpactPct?: unknown;
  readonly slippageBps?: unknown;
}): string[] {
  const impact = impactBps(quote.priceImpactPct) ?? 0;
  const slippage = Number(quote.slippageBps ?? 0);
  return [
    ...(impact >= MUCH_IMPACT_BPS
      ? [
          `The price moves ${percent(impact)} against this trade, by the service's quote: ask the person first, or sell less at once.`,
        ]
      : []),
    ...(Number.isSafeInteger(slippage) && slippage >= MUCH_SLIPPAGE_BPS
      ? [
          `Slippage of ${percent(slippage)}: the trade may bring that much less than quoted. Ask the person first.`,
        ]
      : []),
  ];
}
