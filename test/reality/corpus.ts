/**
 * Recorded transactions, one JSON object a line, and the reading of each instruction. Lookup table entries that were
 * not recorded are `null` or absent; each is replaced by a placeholder address.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { programName } from '../../src/programs/index.ts';
import {
  instructionName,
  type Reading,
  type ReadingWithActs,
  readInstructions,
} from '../../src/programs/read.ts';
import { chainView } from '../../src/programs/view.ts';
import { resolveInstructions } from '../../src/transaction/accounts.ts';
import { addressFromBytes } from '../../src/transaction/base58.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import type { Address, LookupTableContent, TableLookup } from '../../src/transaction/types.ts';

/** Transaction with the accounts and tables read with it, bytes in base64. */
export interface Recorded {
  readonly id: string;
  readonly source?: unknown;
  readonly wire: string;
  readonly accounts?: readonly {
    readonly address: Address;
    readonly owner: Address;
    readonly lamports: number | string;
    readonly data: string;
  }[];
  readonly tables?: readonly { readonly address: Address; readonly entries: readonly (Address | null)[] }[];
  readonly slot?: number | string;
}

/**
 * Returns the transactions of a file, optionally Brotli-compressed (`.br`). Throws SyntaxError for a line that is not
 * JSON.
 */
export function recordings(path: string): readonly Recorded[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): Recorded => JSON.parse(line));
}

/** Reading of a recording; `refused` if the transaction itself is not canonical. */
export type Read = { readonly id: string } & (
  | { readonly refused: string }
  | { readonly instructions: readonly ReadingWithActs[] }
);

/** Reads a recording like a stage. Readers are expected not to throw; errors are propagated. */
export function readRecorded(recorded: Recorded): Read {
  const { id, wire, accounts = [] } = recorded;
  const held = new Map(
    accounts.map(({ address, owner, data }) => [address, { owner, data: Buffer.from(data, 'base64') }]),
  );
  try {
    const transaction = readTransaction(Buffer.from(wire, 'base64'));
    const looked = tablesOf(recorded, transaction);
    const view = chainView((address) => held.get(address));
    return { id, instructions: readInstructions(resolveInstructions(transaction, looked), view) };
  } catch (error) {
    if (error instanceof TransactionError) return { id, refused: error.message };
    throw error;
  }
}

/** Returns the lookup tables of a recording, as far as it contains them. */
export function tablesOf(
  { tables = [] }: Recorded,
  { lookups }: { readonly lookups: readonly TableLookup[] },
): readonly LookupTableContent[] {
  const known = new Map(tables.map(({ address, entries }) => [address, entries]));
  return lookups.map(({ table, writableIndexes, readonlyIndexes }) => {
    const length = Math.max(...writableIndexes, ...readonlyIndexes) + 1;
    const addresses = Array.from({ length }, (_, i) => known.get(table)?.[i] ?? placeholder(`${table} ${i}`));
    return { table, addresses };
  });
}

const placeholder = (label: string): Address => addressFromBytes(createHash('sha256').update(label).digest());

/** Returns `read`; `misfit` for a known discriminator with other data; else `unsupported`. */
export const outcomeOf = (reading: Reading): 'read' | 'misfit' | 'unsupported' => {
  if (reading.status === 'read') return 'read';
  return reading.status === 'unsupported' && reading.kind !== undefined ? 'misfit' : 'unsupported';
};

/**
 * Returns counts of read, unsupported and misfit instructions, one line per program and instruction, most frequent
 * first.
 */
export function countLines(reads: readonly Read[]): readonly string[] {
  const counts = new Map<string, { read: number; unsupported: number; misfit: number }>();
  for (const read of reads) {
    for (const { reading } of 'instructions' in read ? read.instructions : []) {
      const { program, data } = reading;
      const name = instructionName(program, data) ?? Buffer.from(data.subarray(0, 8)).toString('hex');
      const line = `${programName(program) ?? program} ${name}`;
      const count = counts.get(line) ?? { read: 0, unsupported: 0, misfit: 0 };
      count[outcomeOf(reading)] += 1;
      counts.set(line, count);
    }
  }
  const total = ({ read, unsupported, misfit }: { read: number; unsupported: number; misfit: number }) =>
    read + unsupported + misfit;
  return [...counts]
    .sort(([, a], [, b]) => total(b) - total(a))
    .map(
      ([line, { read, unsupported, misfit }]) =>
        `${line}: read ${read}, unsupported ${unsupported}, misfit ${misfit}`,
    );
}
