/**
 * Whether the chains of decisions are whole (chains.ts): first the home's, then each principal's. Every start looks at the newest rows; `audit verify` walks all of them.
 */
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';
import { HOME_CHAIN, headOf } from './chains.ts';
import { type Found, type Walk, walkChain } from './chainWalk.ts';

/** What a walk along the chains found: the first row that does not fit, if one does not. */
export interface ChainReport extends Partial<Found> {
  /** Decisions that fit, up to the first that does not. */
  readonly rows: number;
  /** How many chains there are. */
  readonly chains: number;
}

/** Walks all chains and returns the number of decisions read and the first row that does not fit. Run it in a snapshot. */
export async function verifyChains(db: Database): Promise<ChainReport> {
  const walk: Walk = { db, rows: 0 };
  const chains = await chainNames(db);
  const found = await firstBreak(walk, chains);
  return { rows: walk.rows, chains: chains.length, ...found };
}

async function firstBreak(walk: Walk, chains: readonly string[]): Promise<Found | undefined> {
  for (const chain of chains) {
    const found = await walkChain(walk, chain, 1);
    if (found !== undefined) return found;
  }
  // What stands in no chain was put in later.
  const loose = await walk.db.get(
    `SELECT sequence FROM decisions WHERE NOT EXISTS
     (SELECT 1 FROM chain_rows c WHERE c.sequence = decisions.sequence) ORDER BY sequence LIMIT 1`,
  );
  return loose && { brokenAt: loose.number('sequence'), why: 'missing' };
}

/** The home's chain first, then every one that it says has begun, and every one that has a row or an end. */
export async function chainNames(db: Pick<Database, 'all'>): Promise<string[]> {
  const rows = await db.all(
    `SELECT begins AS chain FROM chain_rows WHERE begins IS NOT NULL UNION SELECT chain FROM chain_rows
     UNION SELECT substr(key, 6) AS chain FROM meta WHERE key LIKE 'head %' ORDER BY chain`,
  );
  const names = rows.map((row) => row.text('chain')).filter((name) => name !== HOME_CHAIN);
  return rows.length === 0 ? [] : [HOME_CHAIN, ...names];
}

const NEWEST = 50;
/** The chains of the newest decisions, and of the newest rows of chains, whose decisions may be gone. */
const NEWEST_ROWS = `SELECT d.sequence, c.chain FROM
   (SELECT sequence FROM decisions ORDER BY sequence DESC LIMIT ${NEWEST}) d
   LEFT JOIN chain_rows c ON c.sequence = d.sequence
  UNION SELECT c.sequence, c.chain FROM
   (SELECT sequence, chain FROM chain_rows WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT ${NEWEST}) c`;

/**
 * Refuses where the newest rows do not fit: of the home's chain, and of those that the newest decisions stand in. So a start
 * takes no longer where there are more principals.
 */
export async function checkTail(db: Database): Promise<void> {
  const walk: Walk = { db, rows: 0 };
  const fits = async (found: Promise<Found | undefined>): Promise<void> => {
    if ((await found) !== undefined) throw corrupt('The decision record is broken.');
  };
  const chains = new Set<string>();
  if (await isBegun(db)) chains.add(HOME_CHAIN);
  for (const row of await db.all(NEWEST_ROWS)) {
    const chain = row.maybeText('chain');
    if (chain === undefined)
      await fits(Promise.resolve({ brokenAt: row.number('sequence'), why: 'missing' }));
    else chains.add(chain);
  }
  for (const chain of chains) {
    const place = (await headOf(db, chain))?.place ?? 1;
    await fits(walkChain(walk, chain, Math.max(1, place - NEWEST)));
  }
}

/** Whether any chain has a row, or the home's an end: then the home's has both. */
async function isBegun(db: Database): Promise<boolean> {
  if ((await headOf(db, HOME_CHAIN)) !== undefined) return true;
  return (await db.get('SELECT 1 AS n FROM chain_rows LIMIT 1')) !== undefined;
}
