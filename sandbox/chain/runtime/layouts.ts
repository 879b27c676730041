/** Accounts that the chain reads: lookup tables of v0 transactions, token accounts and mints of balances. */
import { attempt } from '../../../src/base/attempt.ts';
import { readLookupTable } from '../../../src/programs/solana/lookupTable.ts';
import {
  type MintState,
  readMint,
  readTokenAccount,
  type TokenAccountState,
} from '../../../src/programs/token/accounts.ts';
import { LOOKUP_TABLE_PROGRAM, TOKEN_PROGRAMS } from '../../../src/transaction/programs.ts';
import type { ChainAccount, LoadedAddresses } from '../types.ts';
import type { WireLookup } from './wire.ts';

const isToken = (account: ChainAccount | null): account is ChainAccount =>
  account !== null && TOKEN_PROGRAMS.includes(account.owner);

/** Returns a token account of either token program; `undefined` for any other account. */
export const tokenAccount = (account: ChainAccount | null): TokenAccountState | undefined =>
  isToken(account) ? attempt(() => readTokenAccount(account.data)) : undefined;

/** Returns a mint of either token program; `undefined` for any other account. */
export const mint = (account: ChainAccount | null): MintState | undefined =>
  isToken(account) ? attempt(() => readMint(account.data)) : undefined;

/** Resolves lookups against tables. Entries that cannot be resolved are left out: the runtime names the error. */
export function loadAddresses(
  lookups: readonly WireLookup[],
  account: (address: string) => ChainAccount | null,
): LoadedAddresses {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of lookups) {
    const table = account(lookup.table);
    const content = table?.owner === LOOKUP_TABLE_PROGRAM && attempt(() => readLookupTable(table.data));
    const addresses = content ? content.addresses : [];
    const pick = (indexes: readonly number[]) => indexes.flatMap((i) => addresses[i] ?? []);
    writable.push(...pick(lookup.writableIndexes));
    readonly.push(...pick(lookup.readonlyIndexes));
  }
  return { writable, readonly };
}
