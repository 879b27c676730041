/** Measures ratios within one run, with alternating samples, so that load affects both sides. */

export interface Ratio {
  readonly name: string;
  /** Numerator and denominator in words. */
  readonly of: string;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** `Infinity` without a budget. */
  readonly budget: number;
  readonly unit?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Returns the ratio of the medians and the interquartile range of the pairwise ratios. */
export function ratio(
  name: string,
  of: string,
  budget: number,
  ours: readonly number[],
  base: readonly number[],
): Ratio {
  const pairs = ours.map((value, i) => value / (base[i] ?? Number.NaN)).sort((a, b) => a - b);
  const at = (share: number) =>
    pairs[Math.min(pairs.length - 1, Math.floor(pairs.length * share))] ?? Number.NaN;
  return { name, of, median: median(ours) / median(base), low: at(0.25), high: at(0.75), budget };
}

/** Returns the duration of one call in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function line({ name, of, median: middle, low, high, budget, unit = '×' }: Ratio): string {
  const ok = middle <= budget ? 'ok  ' : 'OVER';
  const number = (value: number) => `${value.toFixed(2)} ${unit}`;
  return `${ok} ${name.padEnd(34)} ${number(middle).padStart(10)}  (middle half ${number(low)} to ${number(high)}; ${budget === Number.POSITIVE_INFINITY ? 'no budget' : `budget ${number(budget)}`})  ${of}`;
}
