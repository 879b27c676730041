/**
 * The chains that decisions stand in: one for each principal, and the home's for decisions of none. Each row names its
 * chain and its place in it, and its hash goes over both. A principal's chain begins with a row in the home's chain, whose
 * hash its first row is bound to, so that a whole chain that is gone shows.
 */
import { canonicalJson, sha256Text } from '../../base/canonicalJson.ts';
import { isRecord } from '../../base/record.ts';
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

/** The hash of a row: over the hash of the row before, and its own body. */
export const link = (previous: string, body: string): string => sha256Text(`${previous}\n${body}`);

/** Where a chain ends: the place and the hash of its last row. */
export interface Head {
  readonly place: number;
  readonly hash: string;
}

/** Returns the next place of a chain, the hash of its previous row, and a time not before the previous row's. */
export interface Next {
  readonly chain: string;
  readonly place: number;
  readonly previous: string;
  readonly time: number;
}

/** Returns a row's body as an object; `undefined` for any other value. */
export function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A chain as a person reads it. */
export const chainWords = (chain: string): string =>
  chain.startsWith(OF_PRINCIPAL) ? `the chain of ${chain.slice(OF_PRINCIPAL.length)}` : "the home's chain";

/** A row as a person reads it: its decision, or its place where it has none (`brokenAt` is 0 or absent). */
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
  const [, place, hash] = /^(\d+) ([0-9a-f]{64})$/.exec(value) ?? [];
  if (place === undefined || hash === undefined) throw corrupt('The ledger does not say where a chain ends.');
  return { place: Number(place), hash };
}

/** The place for the next row of a chain, which is begun where it has none. Inside a write that began at `time` (milliseconds). */
export async function nextIn(db: Database, chain: string, time: number): Promise<Next> {
  const head = await headOf(db, chain);
  if (head !== undefined) return { chain, place: head.place + 1, previous: head.hash, time };
  if (chain === HOME_CHAIN) return { chain, place: 1, previous: GENESIS, time };
  const at = await nextIn(db, HOME_CHAIN, time);
  return { chain, place: 1, previous: await addBeginning(db, at, chain), time };
}

/** Adds a decision that was stored to its chain. Inside the write that stored it. */
export async function extend(db: Writes, next: Next, sequence: number, hash: string): Promise<void> {
  const { chain, place } = next;
  await db.run('INSERT INTO chain_rows VALUES (?, ?, ?, NULL, NULL, NULL)', chain, place, sequence);
  await keepHead(db, next, hash);
}

const keepHead = (db: Writes, { chain, place }: Next, hash: string): Promise<number> =>
  setMeta(db, headKey(chain), `${place} ${hash}`);

/** Adds the row of the home's chain that begins another chain. Returns its hash. */
async function addBeginning(db: Writes, next: Next, begins: string): Promise<string> {
  const { chain, place, previous, time } = next;
  const body = canonicalJson({ chain, place, time, begins });
  const hash = link(previous, body);
  await db.run('INSERT INTO chain_rows VALUES (?, ?, NULL, ?, ?, ?)', chain, place, begins, body, hash);
  await keepHead(db, next, hash);
  return hash;
}
