/** The price impact of a quote, as the service states it. */

/** Basis points of price impact from which it is a warning. */
export const MUCH_IMPACT_BPS = 300;

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
