/** Price impact of a quote, as stated by the service. */

/** Price impact in basis points that is shown as a warning. */
export const MUCH_IMPACT_BPS = 300;

/**
 * Returns the stated price impact in basis points; `undefined` if absent. Its unit is undocumented (C-TRADE-08):
 * values up to 1 are read as fractions, the interpretation that warns sooner.
 */
export function impactBps(stated: unknown): number | undefined {
  const isStated = typeof stated === 'number' || (typeof stated === 'string' && stated.trim() !== '');
  const impact = Math.abs(isStated ? Number(stated) : Number.NaN);
  if (!Number.isFinite(impact)) return undefined;
  // Rounds fractions of a basis point up, ignoring floating-point noise.
  return Math.ceil(Number((impact * (impact <= 1 ? 10_000 : 100)).toFixed(6)));
}
