/** Warnings about the price impact and slippage of a quote. */
import { percent } from '../../src/base/format.ts';
import { impactBps, MUCH_IMPACT_BPS } from '../../src/presentation/priceImpact.ts';

/** Minimum slippage of a warning, in basis points. */
const MUCH_SLIPPAGE_BPS = 1001;

/** Returns the warnings of a quote as sentences. */
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
