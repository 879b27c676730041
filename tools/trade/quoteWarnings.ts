/** What a person should know of a quote before trading on it: how far the price moves, and how much less may arrive. */
import { percent } from '../../src/base/words.ts';

/** Basis points from which price impact and slippage come with a warning. */
const MUCH_IMPACT = 300;
const MUCH_SLIPPAGE = 1001;

/**
 * The stated price impact in basis points; `undefined` where none is stated. Its unit is not published (C-TRADE-08), so up
 * to 1 it is read as a fraction: of the two readings the one that warns sooner.
 */
export function impactBps(stated: unknown): number | undefined {
  const isStated = typeof stated === 'number' || (typeof stated === 'string' && stated.trim() !== '');
  const impact = Math.abs(isStated ? Number(stated) : Number.NaN);
  if (!Number.isFinite(impact)) return undefined;
  // Fractions of a basis point count as one; what floating point adds to whole ones does not.
  return Math.ceil(Number((impact * (impact <= 1 ? 10_000 : 100)).toFixed(6)));
}

/** Warnings of a quote, in whole sentences; empty for a usual one. */
export function quoteWarnings(quote: {
  readonly priceImpactPct?: unknown;
  readonly slippageBps?: unknown;
}): string[] {
  const impact = impactBps(quote.priceImpactPct) ?? 0;
  const slippage = Number(quote.slippageBps ?? 0);
  return [
    ...(impact >= MUCH_IMPACT
      ? [
          `The price moves ${percent(impact)} against this trade, by the service's quote: ask the person first, or sell less at once.`,
        ]
      : []),
    ...(Number.isSafeInteger(slippage) && slippage >= MUCH_SLIPPAGE
      ? [
          `Slippage of ${percent(slippage)}: the trade may bring that much less than quoted. Ask the person first.`,
        ]
      : []),
  ];
}
