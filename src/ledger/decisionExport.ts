/**
 * Decisions as a file that others can check: those of a period, of one principal or of all, each bound to the one before.
 * Rows that are not shown stand there as their hash alone, so that none can be left out, changed or moved unnoticed. What
 * the owner key signs is the head of the chain and a digest of every line. Pure; the file is JSON, one value a line.
 */
import { canonicalJson, sha256Text } from '../base/canonicalJson.ts';
import { isRecord } from '../base/record.ts';
import { link } from './sqlite/decisions.ts';

/** What an export is of, and where it stands in the chain. Times are milliseconds since the epoch. */
export interface ExportHead {
  readonly countersign: 'decisions';
  readonly version: 1;
  /** Decisions from this time on, and before that one; `null`: no bound. */
  readonly from: number | null;
  readonly until: number | null;
  /** Whose decisions are shown; `null`: all. */
  readonly principal: string | null;
  /** Sequence number of the first row, and the hash it is bound to. */
  readonly first: number;
  readonly previous: string;
  readonly rows: number;
  readonly shown: number;
  /** The hash of the last row. */
  readonly head: string;
}

/** One row of the chain; `body` is the canonical JSON of a decision that is shown. */
export interface ExportRow {
  readonly sequence: number;
  readonly hash: string;
  readonly body?: string;
}

/** What the owner key signs: the head, and every line after it. */
export const exportPayload = (
  head: ExportHead,
  rows: readonly ExportRow[],
): { readonly head: string; readonly rows: string } => ({
  head: canonicalJson(head),
  rows: sha256Text(rows.map(lineOf).join('')),
});

/** The file. `statement` is the owner key's, over `exportPayload`. */
export const exportText = (head: ExportHead, rows: readonly ExportRow[], statement: string): string =>
  [canonicalJson(head), ...rows.map(canonicalJson), canonicalJson({ statement: JSON.parse(statement) })]
    .map((line) => `${line}\n`)
    .join('');

/** How an export begins: the first field of its head, as canonical JSON has it. */
export const EXPORT_BEGINS = '{"countersign":"decisions"';

export type ExportCheck =
  | {
      readonly ok: true;
      readonly head: ExportHead;
      readonly rows: readonly ExportRow[];
      readonly statement: unknown;
    }
  | { readonly ok: false; readonly problem: string };

/** Checks the order, the bonds and the counts of a file, all but the signature: that is over `exportPayload`. */
export function checkExport(text: string): ExportCheck {
  const lines = text.split('\n').filter((line) => line !== '');
  const head = readHead(lines[0] ?? '');
  if (head === undefined) return bad('It is no export of decisions.');
  const last = parsed(lines.at(-1) ?? '');
  if (!isRecord(last) || !('statement' in last)) return bad('The signed statement at its end is missing.');
  const rows: ExportRow[] = [];
  for (const line of lines.slice(1, -1)) {
    const row = readRow(line);
    if (row === undefined) return bad(`Line ${rows.length + 2} was changed: it is no row.`);
    rows.push(row);
  }
  const problem = problemOf(head, rows);
  return problem === undefined ? { ok: true, head, rows, statement: last.statement } : bad(problem);
}

function problemOf(head: ExportHead, rows: readonly ExportRow[]): string | undefined {
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

function isShown({ from, until, principal }: ExportHead, sequence: number, body: string): boolean {
  const said = parsed(body);
  if (!isRecord(said) || said.sequence !== sequence || typeof said.time !== 'number') return false;
  if (from !== null && said.time < from) return false;
  if (until !== null && said.time >= until) return false;
  return principal === null || said.principal === principal;
}

const lineOf = (row: ExportRow): string => `${canonicalJson(row)}\n`;
const bad = (problem: string): ExportCheck => ({ ok: false, problem });

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function readHead(line: string): ExportHead | undefined {
  const value = parsed(line);
  if (!isRecord(value) || value.countersign !== 'decisions' || value.version !== 1) return undefined;
  const { from, until, principal, first, previous, rows, shown, head } = value;
  const bound = (time: unknown): time is number | null => time === null || isCount(time);
  const named = (name: unknown): name is string | null => name === null || typeof name === 'string';
  if (!bound(from) || !bound(until) || !named(principal)) return undefined;
  if (!isCount(first) || !isCount(rows) || !isCount(shown) || !isHash(previous) || !isHash(head))
    return undefined;
  return {
    countersign: 'decisions',
    version: 1,
    from,
    until,
    principal,
    first,
    previous,
    rows,
    shown,
    head,
  };
}

function readRow(line: string): ExportRow | undefined {
  const value = parsed(line);
  if (!isRecord(value) || !isCount(value.sequence) || !isHash(value.hash)) return undefined;
  const { sequence, hash, body } = value;
  if (body === undefined) return { sequence, hash };
  return typeof body === 'string' ? { sequence, hash, body } : undefined;
}
