/**
 * Exports of decisions as versions before 9 of the ledger wrote them: of the one chain of all. They are still checked, and no
 * longer written. Pure.
 */

import { link } from './chains.ts';
import {
  type ExportOf,
  isCount,
  isHash,
  isOf,
  type RowsFound,
  readExportOf,
  readLine,
} from './exportRows.ts';

interface Head1 extends ExportOf {
  /** Sequence number of the first row, and the hash it is bound to. */
  readonly first: number;
  readonly previous: string;
  readonly rows: number;
  readonly shown: number;
  /** The hash of the last row. */
  readonly head: string;
}

interface Row1 {
  readonly sequence: number;
  readonly hash: string;
  readonly body?: string;
}

/** Checks the rows of a file of version 1, whose head was read; what is wrong, as a sentence, or what it holds. */
export function checkVersion1(
  value: Readonly<Record<string, unknown>>,
  lines: readonly string[],
): RowsFound | string {
  const head = readHead(value);
  if (head === undefined) return 'It is no export of decisions.';
  const rows: Row1[] = [];
  for (const line of lines) {
    const row = readRow(line);
    if (row === undefined) return `Line ${rows.length + 2} was changed: it is no row.`;
    rows.push(row);
  }
  const words = `in a chain of ${head.rows} from decision-${head.first} on`;
  return problemOf(head, rows) ?? { rows: head.rows, shown: head.shown, words };
}

function problemOf(head: Head1, rows: readonly Row1[]): string | undefined {
  let previous = head.previous;
  for (const [index, { sequence, hash, body }] of rows.entries()) {
    const expected = head.first + index;
    if (sequence !== expected)
      return rows.some((row) => row.sequence === expected)
        ? `The order was changed: decision-${sequence} stands where decision-${expected} belongs.`
        : `Decision-${expected} was left out.`;
    if (body !== undefined && link(previous, body) !== hash)
      return `Decision-${sequence} was changed, or the one before it.`;
    if (body !== undefined && !isShown(head, sequence, body))
      return `Decision-${sequence} is not of this period and principal, or not the one it says.`;
    previous = hash;
  }
  if (rows.length < head.rows) return `The last ${head.rows - rows.length} decisions were left out.`;
  if (rows.length > head.rows)
    return `There are ${rows.length - head.rows} decisions more than were exported.`;
  if (previous !== head.head)
    return 'The last decision was changed: the chain does not end where it was signed.';
  const shown = rows.filter(({ body }) => body !== undefined).length;
  return shown === head.shown
    ? undefined
    : `${head.shown} decisions were exported with what they say, and ${shown} are here: some were left out.`;
}

function isShown(head: Head1, sequence: number, body: string): boolean {
  const said = readLine(body);
  return said !== undefined && said.sequence === sequence && isOf(head, said);
}

function readHead(value: Readonly<Record<string, unknown>>): Head1 | undefined {
  const of = readExportOf(value);
  const { first, previous, rows, shown, head } = value;
  if (of === undefined || !isCount(first) || !isCount(rows) || !isCount(shown)) return undefined;
  if (!isHash(previous) || !isHash(head)) return undefined;
  return { ...of, first, previous, rows, shown, head };
}

function readRow(line: string): Row1 | undefined {
  const value = readLine(line);
  if (value === undefined || !isCount(value.sequence) || !isHash(value.hash)) return undefined;
  const { sequence, hash, body } = value;
  if (body === undefined) return { sequence, hash };
  return typeof body === 'string' ? { sequence, hash, body } : undefined;
}
