/**
 * Exports decisions as a verifiable file: of a period, of one principal or all. The file has a segment for each
 * covered chain; a principal's file covers the principal's own chain. The owner key signs the head, which contains
 * both ends of each segment: the final hash covers every row, so omitted, changed or moved rows are detected. Pure;
 * the file is JSON, one value per line: the head, the rows as in their chains, the statement.
 */
import { canonicalJson } from '../../../base/canonicalJson.ts';
import { several } from '../../../base/format.ts';
import { isRecord } from '../../../base/record.ts';
import { chainOf, chainWords, link, parsed, rowWords } from '../../../ledger/chains/chains.ts';

/** The decisions an export covers, and their positions in their chains. Times are milliseconds since the epoch. */
export interface ExportHead {
  readonly countersign: 'decisions';
  readonly version: 1;
  /** Decisions from this time on, and before that one; `null`: unbounded. */
  readonly from: number | null;
  readonly until: number | null;
  /** The principal of the export; `null`: all. */
  readonly principal: string | null;
  /** One for each chain with rows of the period; their rows follow in this order. */
  readonly segments: readonly ExportSegment[];
}

/** The segment of one chain. */
export interface ExportSegment {
  readonly chain: string;
  /** Position of the first row, and the previous hash. */
  readonly first: number;
  readonly previous: string;
  readonly rows: number;
  /** Hash of the last row. */
  readonly head: string;
}

/** Returns the file. `rows` are canonical JSON; `statement` is the owner key's, over the head's line. */
export const exportText = (head: ExportHead, rows: readonly string[], statement: string): string =>
  [canonicalJson(head), ...rows, canonicalJson({ statement: JSON.parse(statement) })]
    .map((line) => `${line}\n`)
    .join('');

export type ExportCheck =
  | {
      readonly ok: true;
      readonly head: ExportHead;
      /** The signed payload: the head's line. */
      readonly payload: string;
      readonly decisions: number;
      readonly statement: unknown;
    }
  | { readonly ok: false; readonly problem: string };

/** Checks the rows of a file against its head. The signature over the head is not checked here. */
export function checkExport(text: string): ExportCheck {
  const lines = text.split('\n').filter((line) => line !== '');
  const payload = lines[0] ?? '';
  const head = readHead(parsed(payload));
  if (head === undefined) return bad('It is not an export of decisions.');
  const statement = parsed(lines.at(-1) ?? '')?.statement;
  if (statement === undefined) return bad('The signed statement at its end is missing.');
  const rows = lines.slice(1, -1);
  let [at, decisions] = [0, 0];
  for (const { chain, first, previous, rows: count, head: end } of head.segments) {
    if (head.principal !== null && chain !== chainOf(head.principal))
      return bad(`It is of the principal ${head.principal}, and holds ${chainWords(chain)}.`);
    let hash = previous;
    for (let place = first; place < first + count; place += 1) {
      const row = rows[at++] ?? '';
      const said = parsed(row);
      const name = rowWords({ chain, place });
      if (said?.chain !== chain || said.place !== place) return bad(`The ${name} was left out or moved.`);
      if (!isOfPeriod(head, said.time)) return bad(`The ${name} is not of this period.`);
      if ('decision' in said) decisions += 1;
      hash = link(hash, row);
    }
    if (hash !== end) return bad(`A row of ${chainWords(chain)} was changed.`);
  }
  if (at < rows.length) return bad(`There are ${several(rows.length - at, 'row')} more than were exported.`);
  return { ok: true, head, payload, decisions, statement };
}

const bad = (problem: string): ExportCheck => ({ ok: false, problem });

const isOfPeriod = ({ from, until }: ExportHead, time: unknown): boolean =>
  typeof time === 'number' && time >= (from ?? 0) && time < (until ?? Number.POSITIVE_INFINITY);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

function readHead(value: Readonly<Record<string, unknown>> | undefined): ExportHead | undefined {
  const { countersign, version, from, until, principal } = value ?? {};
  const segments = readSegments(value?.segments);
  if (countersign !== 'decisions' || version !== 1 || segments === undefined) return undefined;
  if (from !== null && !isCount(from)) return undefined;
  if (until !== null && !isCount(until)) return undefined;
  if (principal !== null && typeof principal !== 'string') return undefined;
  return { countersign, version, from, until, principal, segments };
}

function readSegments(value: unknown): readonly ExportSegment[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const segments: ExportSegment[] = [];
  for (const each of value) {
    if (!isRecord(each)) return undefined;
    const { chain, first, previous, rows, head } = each;
    if (typeof chain !== 'string' || !isCount(first) || !isCount(rows)) return undefined;
    if (!isHash(previous) || !isHash(head)) return undefined;
    // Each chain has one segment: a second one could hide rows in between.
    if (segments.some((known) => known.chain === chain)) return undefined;
    segments.push({ chain, first, previous, rows, head });
  }
  return segments;
}
