/**
 * The chains that decisions stand in: one for each principal, and the home's for decisions of none. Each row names its
 * chain and its place in it, and its hash goes over both. A principal's chain begins with a row in the home's chain, whose
 * hash its first row is bound to, so that a whole chain that is gone shows. The one chain that versions before 9 kept for
 * all stays as it is; the home's chain begins with the row that ends it.
 */
import { canonicalJson, sha256Text } from '../../base/canonicalJson.ts';
import { setMeta } from '../books.ts';
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';

/** What the first row of a ledger is bound to. */
export const GENESIS = '0'.repeat(64);

/** The chain of decisions that no principal asked for. */
export const HOME_CHAIN = 'home';
const OF_PRINCIPAL = 'principal:';

/** The chain that a principal's decisions stand in; the home's without one. */
export const chainOf = (principal?: string): string =>
  principal === undefined ? HOME_CHAIN : `${OF_PRINCIPAL}${principal}`;

/**
 * The lock of a chain. A write takes that of the chain it extends and then, where it begins that chain, the home's; no write
 * takes another lock behind the home's, so that no two wait for each other.
 */
const lockOf = (chain: string): string => `decisions of ${chain}`;

/** The hash of a row: over the hash of the row before, and its own body. */
export const link = (previous: string, body: string): string => sha256Text(`${previous}\n${body}`);

/** Where a chain ends: the place, the hash and the time of its last row. */
export interface Head {
  readonly place: number;
  readonly hash: string;
  readonly time: number;
}

/** The next place of a chain, the hash that its row is bound to, and its time: none is before that of the row before it. */
export interface Next {
  readonly chain: string;
  readonly place: number;
  readonly previous: string;
  readonly time: number;
}

/** What a row that is no decision says: that another chain begins, or that the one chain of before ends. */
export interface Note {
  readonly chain: string;
  readonly place: number;
  readonly time: number;
  /** The chain that begins: the hash of this row is what its first row is bound to. */
  readonly begins?: string;
  /** The one chain of before: how many rows it has, and the hash of the last. */
  readonly ends?: { readonly rows: number; readonly head: string };
}

/** A chain as a person reads it. */
export const chainWords = (chain: string): string =>
  chain.startsWith(OF_PRINCIPAL) ? `the chain of ${chain.slice(OF_PRINCIPAL.length)}` : "the home's chain";

/** A row as a person reads it: its decision, or where it has none, its place. `brokenAt`: 0 where it is not known. */
export const rowWords = (row: { brokenAt?: number; chain?: string; place?: number }): string =>
  row.brokenAt || row.chain === undefined
    ? `decision-${row.brokenAt}`
    : `row ${row.place} of ${chainWords(row.chain)}`;

type Reads = Pick<Database, 'get'>;
type Writes = Pick<Database, 'run'>;

const META = 'SELECT value FROM meta WHERE key = ?';
const headKey = (chain: string): string => `head ${chain}`;

/** Where a chain ends, as the ledger last wrote it; `undefined` where it has no row. */
export async function headOf(db: Reads, chain: string): Promise<Head | undefined> {
  const value = (await db.get(META, headKey(chain)))?.text('value');
  if (value === undefined) return undefined;
  const [, place, hash, time] = /^(\d+) ([0-9a-f]{64}) (\d+)$/.exec(value) ?? [];
  if (place === undefined || hash === undefined || time === undefined)
    throw corrupt('The ledger does not say where a chain ends.');
  return { place: Number(place), hash, time: Number(time) };
}

/** The hash of the last row of the one chain that an older version kept for all; `undefined` where there was none. */
export const oldHead = async (db: Reads): Promise<string | undefined> =>
  (await db.get(META, 'head'))?.text('value');

/**
 * The place for the next row of a chain, which is begun where it has none, and which no other write extends until this one
 * has ended. Inside a write that began at `begun` (milliseconds).
 */
export async function nextIn(db: Database, chain: string, begun: number): Promise<Next> {
  await db.lock(lockOf(chain));
  const head = await headOf(db, chain);
  if (head !== undefined) {
    // A write of another wallet may have begun later and come first.
    return { chain, place: head.place + 1, previous: head.hash, time: Math.max(begun, head.time) };
  }
  if (chain !== HOME_CHAIN) {
    const at = await nextIn(db, HOME_CHAIN, begun);
    const previous = await addNote(db, at, { begins: chain });
    return { chain, place: 1, previous, time: at.time };
  }
  const old = await oldHead(db);
  if (old === undefined) return { chain, place: 1, previous: GENESIS, time: begun };
  const last = await db.get('SELECT sequence, time FROM decisions ORDER BY sequence DESC LIMIT 1');
  const time = Math.max(begun, last?.number('time') ?? 0);
  const ends = { rows: last?.number('sequence') ?? 0, head: old };
  const previous = await addNote(db, { chain, place: 1, previous: old, time }, { ends });
  return { chain, place: 2, previous, time };
}

/** Adds a decision that was stored to its chain. Inside the write that stored it. */
export async function extend(db: Writes, next: Next, sequence: number, hash: string): Promise<void> {
  const { chain, place } = next;
  await db.run('INSERT INTO chain_rows VALUES (?, ?, ?, NULL, NULL, NULL)', chain, place, sequence);
  await keepHead(db, next, hash);
}

const keepHead = (db: Writes, { chain, place, time }: Next, hash: string): Promise<number> =>
  setMeta(db, headKey(chain), `${place} ${hash} ${time}`);

async function addNote(db: Writes, next: Next, says: Pick<Note, 'begins' | 'ends'>): Promise<string> {
  const { chain, place, previous, time } = next;
  const body = canonicalJson({ chain, place, time, ...says });
  const hash = link(previous, body);
  const begins = says.begins ?? null;
  await db.run('INSERT INTO chain_rows VALUES (?, ?, NULL, ?, ?, ?)', chain, place, begins, body, hash);
  await keepHead(db, next, hash);
  return hash;
}
