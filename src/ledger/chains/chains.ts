/**
 * Hash chains of decisions: one per principal, and the home's for decisions without one. Each row contains its chain and
 * place, and its hash covers both. A principal's chain begins with a row in the home's chain, whose hash its first row
 * continues, so that the removal of a whole chain is detected.
 */
import { canonicalJson, sha256Text } from '../../base/canonicalJson.ts';
import { isRecord } from '../../base/record.ts';
import { metaText, setMeta } from '../books.ts';
import type { Database } from '../database.ts';
import { corrupt } from '../errors.ts';

/** The previous hash of a ledger's first row. */
export const GENESIS = '0'.repeat(64);

/** The chain of decisions without a principal. */
export const HOME_CHAIN = 'home';
const OF_PRINCIPAL = 'principal:';

/** Returns the chain of a principal's decisions, or the home's. */
export const chainOf = (principal?: string): string =>
  principal === undefined ? HOME_CHAIN : `${OF_PRINCIPAL}${principal}`;

/** Returns the hash of a row over the previous row's hash and its own body. */
export const link = (previous: string, body: string): string => sha256Text(`${previous}\n${body}`);

/** The last row of a chain. */
export interface Head {
  readonly place: number;
  readonly hash: string;
}

/** The next row of a chain. */
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

/** Returns the display name of a chain. */
export const chainWords = (chain: string): string =>
  chain.startsWith(OF_PRINCIPAL) ? `the chain of ${chain.slice(OF_PRINCIPAL.length)}` : "the home's chain";

/** Returns the display name of a row: its decision, or its place if it has none (`brokenAt` is 0 or absent). */
export const rowWords = (row: { brokenAt?: number; chain?: string; place?: number }): string =>
  row.brokenAt || row.chain === undefined
    ? `decision-${row.brokenAt}`
    : `row ${row.place} of ${chainWords(row.chain)}`;

type Reads = Pick<Database, 'get'>;
type Writes = Pick<Database, 'run'>;

const headKey = (chain: string): string => `head ${chain}`;

/** Returns the stored head of a chain; `undefined` for an empty chain. */
export async function headOf(db: Reads, chain: string): Promise<Head | undefined> {
  const value = await metaText(db, headKey(chain));
  if (value === undefined) return undefined;
  const [, place, hash] = /^(\d+) ([0-9a-f]{64})$/.exec(value) ?? [];
  if (place === undefined || hash === undefined) throw corrupt('The head of a decision chain is unreadable.');
  return { place: Number(place), hash };
}

/** Returns the next row of a chain; begins an empty chain. Inside a write that began at `time` (milliseconds). */
export async function nextIn(db: Database, chain: string, time: number): Promise<Next> {
  const head = await headOf(db, chain);
  if (head !== undefined) return { chain, place: head.place + 1, previous: head.hash, time };
  if (chain === HOME_CHAIN) return { chain, place: 1, previous: GENESIS, time };
  const at = await nextIn(db, HOME_CHAIN, time);
  return { chain, place: 1, previous: await addBeginning(db, at, chain), time };
}

/** Appends a stored decision to its chain. Inside the write that stored it. */
export async function extend(db: Writes, next: Next, sequence: number, hash: string): Promise<void> {
  const { chain, place } = next;
  await db.run('INSERT INTO chain_rows VALUES (?, ?, ?, NULL, NULL, NULL)', chain, place, sequence);
  await storeHead(db, next, hash);
}

const storeHead = (db: Writes, { chain, place }: Next, hash: string): Promise<number> =>
  setMeta(db, headKey(chain), `${place} ${hash}`);

/** Appends the row that begins another chain to the home's chain. Returns its hash. */
async function addBeginning(db: Writes, next: Next, begins: string): Promise<string> {
  const { chain, place, previous, time } = next;
  const body = canonicalJson({ chain, place, time, begins });
  const hash = link(previous, body);
  await db.run('INSERT INTO chain_rows VALUES (?, ?, NULL, ?, ?, ?)', chain, place, begins, body, hash);
  await storeHead(db, next, hash);
  return hash;
}
