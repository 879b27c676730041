/**
 * Decisions as a file that others can check: those of a period, of one principal or of all, each bound to the one before in
 * its chain. The file has a part for each chain that it covers: a principal's is its own chain, and of the one chain that
 * versions before 9 kept for all what falls in the period, where the rows of others stand as their hash alone. So none can be
 * left out, changed or moved unnoticed. What the owner key signs is the head, which names both ends of each part, and a digest
 * of every line after it. Pure; the file is JSON, one value a line.
 */
import { canonicalJson, sha256Text } from '../base/canonicalJson.ts';
import { isRecord } from '../base/record.ts';
import { several } from '../base/words.ts';
import { chainOf, chainWords, link } from './chains/chains.ts';
import {
  type ExportOf,
  isCount,
  isHash,
  isOf,
  type RowsFound,
  readExportOf,
  readLine,
} from './chains/exportRows.ts';
import { checkVersion1 } from './chains/exportVersion1.ts';

/** What an export is of, and where it stands in the chains. Version 1 was of the one chain of before alone. */
export interface ExportHead extends ExportOf {
  readonly countersign: 'decisions';
  readonly version: 2;
  /** One for each chain that has rows of the period; their rows follow in this order. */
  readonly segments: readonly ExportSegment[];
}

/** The part of one chain; `null`: of the one that versions before 9 kept for all. */
export interface ExportSegment {
  readonly chain: string | null;
  /** The place of the first row, and the hash it is bound to. */
  readonly first: number;
  readonly previous: string;
  readonly rows: number;
  /** How many of the rows are decisions that are shown. */
  readonly shown: number;
  /** The hash of the last row. */
  readonly head: string;
}

/** One row of a chain; `body` is canonical JSON: a decision that is shown, or a row that says that a chain begins or ended. */
export interface ExportRow {
  readonly chain: string | null;
  readonly place: number;
  readonly hash: string;
  readonly body?: string;
}

/** What the owner key signs: the head, and every line after it. */
export type ExportPayload = { readonly head: string; readonly rows: string };

const payloadOf = (head: unknown, rows: readonly unknown[]): ExportPayload => ({
  head: canonicalJson(head),
  rows: sha256Text(rows.map((row) => `${canonicalJson(row)}\n`).join('')),
});

export const exportPayload = (head: ExportHead, rows: readonly ExportRow[]): ExportPayload =>
  payloadOf(head, rows);

/** The file. `statement` is the owner key's, over `exportPayload`. */
export const exportText = (head: ExportHead, rows: readonly ExportRow[], statement: string): string =>
  [canonicalJson(head), ...rows.map(canonicalJson), canonicalJson({ statement: JSON.parse(statement) })]
    .map((line) => `${line}\n`)
    .join('');

/** How an export begins: the first field of its head, as canonical JSON has it. */
export const EXPORT_BEGINS = '{"countersign":"decisions"';

/** The chains that an export covers, of those there are. */
export const coveredBy = (principal: string | null, chains: readonly (string | null)[]): (string | null)[] =>
  chains.filter((chain) => principal === null || chain === null || chain === chainOf(principal));

export type ExportCheck =
  | ({
      readonly ok: true;
      readonly principal: string | null;
      readonly payload: ExportPayload;
      readonly statement: unknown;
    } & RowsFound)
  | { readonly ok: false; readonly problem: string };

/** Checks the order, the bonds and the counts of a file of either version, all but the signature: that is over `payload`. */
export function checkExport(text: string): ExportCheck {
  const lines = text.split('\n').filter((line) => line !== '');
  const head = readLine(lines[0] ?? '');
  const of = head?.countersign === 'decisions' ? readExportOf(head) : undefined;
  if (head === undefined || of === undefined) return bad('It is no export of decisions.');
  const { version } = head;
  if (version !== 1 && version !== 2)
    return bad('It is an export of a version that this program does not know.');
  const last = readLine(lines.at(-1) ?? '');
  if (last === undefined || !('statement' in last)) return bad('The signed statement at its end is missing.');
  const body = lines.slice(1, -1);
  const found = version === 1 ? checkVersion1(head, body) : checkVersion2(head, of, body);
  if (typeof found === 'string') return bad(found);
  const payload = payloadOf(head, body.map(readLine));
  return { ok: true, principal: of.principal, ...found, payload, statement: last.statement };
}

const bad = (problem: string): ExportCheck => ({ ok: false, problem });

function checkVersion2(
  value: Readonly<Record<string, unknown>>,
  of: ExportOf,
  lines: readonly string[],
): RowsFound | string {
  const segments = readSegments(value.segments);
  if (segments === undefined) return 'It is no export of decisions.';
  const rows: ExportRow[] = [];
  for (const line of lines) {
    const row = readRow(line);
    if (row === undefined) return `Line ${rows.length + 2} was changed: it is no row.`;
    rows.push(row);
  }
  let [at, shown] = [0, 0];
  for (const segment of segments) {
    if (of.principal !== null && segment.chain !== null && segment.chain !== chainOf(of.principal))
      return `It is of the principal ${of.principal}, and holds ${chainWords(segment.chain)}.`;
    // Rows of a chain stand together: where one of another chain follows, those of this one are over.
    const end = rows.findIndex(({ chain }, index) => index >= at && chain !== segment.chain);
    const own = rows.slice(at, end === -1 ? rows.length : end);
    const problem = problemOf(of, segment, own);
    if (problem !== undefined) return problem;
    at += own.length;
    shown += segment.shown;
  }
  if (at < rows.length) return `There are ${several(rows.length - at, 'row')} more than were exported.`;
  return { rows: rows.length, shown, words: wordsOf(segments, rows.length) };
}

/** Which rows a file holds, in words. */
function wordsOf(segments: readonly ExportSegment[], rows: number): string {
  const parts = segments.map(({ chain, first }) =>
    chain === null ? `decision-${first} on` : `row ${first} of ${chainWords(chain)} on`,
  );
  const where = segments.length === 1 ? 'in a chain' : `in ${segments.length} chains`;
  return `${where} of ${several(rows, 'row')} from ${parts.join(', and from ')}`;
}

function problemOf(of: ExportOf, segment: ExportSegment, rows: readonly ExportRow[]): string | undefined {
  const { chain, first } = segment;
  let { previous } = segment;
  let shown = 0;
  for (const [index, row] of rows.entries()) {
    const { place, hash, body } = row;
    const expected = first + index;
    const name = rowName(row);
    if (place !== expected) {
      const missing = rowName({ chain, place: expected });
      return rows.some((each) => each.place === expected)
        ? `The order was changed: ${name} stands where ${missing} belongs.`
        : `${capital(missing)} was left out.`;
    }
    if (body !== undefined) {
      if (link(previous, body) !== hash) return `${capital(name)} was changed, or the one before it.`;
      const kind = kindOf(of, row, body);
      if (kind === undefined)
        return `${capital(name)} is not of this period and principal, or not the one it says.`;
      if (kind === 'decision') shown += 1;
    }
    previous = hash;
  }
  const whose = chain === null ? 'the chain of before' : chainWords(chain);
  if (rows.length < segment.rows)
    return `The last ${several(segment.rows - rows.length, 'row')} of ${whose} ${segment.rows - rows.length === 1 ? 'was' : 'were'} left out.`;
  if (rows.length > segment.rows)
    return `There are ${several(rows.length - segment.rows, 'row')} of ${whose} more than were exported.`;
  if (previous !== segment.head)
    return `The last row of ${whose} was changed: the chain does not end where it was signed.`;
  return shown === segment.shown
    ? undefined
    : `${several(segment.shown, 'decision')} of ${whose} were exported with what they say, and ${shown} are here: some were left out.`;
}

/** What a row is that is shown; `undefined` where it should not stand here. */
function kindOf(of: ExportOf, { chain, place }: ExportRow, body: string): 'decision' | 'note' | undefined {
  const said = readLine(body);
  if (said === undefined || !isOf(of, said)) return undefined;
  if (chain === null) return said.sequence === place && !('chain' in said) ? 'decision' : undefined;
  if (said.chain !== chain || said.place !== place) return undefined;
  if (!('decision' in said)) return 'note';
  const whose = typeof said.principal === 'string' ? said.principal : undefined;
  return chainOf(whose) === chain ? 'decision' : undefined;
}

/** A row as a person reads it: its decision where it says which, else its place. */
function rowName({ chain, place, body }: Pick<ExportRow, 'chain' | 'place' | 'body'>): string {
  if (chain === null) return `decision-${place}`;
  const sequence = body === undefined ? undefined : readLine(body)?.sequence;
  const row = `row ${place} of ${chainWords(chain)}`;
  return isCount(sequence) ? `decision-${sequence} (${row})` : row;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const isChain = (value: unknown): value is string | null => value === null || typeof value === 'string';

function readSegments(value: unknown): readonly ExportSegment[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const segments: ExportSegment[] = [];
  for (const each of value) {
    if (!isRecord(each)) return undefined;
    const { chain, first, previous, rows, shown, head } = each;
    if (!isChain(chain) || !isCount(first) || !isCount(rows) || !isCount(shown)) return undefined;
    if (!isHash(previous) || !isHash(head)) return undefined;
    // Each chain has one part: a second one could hide what stands between them.
    if (segments.some((known) => known.chain === chain)) return undefined;
    segments.push({ chain, first, previous, rows, shown, head });
  }
  return segments;
}

function readRow(line: string): ExportRow | undefined {
  const value = readLine(line);
  if (value === undefined || !isChain(value.chain)) return undefined;
  const { chain, place, hash, body } = value;
  if (!isCount(place) || !isHash(hash)) return undefined;
  if (body === undefined) return { chain, place, hash };
  return typeof body === 'string' ? { chain, place, hash, body } : undefined;
}
