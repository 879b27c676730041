/**
 * Exports decisions as a verifiable file: of a period, of one principal or all. The file has a segment for each
 * covered chain; a principal's file covers the principal's own chain. The owner key signs the head, which contains
 * both ends of each segment: the final hash covers every row, so omitted, changed or moved rows are detected. Pure;
 * the file is JSON, one value per line: the head, the rows as in their chains, the statement.
 */
import { z } from 'zod';
import { canonicalJson } from '../../../base/canonicalJson.ts';
import { several } from '../../../base/format.ts';
import { chainOf, chainWords, link, parsed, rowWords } from '../../../ledger/chains/chains.ts';

/** A position in a chain, or milliseconds since the epoch. */
const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** The segment of one chain. */
const segment = z.object({
  chain: z.string(),
  /** Position of the first row, and the previous hash. */
  first: count,
  previous: hash,
  rows: count,
  /** Hash of the last row. */
  head: hash,
});
export type ExportSegment = Readonly<z.infer<typeof segment>>;

/** The decisions an export covers, and their positions in their chains. */
const exportHead = z.object({
  countersign: z.literal('decisions'),
  version: z.literal(1),
  /** Decisions from this time on, and before that one; `null`: unbounded. */
  from: count.nullable(),
  until: count.nullable(),
  /** The principal of the export; `null`: all. */
  principal: z.string().nullable(),
  /**
   * One for each chain with rows of the period; their rows follow in this order. A second segment of a chain could
   * hide rows in between.
   */
  segments: z
    .array(segment)
    .min(1)
    .refine((all) => new Set(all.map(({ chain }) => chain)).size === all.length),
});
export type ExportHead = Readonly<z.infer<typeof exportHead>>;

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
  const { data: head } = exportHead.safeParse(parsed(payload));
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
      const entry = parsed(row);
      const name = rowWords({ chain, place });
      if (entry?.chain !== chain || entry.place !== place) return bad(`The ${name} was left out or moved.`);
      if (!isOfPeriod(head, entry.time)) return bad(`The ${name} is not of this period.`);
      if ('decision' in entry) decisions += 1;
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
