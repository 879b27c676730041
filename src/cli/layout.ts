/** Text laid out for a terminal: wrapped at words, never through an address, with hanging indents. Pure. */
import { wrap } from '../base/wrap.ts';

export { fitted, wrap } from '../base/wrap.ts';

/** Columns used when the terminal does not say; wider terminals get at most `WIDEST`, since long lines read badly. */
const USUAL = 80;
const NARROWEST = 60;
const WIDEST = 100;

/** How wide to write, given what the terminal says. */
export const columnsFor = (columns: number | undefined): number =>
  Math.min(WIDEST, Math.max(NARROWEST, columns ?? USUAL));

/** The same for lines that a script may read from a pipe: there they stay whole. */
export const widthOf = (columns: number | undefined): number =>
  columns === undefined ? Number.POSITIVE_INFINITY : columnsFor(columns);

/** A rule of dashes under a heading, or by itself. */
export const underline = (text: string, sign = '-'): string => sign.repeat([...text].length);

/** Rows as columns, each as wide as its widest cell; the last one wraps. */
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
