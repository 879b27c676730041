/** Walks along one chain of decisions. */
import type { Database } from '../database.ts';
import { GENESIS, HOME_CHAIN, headOf } from './chains.ts';
import { BESIDE, type Break, DECISION, decisionBreak, noteBreak, readable } from './rowBreak.ts';

/** The first row that does not fit. */
export interface Found {
  /** Its sequence number; 0 if the row is missing or contains no decision. */
  readonly brokenAt: number;
  readonly why: Break;
  /** Its chain and place; absent for a decision outside of all chains. */
  readonly chain?: string;
  readonly place?: number;
}

/** A walk, and the number of decisions that fit. */
export interface Walk {
  readonly db: Database;
  rows: number;
}

const PAGE = 200;
const CHAIN_ROWS = `SELECT c.place, c.sequence AS number, c.begins, c.body AS note, c.hash AS note_hash, ${DECISION}
  FROM chain_rows c LEFT JOIN decisions d ON d.sequence = c.sequence ${BESIDE}
  WHERE c.chain = ? AND c.place >= ? ORDER BY c.place LIMIT ${PAGE}`;

/** Walks one chain from a place to its stored head. */
export async function walkChain(walk: Walk, chain: string, from: number): Promise<Found | undefined> {
  const { db } = walk;
  let previous = from === 1 ? await beginOf(db, chain) : await hashAt(db, chain, from - 1);
  let expected = from;
  for (;;) {
    const page = await db.all(CHAIN_ROWS, chain, expected);
    for (const row of page) {
      const at = { chain, place: expected };
      if (row.number('place') !== expected) return { ...at, brokenAt: 0, why: 'missing' };
      const number = row.maybeNumber('number');
      const found = { ...at, brokenAt: number ?? 0 };
      if (previous === undefined) return { ...found, why: 'missing' };
      if (number !== undefined && row.maybeNumber('sequence') === undefined) {
        return { ...found, why: 'missing' };
      }
      const place = { at, previous };
      const why = number === undefined ? noteBreak(row, place) : await decisionBreak(row, place);
      if (why !== undefined) return { ...found, why };
      if (number !== undefined) walk.rows += 1;
      previous = row.maybeText('hash') ?? row.text('note_hash');
      expected += 1;
    }
    if (page.length === 0) break;
  }
  const head = await readable(async () => (await headOf(db, chain))?.hash);
  const isWhole = expected > 1 && previous === head;
  return isWhole ? undefined : { chain, place: expected, brokenAt: 0, why: 'missing' };
}

/** Returns the previous hash of a chain's first row; `undefined` if its beginning is missing. */
export async function beginOf(db: Database, chain: string): Promise<string | undefined> {
  if (chain === HOME_CHAIN) return GENESIS;
  const row = await db.get('SELECT hash FROM chain_rows WHERE begins = ? AND chain = ?', chain, HOME_CHAIN);
  return row?.maybeText('hash');
}

/** Returns the hash of the row at a place of a chain. */
async function hashAt(db: Database, chain: string, place: number): Promise<string | undefined> {
  const row = await db.get(
    `SELECT COALESCE(d.hash, c.hash) AS hash FROM chain_rows c LEFT JOIN decisions d ON d.sequence = c.sequence
     WHERE c.chain = ? AND c.place = ?`,
    chain,
    place,
  );
  return row?.maybeText('hash');
}
