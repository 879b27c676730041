/**
 * Verification of the decision chains (chains.ts), the home's first. A start checks the newest rows; `audit verify` checks
 * all of them.
 */
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';
import { HOME_CHAIN, headOf } from './chains.ts';
import { type Found, type Walk, walkChain } from './chainWalk.ts';

/** Result of a walk: the first row that does not fit, if any. */
export interface ChainReport extends Partial<Found> {
  /** Number of decisions before the first row that does not fit. */
  readonly rows: number;
  /** Number of chains. */
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
  // A decision outside of all chains was inserted later.
  const loose = await walk.db.get(
    `SELECT sequence FROM decisions WHERE NOT EXISTS
     (SELECT 1 FROM chain_rows c WHERE c.sequence = decisions.sequence) ORDER BY sequence LIMIT 1`,
  );
  return loose && { brokenAt: loose.number('sequence'), why: 'missing' };
}

/** Returns the home's chain, then all chains that it began or that have a row or a head. */
export async function chainNames(db: Pick<Database, 'all'>): Promise<string[]> {
  const rows = await db.all(
    `SELECT begins AS chain FROM chain_rows WHERE begins IS NOT NULL UNION SELECT chain FROM chain_rows
     UNION SELECT substr(key, 6) AS chain FROM meta WHERE key LIKE 'head %' ORDER BY chain`,
  );
  const names = rows.map((row) => row.text('chain')).filter((name) => name !== HOME_CHAIN);
  return rows.length === 0 ? [] : [HOME_CHAIN, ...names];
}

const NEWEST = 50;
/** Chains of the newest decisions, and of the newest chain rows, whose decisions may be missing. */
const NEWEST_ROWS = `SELECT d.sequence, c.chain FROM
   (SELECT sequence FROM decisions ORDER BY sequence DESC LIMIT ${NEWEST}) d
   LEFT JOIN chain_rows c ON c.sequence = d.sequence
  UNION SELECT c.sequence, c.chain FROM
   (SELECT sequence, chain FROM chain_rows WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT ${NEWEST}) c`;

/**
 * Throws `LEDGER_CORRUPT` if the newest rows do not fit, in the home's chain and in the chains of the newest decisions. The
 * duration does not depend on the number of principals.
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

/** Returns whether any chain has a row or the home's chain has a head, in which case the home's must have both. */
async function isBegun(db: Database): Promise<boolean> {
  if ((await headOf(db, HOME_CHAIN)) !== undefined) return true;
  return (await db.get('SELECT 1 AS n FROM chain_rows LIMIT 1')) !== undefined;
}
