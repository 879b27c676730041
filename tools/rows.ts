/** Rows of an answer: selected fields, and pages. */
import { integer } from '../src/contract/index.ts';
import { line } from './resultText.ts';

/** Returns the present, non-empty fields in this order. */
export const picked = (row: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, Object.hasOwn(row, name) ? Reflect.get(row, name) : undefined])
      .filter(([, value]) => value !== undefined && value !== null),
  );

/** Default maximum rows of a page. */
export const MAX_ROWS = 100;
/** Maximum characters of a page's rows as text, so that no form of a result is truncated. */
const MAX_ROWS_CHARACTERS = 20_000;

/** Offset of a page. */
export const ParamOffset = integer(0, 1_000_000, 'Default 0.').nullish();

/** Returns the rows of a page from its offset on. */
export const fromOffset = <T>(all: readonly T[], offset?: number | null, limit?: number | null): T[] =>
  all.slice(offset ?? 0, (offset ?? 0) + (limit ?? MAX_ROWS));

/** Returns the number of leading rows that fit a page; at least one. */
export function fitting(rows: readonly object[]): number {
  let characters = 0;
  const first = rows.findIndex((row) => {
    characters += line(row).length;
    return characters > MAX_ROWS_CHARACTERS;
  });
  return first === -1 ? rows.length : Math.max(1, first);
}

/**
 * Returns a page of a list of `total` rows, of which `rows` begin at the offset: the rows that fit, the number of further rows,
 * and the next offset. A complete list has no cursor.
 */
export function pageOf<T extends object>(
  rows: readonly T[],
  total: number,
  offset?: number | null,
): { rows: T[]; cursor: { nextOffset?: number | null; more?: number } } {
  const count = fitting(rows);
  const next = (offset ?? 0) + count;
  return {
    rows: rows.slice(0, count),
    cursor: total > next ? { nextOffset: next, more: total - next } : offset ? { nextOffset: null } : {},
  };
}
