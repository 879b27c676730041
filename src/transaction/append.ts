/** Appends instructions to an unsigned transaction, whose instructions keep their order and privileges. */
import { TransactionError } from './errors.ts';
import { encodeTransaction, readTransaction } from './read.ts';
import type { AccountUse, Address, DecodedTransaction, TableLookup } from './types.ts';

/** An encoded instruction. */
export interface Appended {
  readonly programAddress: Address;
  readonly accounts: readonly Pick<AccountUse, 'address' | 'signer' | 'writable'>[];
  readonly data: Uint8Array;
}

/**
 * Returns the transaction with the instructions at its end. `loaded`: its accounts in index order, including those of lookup
 * tables. New accounts become static and read-only, and so do programs from lookup tables. Returns `undefined` if an account
 * lacks a privilege, or if the result exceeds a limit of its format.
 * @throws TransactionError COSIGNATURE_INVALID if any slot is signed
 */
export function appendInstructions(
  transaction: DecodedTransaction,
  loaded: readonly AccountUse[],
  added: readonly Appended[],
): DecodedTransaction | undefined {
  if (transaction.signatures.some((signature) => signature !== null))
    throw new TransactionError(
      'COSIGNATURE_INVALID',
      'instructions cannot be appended to a signed transaction',
    );
  const { staticAccounts } = transaction;
  const known = new Map(loaded.map((account) => [account.address, account]));
  const programs = new Set(added.map(({ programAddress }) => programAddress));
  const accounts = [...staticAccounts];
  for (const { address, signer, writable } of [
    ...added.flatMap((each) => each.accounts),
    ...[...programs].map((program) => ({ address: program, signer: false, writable: false })),
  ]) {
    const as = known.get(address) ?? { signer: false, writable: false, table: undefined };
    if ((signer && !as.signer) || (writable && !as.writable)) return undefined;
    // Programs must be static; other accounts of lookup tables are kept.
    if (known.has(address) && !(programs.has(address) && as.table !== undefined)) continue;
    if (as.writable) return undefined;
    if (!accounts.includes(address)) accounts.push(address);
  }
  const fresh = new Set(accounts.slice(staticAccounts.length));
  const kept = loaded.slice(staticAccounts.length).filter(({ address }) => !fresh.has(address));
  const place = new Map([...accounts, ...kept.map(({ address }) => address)].map((each, i) => [each, i]));
  const index = (address: Address | undefined) => place.get(address ?? '') ?? -1;
  try {
    return readTransaction(
      encodeTransaction({
        ...transaction,
        staticAccounts: accounts,
        numReadonlyUnsigned: transaction.numReadonlyUnsigned + fresh.size,
        instructions: [
          ...transaction.instructions.map(({ programIndex, accountIndexes, data }) => ({
            programIndex,
            accountIndexes: accountIndexes.map((each) => index(loaded[each]?.address)),
            data,
          })),
          ...added.map(({ programAddress, accounts: used, data }) => ({
            programIndex: index(programAddress),
            accountIndexes: used.map(({ address }) => index(address)),
            data,
          })),
        ],
        lookups: lookupsWithout(transaction, loaded, fresh),
      }),
    );
  } catch (error) {
    if (error instanceof TransactionError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the lookups without entries that became static. */
function lookupsWithout(
  { lookups, staticAccounts }: DecodedTransaction,
  loaded: readonly AccountUse[],
  fresh: ReadonlySet<Address>,
): TableLookup[] {
  let at = staticAccounts.length;
  const left = (indexes: readonly number[]) => indexes.filter(() => !fresh.has(loaded[at++]?.address ?? ''));
  // In index order, the writable entries of all tables precede the read-only ones.
  const writable = lookups.map(({ writableIndexes }) => left(writableIndexes));
  const readonly = lookups.map(({ readonlyIndexes }) => left(readonlyIndexes));
  return lookups
    .map(({ table }, i) => ({
      table,
      writableIndexes: writable[i] ?? [],
      readonlyIndexes: readonly[i] ?? [],
    }))
    .filter((each) => each.writableIndexes.length + each.readonlyIndexes.length > 0);
}
