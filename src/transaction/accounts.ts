/**
 * Accounts of a message with their privileges, including those of lookup tables. Privileges are message-wide: an account
 * that is writable in one instruction is writable in all.
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
 * Returns all accounts in index order: static ones, then the writable and the read-only table entries.
 * @throws TransactionError LOOKUP_TABLE_UNRESOLVED if a table or an entry is missing,
 * NONCANONICAL_BYTES if an account is loaded twice (T51)
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
        `entry ${index} of lookup table ${table} is unknown`,
      );
    }
    accounts.push({ address, signer: false, writable, table });
  };
  for (const { table, writableIndexes } of lookups)
    for (const index of writableIndexes) load(table, index, true);
  for (const { table, readonlyIndexes } of lookups)
    for (const index of readonlyIndexes) load(table, index, false);
  if (new Set(accounts.map((account) => account.address)).size !== accounts.length) {
    throw noncanonical('a lookup table loads a duplicate account');
  }
  return accounts;
}

/** Returns the instructions with resolved accounts, from `list`. Throws like `accountList`. */
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
