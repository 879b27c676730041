/** Rows of an answer: with some of their fields, and page by page. */
import { integer } from '../src/contract/index.ts';
import { line } from './resultText.ts';

/** The fields that are there and say something, in this order. */
export const picked = (row: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, Object.hasOwn(row, name) ? Reflect.get(row, name) : undefined])
      .filter(([, value]) => value !== undefined && value !== null),
  );

/** Most rows of a page, unless a limit says otherwise. */
export const MAX_ROWS = 100;
/** Most characters of a page's rows as text, so that neither form of a result is cut between its rows. */
const MAX_ROWS_CHARACTERS = 20_000;

/** Where a page of a whole list begins. */
export const ParamOffset = integer(0, 1_000_000, 'Default 0.').nullish();

/** The rows a page can hold, from its offset on. */
export const fromOffset = <T>(all: readonly T[], offset?: number | null, limit?: number | null): T[] =>
  all.slice(offset ?? 0, (offset ?? 0) + (limit ?? MAX_ROWS));

/** How many of the first rows fit a page; at least one. */
export function fitting(rows: readonly object[]): number {
  let characters = 0;
  const first = rows.findIndex((row) => {
    characters += line(row).length;
    return characters > MAX_ROWS_CHARACTERS;
  });
  return first === -1 ? rows.length : Math.max(1, first);
}

/**
 * One page of a list of `total` rows, of which `rows` begin at the offset: the rows that fit, how many follow, and where.
 * A list that is shown whole has no cursor.
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
