/** The hashed rows of one decision chain, for exports. */
import type { Database, Row } from '../database.ts';
import { corrupt } from '../errors.ts';
import { inflate } from '../sqlite/deflated.ts';
import type { ChainRow } from '../types.ts';
import { parsed, rowWords } from './chains.ts';
import { beginOf } from './chainWalk.ts';

const PAGE = 200;
const CHAIN_ROWS = `SELECT c.place, c.sequence AS number, c.body AS note, c.hash AS note_hash,
  d.sequence, d.plan_id, d.body, d.hash FROM chain_rows c LEFT JOIN decisions d ON d.sequence = c.sequence
  WHERE c.chain = ? AND c.place < ? ORDER BY c.place DESC LIMIT ${PAGE + 1}`;

/** See `HomeLedger.chainRows`. Rejects with `LEDGER_CORRUPT` if a row of the chain is missing. */
export async function readChainRows(
  db: Database,
  chain: string,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<ChainRow[]> {
  const rows = await db.all(CHAIN_ROWS, chain, before);
  const shown: ChainRow[] = [];
  for (const [index, row] of rows.slice(0, PAGE).entries()) {
    const earlier = rows[index + 1];
    const previous = earlier === undefined ? await beginOf(db, chain) : hashOf(earlier, chain);
    if (previous === undefined) throw broken(chain, 1);
    shown.push(chainRow(chain, row, previous));
  }
  return shown;
}

function chainRow(chain: string, row: Row, previous: string): ChainRow {
  const place = row.number('place');
  const isDecision = row.maybeNumber('number') !== undefined;
  const hash = hashOf(row, chain);
  const body = isDecision ? inflate(row.text('body')) : row.text('note');
  const time = parsed(body)?.time;
  if (typeof time !== 'number') throw broken(chain, place);
  return { place, time, previous, hash, body };
}

function hashOf(row: Row, chain: string): string {
  const hash = row.maybeText(row.maybeNumber('number') === undefined ? 'note_hash' : 'hash');
  if (hash === undefined) throw broken(chain, row.number('place'));
  return hash;
}

const broken = (chain: string, place: number) =>
  corrupt(`The decision record is broken at ${rowWords({ chain, place })}.`);
