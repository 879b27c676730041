/** The rows of one chain of decisions, as their hashes are over them: what an export is made of. */
import type { Database, Row } from '../database.ts';
import { corrupt } from '../errors.ts';
import { bodyOf } from '../sqlite/decisions.ts';
import type { ChainRow } from '../types.ts';
import { rowWords } from './chains.ts';
import { beginOf, type OldPart, oldPart } from './chainWalk.ts';
import { parsed } from './rowBreak.ts';
import { chainNames } from './verify.ts';

const PAGE = 200;
const OLD_ROWS = `SELECT sequence AS place, sequence AS number, sequence, plan_id, body, hash FROM decisions
  WHERE sequence BETWEEN 1 AND ? AND sequence < ? ORDER BY sequence DESC LIMIT ${PAGE + 1}`;
const CHAIN_ROWS = `SELECT c.place, c.sequence AS number, c.body AS note, c.hash AS note_hash,
  d.sequence, d.plan_id, d.body, d.hash FROM chain_rows c LEFT JOIN decisions d ON d.sequence = c.sequence
  WHERE c.chain = ? AND c.place < ? ORDER BY c.place DESC LIMIT ${PAGE + 1}`;

/** See `Ledger.chains`. */
export async function readChains(db: Database): Promise<(string | null)[]> {
  const old = await oldPart(db);
  return [...(old === undefined ? [] : [null]), ...(await chainNames(db))];
}

/** See `Ledger.chainRows`. Rejects with `LEDGER_CORRUPT` where a row of the chain is gone. */
export async function readChainRows(
  db: Database,
  chain: string | null,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<ChainRow[]> {
  const old = await oldPart(db);
  const rows =
    chain === null ? await db.all(OLD_ROWS, old?.rows ?? 0, before) : await db.all(CHAIN_ROWS, chain, before);
  const shown: ChainRow[] = [];
  for (const [index, row] of rows.slice(0, PAGE).entries()) {
    const earlier = rows[index + 1];
    const previous = earlier === undefined ? await begin(db, chain, old) : hashOf(earlier, chain);
    shown.push(await chainRow(db, chain, row, previous));
  }
  return shown;
}

/** What the first row of a chain is bound to. */
async function begin(db: Database, chain: string | null, old: OldPart | undefined): Promise<string> {
  const hash = await beginOf(db, chain, old);
  if (hash === undefined) throw broken({ chain, place: 1 });
  return hash;
}

async function chainRow(db: Database, chain: string | null, row: Row, previous: string): Promise<ChainRow> {
  const place = row.number('place');
  const number = row.maybeNumber('number');
  const hash = hashOf(row, chain);
  const body = number === undefined ? row.text('note') : await bodyOf(db, row);
  const time = parsed(body)?.time;
  if (typeof time !== 'number') throw broken({ chain, place });
  return { chain, place, time, previous, hash, body, ...(number === undefined ? {} : { sequence: number }) };
}

function hashOf(row: Row, chain: string | null): string {
  const hash = row.maybeText(row.maybeNumber('number') === undefined ? 'note_hash' : 'hash');
  if (hash === undefined) throw broken({ chain, place: row.number('place') });
  return hash;
}

const broken = ({ chain, place }: { readonly chain: string | null; readonly place: number }) =>
  corrupt(
    `The decision record is broken at ${rowWords(chain === null ? { brokenAt: place } : { chain, place })}.`,
  );
