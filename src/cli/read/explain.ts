/** One transaction explained: what each instruction does, what is not read, and who signs. Pure. */
import { transactionFee } from '../../programs/computeBudget/fee.ts';
import { type Reading, type ReadingWithActs, readInstructions } from '../../programs/read.ts';
import type { View } from '../../programs/view.ts';
import { accountList, resolveInstructions } from '../../transaction/accounts.ts';
import { addressFromBytes } from '../../transaction/base58.ts';
import { TransactionError } from '../../transaction/errors.ts';
import type { Address, DecodedTransaction, LookupTableContent } from '../../transaction/types.ts';
import { withDerivedAccounts } from './ownAccounts.ts';

export interface Explained {
  readonly format: DecodedTransaction['format'];
  readonly feePayer: Address;
  /** Most lamports the chain charges; absent where the bytes cannot be read so far. */
  readonly feeLamports?: string;
  readonly blockhash: string;
  readonly messageSha256: string;
  readonly signers: readonly { readonly address: Address; readonly signed: boolean }[];
  readonly instructions: readonly ReadingWithActs[];
  /** Places in lookup tables whose entries are not known, by the address that stands for each. */
  readonly unknownPlaces: ReadonlyMap<Address, string>;
}

/**
 * Reads a transaction's instructions and says what they do.
 * @throws TransactionError when a table is known and does not have an entry the transaction names
 */
export function explain(
  transaction: DecodedTransaction,
  tables: readonly LookupTableContent[],
  view: View,
): Explained {
  const { contents, places } = withStandIns(transaction, tables);
  const feeLamports = feeOf(transaction);
  const unsigned = transaction.staticAccounts.filter((_, slot) => transaction.signatures[slot] === null);
  const named = accountList(transaction, contents).map(({ address }) => address);
  const derived = withDerivedAccounts(view, [...new Set([...unsigned, ...named.slice(0, 1)])], named);
  return {
    format: transaction.format,
    feePayer: transaction.staticAccounts[0] ?? '',
    ...(feeLamports === undefined ? {} : { feeLamports }),
    blockhash: transaction.blockhash,
    messageSha256: transaction.messageSha256,
    signers: transaction.signatures.map((signature, slot) => ({
      address: transaction.staticAccounts[slot] ?? '',
      signed: signature !== null,
    })),
    instructions: readInstructions(resolveInstructions(transaction, contents), derived).map((each) =>
      needsTable(each.reading, places) ? withoutTable(each) : each,
    ),
    unknownPlaces: places,
  };
}

/** Every account the transaction names, as far as its tables are known. */
export function accountsOf(
  transaction: DecodedTransaction,
  tables: readonly LookupTableContent[],
): readonly Address[] {
  const { contents, places } = withStandIns(transaction, tables);
  return accountList(transaction, contents)
    .map(({ address }) => address)
    .filter((address) => !places.has(address));
}

/** The tables, and for each one that is not known 256 addresses that stand for its entries. */
function withStandIns(transaction: DecodedTransaction, tables: readonly LookupTableContent[]) {
  const places = new Map<Address, string>();
  const known = new Set(tables.map(({ table }) => table));
  const standIns = transaction.lookups
    .filter(({ table }) => !known.has(table))
    .map(({ table }, which) => ({
      table,
      addresses: Array.from({ length: 256 }, (_, entry) => {
        const address = addressFromBytes(Buffer.from(`unknown entry ${which} ${entry}`.padEnd(32)));
        places.set(address, `entry ${entry} of the address table ${table}`);
        return address;
      }),
    }));
  return { contents: [...tables, ...standIns], places };
}

/** What an instruction is not read for when its program has a reader and an account of it stands in no table known here. */
export const MISSING_TABLE = 'an address table it needs is not known here; pass --rpc-url';

const needsTable = (reading: Reading, places: ReadonlyMap<Address, string>): boolean =>
  reading.status === 'unread' &&
  reading.kind !== undefined &&
  reading.accounts.some(({ address }) => places.has(address));

/** A wrong account cannot be told from one that is not known. */
function withoutTable({ reading, acts }: ReadingWithActs): ReadingWithActs {
  const reason = MISSING_TABLE;
  return {
    reading: reading.status === 'unread' ? { ...reading, reason } : reading,
    acts: acts.map((act) => (act.act === 'unread' ? { ...act, reason } : act)),
  };
}

function feeOf(transaction: DecodedTransaction): string | undefined {
  try {
    return `${transactionFee(transaction).total}`;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return undefined;
  }
}
