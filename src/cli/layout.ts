/** Lays out text for a terminal: wrapped at words, never inside an address, with hanging indents. Pure. */
import { wrap } from '../base/wrap.ts';

export { fitted, wrap } from '../base/wrap.ts';

/** Columns if the terminal reports none; wider terminals use at most `WIDEST`, since long lines are hard to read. */
const USUAL = 80;
const NARROWEST = 60;
const WIDEST = 100;

/** Returns the columns to use for a reported width. */
export const columnsFor = (columns: number | undefined): number =>
  Math.min(WIDEST, Math.max(NARROWEST, columns ?? USUAL));

/** Returns the columns for lines that a script may read: unlimited in a pipe. */
export const widthOf = (columns: number | undefined): number =>
  columns === undefined ? Number.POSITIVE_INFINITY : columnsFor(columns);

/** Returns a line of dashes as long as a heading. */
export const underline = (text: string, sign = '-'): string => sign.repeat([...text].length);

/** Formats rows as columns, each as wide as its widest cell; the last one wraps. */
export function table(rows: readonly (readonly string[])[], columns: number, gap = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, i) => cell.padEnd(widths[i] ?? 0));
    return wrap(row.at(-1) ?? '', columns, cells.map((cell) => `${cell}${gap}`).join(''));
  });
}
