/**
 * Accounts of a message: which are signers, which are writable, and what the lookup tables add. Privileges
 * are message-wide (an account that is writable anywhere is writable everywhere), so they are reported as
 * such.
 */
import { noncanonical, TransactionError } from './errors.ts';
import type {
  AccountUse,
  Address,
  DecodedTransaction,
  LookupTableContent,
  ResolvedInstruction,
} from './types.ts';

/**
 * All accounts in index order: static ones, then the writable and then the read-only entries of the tables.
 * @throws TransactionError LOOKUP_TABLE_UNRESOLVED when a table or an entry is missing,
 * NONCANONICAL_BYTES when an account would be loaded twice (T51)
 */
export function accountList(
  transaction: DecodedTransaction,
  tables: readonly LookupTableContent[],
): AccountUse[] {
  const { staticAccounts, numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned, lookups } =
    transaction;
  const firstReadonlySigner = numRequiredSignatures - numReadonlySigned;
  const firstReadonly = staticAccounts.length - numReadonlyUnsigned;
  const accounts: AccountUse[] = staticAccounts.map((address, index) => {
    const signer = index < numRequiredSignatures;
    return { address, signer, writable: index < (signer ? firstReadonlySigner : firstReadonly) };
  });
  if (lookups.length === 0) return accounts;

  const contents = new Map(tables.map(({ table, addresses }) => [table, addresses]));
  const load = (table: Address, index: number, writable: boolean) => {
    const address = contents.get(table)?.[index];
    if (address === undefined) {
      throw new TransactionError(
        'LOOKUP_TABLE_UNRESOLVED',
        `entry ${index} of lookup table ${table} is not known`,
      );
    }
    accounts.push({ address, signer: false, writable, table });
  };
  for (const { table, writableIndexes } of lookups)
    for (const index of writableIndexes) load(table, index, true);
  for (const { table, readonlyIndexes } of lookups)
    for (const index of readonlyIndexes) load(table, index, false);
  if (new Set(accounts.map((account) => account.address)).size !== accounts.length) {
    throw noncanonical('a lookup table loads an account that is already there');
  }
  return accounts;
}

/** The instructions with their accounts filled in, from the `list` of them. Throws what `accountList` throws. */
export function resolveInstructions(
  transaction: DecodedTransaction,
  tables: readonly LookupTableContent[],
  list: readonly AccountUse[] = accountList(transaction, tables),
): ResolvedInstruction[] {
  const at = (index: number): AccountUse => {
    const account = list[index];
    if (account === undefined) throw noncanonical('an account index is out of range');
    return account;
  };
  return transaction.instructions.map(({ programIndex, accountIndexes, data }, index) => ({
    index,
    program: at(programIndex).address,
    accounts: accountIndexes.map(at),
    data,
  }));
}
